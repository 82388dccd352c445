// SPDX-License-Identifier: GPL-2.0-or-later
/* csv_text.c - see csv_text.h */
#include "libutil/csv_text.h"

#include <stdbool.h>
#include <string.h>

#include "libutil/plain_text.h"

/* Some spreadsheets take wide forms for the same signs. */
static bool begins_formula(const char *text)
{
	static const char *const wide[] = { "\uff1d", "\uff0b", "\uff0d", "\uff20" };

	for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++)
		if (!strncmp(text, wide[i], strlen(wide[i])))
			return true;
	return *text && strchr("=+-@", *text);
}

/* Blanks before a formula may be skipped. */
static bool needs_mark(const char *text)
{
	return *text == '\'' || begins_formula(text + strspn(text, " "));
}

void csv_put_text(const char *text, FILE *out)
{
	bool quoted = strpbrk(text, "\",");

	if (quoted)
		putc('"', out);
	if (needs_mark(text))
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
