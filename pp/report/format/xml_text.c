/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xml_text.c - escaping
 *
 * Bytes that are not UTF-8, and characters that act on the text around them, become '?'.
 */
#include "pp/report/format/xml_text.h"

#include <inttypes.h>

#include "libutil/plain_text.h"

void xml_open(FILE *out, const char *tag)
{
	fprintf(out, "<%s ", tag);
}

static void put_value(FILE *out, const char *value)
{
	while (*value) {
		size_t n = plain_length(value);

		if (n != 1)
			fwrite(n ? value : "?", 1, n ? n : 1, out);
		else if (*value == '&')
			fputs("&amp;", out);
		else if (*value == '<')
			fputs("&lt;", out);
		else if (*value == '>')
			fputs("&gt;", out);
		else if (*value == '"')
			fputs("&quot;", out);
		else
			putc(*value, out);
		value += n ? n : 1;
	}
}

void xml_text(FILE *out, const char *name, const char *value)
{
	fprintf(out, " %s=\"", name);
	put_value(out, value);
	putc('"', out);
}

void xml_content(FILE *out, const char *text)
{
	put_value(out, text);
}

void xml_number(FILE *out, const char *name, uint64_t value)
{
	fprintf(out, " %s=\"%" PRIu64 "\"", name, value);
}

void xml_address(FILE *out, const char *name, uint64_t value, int digits)
{
	fprintf(out, " %s=\"%0*" PRIx64 "\"", name, digits, value);
}
