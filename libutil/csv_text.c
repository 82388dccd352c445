// SPDX-License-Identifier: GPL-2.0-or-later
/* csv_text.c - see csv_text.h */
#include "libutil/csv_text.h"

#include <stdbool.h>
#include <string.h>

#include "libutil/plain_text.h"

void csv_put_text(const char *text, FILE *out)
{
	bool quoted = strpbrk(text, "\",");

	if (quoted)
		putc('"', out);
	if (*text && strchr("=+-@'", *text))
		putc('\'', out);
	for (size_t n; *text; text += n ? n : 1) {
		n = plain_length(text);
		if (*text == '"')
			putc('"', out);
		fwrite(n ? text : "?", 1, n ? n : 1, out);
	}
	if (quoted)
		putc('"', out);
}
