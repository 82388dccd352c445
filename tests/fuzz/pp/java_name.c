// SPDX-License-Identifier: GPL-2.0-or-later
/* java_name.c - fuzz names of Java methods: what is written is bounded, or nothing is */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "pp/binary/java_name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = strndup((const char *)data, size);

	for (int is_short = 0; name && is_short < 2; is_short++) {
		struct strbuf out = STRBUF_INIT;
		bool ok = java_name(name, is_short, &out);

		if (ok ? !out.len || out.len > 9 * strlen(name) || strpbrk(out.text, ";")
		       : out.len)
			abort();
		strbuf_free(&out);
	}
	free(name);
	return 0;
}
