// SPDX-License-Identifier: GPL-2.0-or-later
/* brief_name.c - fuzz names of functions: the abridged one is never longer, both ways to abridge */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "pp/binary/shorten_name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = strndup((const char *)data, size), *brief;
	size_t len;

	if (!name)
		return 0;
	len = strlen(name);
	brief = brief_name(name);
	if (strlen(brief) > len || (len && !*brief))
		abort();
	free(brief);
	shorten_name(name, size % 2);
	if (strlen(name) > len)
		abort();
	free(name);
	return 0;
}
