// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text.c - lines and words of a table, with their positions
 */
#include "events/table/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Length of the UTF-8 character at @p, with @left bytes to the end; 0 if it is invalid. */
static size_t utf8_length(const unsigned char *p, size_t left)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least;
	} forms[] = { { 0x80, 0x00, 0 },
		      { 0xe0, 0xc0, 0x80 },
		      { 0xf0, 0xe0, 0x800 },
		      { 0xf8, 0xf0, 0x10000 } };

	for (size_t n = 1; n <= 4; n++) {
		uint32_t c = *p & (unsigned char)~forms[n - 1].mask;

		if ((*p & forms[n - 1].mask) != forms[n - 1].lead)
			continue;
		if (n > left)
			return 0;
		for (size_t i = 1; i < n; i++) {
			if ((p[i] & 0xc0) != 0x80)
				return 0;
			c = c << 6 | (p[i] & 0x3f);
		}
		return c < forms[n - 1].least || c > 0x10ffff || (c >> 11) == 0x1b ? 0 : n;
	}
	return 0;
}

static int check_bytes(struct table_text *t, const char *text, size_t len, struct op_error *e)
{
	const unsigned char *p = (const unsigned char *)text, *line = p, *end = p + len;
	struct table_where where = { .file = t->file, .line = 1 };

	while (p < end) {
		size_t n = *p ? utf8_length(p, (size_t)(end - p)) : 0;

		where.column = (unsigned int)(p - line) + 1;
		if (!n)
			return table_error(&where, e,
					   "invalid UTF-8: byte 0x%02x; save the file as UTF-8",
					   *p);
		if (*p == '\n') {
			where.line++;
			line = p + 1;
		}
		p += n;
	}
	return 0;
}

int table_text_open(struct table_text *t, const char *file, char *text, size_t len,
		    struct op_error *e)
{
	*t = (struct table_text){ .file = file, .next = text };
	return check_bytes(t, text, len, e);
}

static bool is_blank(const char *line)
{
	return line[strspn(line, " \t\r")] == '\0';
}

char *table_text_line(struct table_text *t)
{
	while (*t->next) {
		char *end = strchr(t->next, '\n');

		t->line = t->next;
		t->nr++;
		t->next = end ? end + 1 : t->next + strlen(t->next);
		if (end)
			*end = '\0';
		if (*t->line != '#' && !is_blank(t->line))
			return t->line;
	}
	return NULL;
}

char *table_text_word(char **rest)
{
	char *word = *rest + strspn(*rest, " \t\r");
	char *end = word + strcspn(word, " \t\r");

	if (!*word)
		return NULL;
	*rest = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

struct table_where table_text_where(const struct table_text *t, const char *at)
{
	return (struct table_where){ t->file, t->nr, (unsigned int)(at - t->line) + 1 };
}

int table_error(const struct table_where *where, struct op_error *e, const char *format, ...)
{
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return op_error_set(e, -EINVAL, "%s:%u:%u: %s", where->file, where->line, where->column,
			    text);
}
