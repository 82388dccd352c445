/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines.c - split a profile feedback text into lines and fields */
#include "feedback/xprof/lines.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "formats/format.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void trim(struct span *s)
{
	while (s->at < s->end && is_blank(*s->at))
		s->at++;
	while (s->at < s->end && is_blank(s->end[-1]))
		s->end--;
}

/* [XP-2] */
static void drop_cr(struct xprof_lines *l)
{
	if (l->line.at == l->line.end || l->line.end[-1] != '\r')
		return;
	l->line.end--;
	if (!l->warned_of_cr)
		format_warn(l->warnings, "%s:%u: ignored CR before LF", l->path, l->number);
	l->warned_of_cr = true;
}

void xprof_lines_next(struct xprof_lines *l)
{
	do {
		const char *newline;

		if (l->at == l->end) {
			l->is_end = true;
			l->line = (struct span){ l->end, l->end };
			l->number++;
			return;
		}
		newline = memchr(l->at, '\n', l->end - l->at);
		l->line = (struct span){ l->at, newline ? newline : l->end };
		l->at = newline ? newline + 1 : l->end;
		l->number++;
		drop_cr(l);
		trim(&l->line);
	} while (l->line.at == l->line.end);
}

int xprof_lines_fail(const struct xprof_lines *l, uint32_t number, const char *format, ...)
{
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return op_error_set(l->e, -EPROTO, "%s:%u: %s", l->path, number, text);
}

bool xprof_lines_begins(const struct xprof_lines *l, const char *word)
{
	size_t n = strlen(word);

	return span_len(&l->line) >= n && !memcmp(l->line.at, word, n);
}

bool xprof_lines_skip(struct xprof_lines *l, const char *word)
{
	if (!xprof_lines_begins(l, word))
		return false;
	l->line.at += strlen(word);
	trim(&l->line);
	return true;
}

bool xprof_lines_is_record(const struct xprof_lines *l, char letter)
{
	return span_len(&l->line) > 1 && *l->line.at == letter && is_digit(l->line.at[1]);
}

struct span span_first(struct span *line)
{
	struct span field = { line->at, line->at };

	while (field.end < line->end && !is_blank(*field.end))
		field.end++;
	line->at = field.end;
	trim(line);
	return field;
}

struct span span_last(struct span *line)
{
	struct span field = { line->end, line->end };

	while (field.at > line->at && !is_blank(field.at[-1]))
		field.at--;
	line->end = field.at;
	trim(line);
	return field;
}

bool span_u64(struct span field, uint64_t *ret)
{
	uint64_t n = 0;

	if (field.at == field.end)
		return false;
	for (; field.at < field.end; field.at++)
		if (!is_digit(*field.at) || __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, *field.at - '0', &n))
			return false;
	*ret = n;
	return true;
}

bool span_u32(struct span field, uint32_t *ret)
{
	uint64_t n;

	if (!span_u64(field, &n) || n > UINT32_MAX)
		return false;
	*ret = n;
	return true;
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool span_hex(struct span field, uint64_t *ret)
{
	size_t n = span_len(&field);
	uint64_t value = 0;

	if (n < 3 || n > 18 || field.at[0] != '0' || (field.at[1] != 'x' && field.at[1] != 'X'))
		return false;
	for (field.at += 2; field.at < field.end; field.at++) {
		int digit = hex_digit(*field.at);

		if (digit < 0)
			return false;
		value = value << 4 | digit;
	}
	*ret = value;
	return true;
}

bool span_skip(struct span *s, char c)
{
	if (s->at == s->end || *s->at != c)
		return false;
	s->at++;
	return true;
}

bool span_number(struct span *s, uint32_t *ret)
{
	struct span digits = { s->at, s->at };

	while (digits.end < s->end && is_digit(*digits.end))
		digits.end++;
	s->at = digits.end;
	return span_u32(digits, ret);
}

const char *xprof_name_fault(const char *text, size_t len)
{
	if (!len)
		return "missing name or path";
	if (len > XPROF_NAME_MAX)
		return "name or path longer than 65535 bytes";
	if (is_blank(text[0]) || is_blank(text[len - 1]))
		return "name or path begins or ends with a blank";
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return "control character in a name or path";
	return NULL;
}
