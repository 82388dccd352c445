// SPDX-License-Identifier: GPL-2.0-or-later
/* sample_name.c - fuzz sample file names: what parses is formatted to the very same path */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "libdb/session/name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *path = strndup((const char *)data, size);
	struct strbuf out = STRBUF_INIT;
	struct sample_name name;

	if (path && !sample_name_parse(path, &name, NULL)) {
		if (sample_name_format(&name, &out) || strcmp(out.text, path))
			abort();
		sample_name_free(&name);
	}
	strbuf_free(&out);
	free(path);
	return 0;
}
