/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print_line.c - print lines without control characters */
#include "libutil/print_line.h"

#include <string.h>

#include "libutil/plain_text.h"

void plain_add(struct strbuf *to, const char *text)
{
	size_t start = to->len;

	strbuf_add(to, text);
	plain_text(to->text + start, to->len - start);
}

void plain_add_folded(struct strbuf *to, const char *text)
{
	size_t start = to->len;

	plain_add(to, text);
	for (char *c = to->text + start; (c = strchr(c, ';')) != NULL; )
		*c = ':';
}

void plain_line(struct strbuf *line)
{
	if (line->len)
		plain_text(line->text + 1, line->len - 1);	/* [0] may be a tab */
}

void print_line(struct strbuf *line, FILE *out)
{
	plain_line(line);
	strbuf_add_char(line, '\n');
	fwrite(line->text, 1, line->len, out);
	strbuf_reset(line);
}
