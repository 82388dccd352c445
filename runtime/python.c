// SPDX-License-Identifier: GPL-2.0-or-later
/* python.c - texts and line tables of CPython */
#include "runtime/names.h"

#include <string.h>

#include "oprofilefs/op_types.h"

/* ---- texts ---- */

static uint32_t character_at(const unsigned char *p, unsigned int width)
{
	uint32_t c = 0;

	memcpy(&c, p, width);		/* little endian, as x86-64 is */
	return c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? '?' : c;
}

static size_t encode(uint32_t c, char *to)
{
	size_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	static const unsigned char first[] = { 0, 0xc0, 0xe0, 0xf0 };

	to[0] = (char)(first[more] | c >> (6 * more));
	for (size_t i = 1; i <= more; i++)
		to[i] = (char)(0x80 | (c >> (6 * (more - i)) & 0x3f));
	return more + 1;
}

size_t op_runtime_text(const unsigned char *bytes, size_t size, unsigned int width, char *to,
		       size_t room)
{
	size_t len = 0;

	if (width != 1 && width != 2 && width != 4)
		return 0;
	for (size_t at = 0; at + width <= size && len + 4 <= room; at += width)
		len += encode(character_at(bytes + at, width), to + len);
	return len;
}

/* ---- lines ---- */

/* How an entry gives its line: the kinds that CPython numbers. */
enum {
	KIND_LONG_FIRST = 10, KIND_LONG_LAST = 12,	/* 0, 1 or 2 more, and two columns */
	KIND_NO_COLUMNS = 13, KIND_ALL = 14, KIND_NONE = 15,
};

static uint64_t read_number(struct op_runtime_lines *l)
{
	uint64_t n = 0;

	for (unsigned int shift = 0; l->at < l->end; shift += 6) {
		unsigned char byte = *l->at++;

		if (shift < 60)
			n |= (uint64_t)(byte & 0x3f) << shift;
		if (!(byte & 0x40))
			break;
	}
	return n;
}

static int64_t read_signed(struct op_runtime_lines *l)
{
	uint64_t n = read_number(l);

	return n & 1 ? -(int64_t)(n >> 1) : (int64_t)(n >> 1);
}

bool op_runtime_next_line(struct op_runtime_lines *l, uint64_t *ret_offset, uint32_t *ret_line)
{
	unsigned int kind, units;

	if (l->at >= l->end || !(*l->at & 0x80))
		return false;
	kind = *l->at >> 3 & 15;
	units = (*l->at++ & 7) + 1;
	*ret_offset = l->offset;
	l->offset += 2 * units;
	if (kind == KIND_NO_COLUMNS || kind == KIND_ALL)
		l->line += read_signed(l);
	else if (kind >= KIND_LONG_FIRST && kind <= KIND_LONG_LAST)
		l->line += kind - KIND_LONG_FIRST;
	/* columns, which the next entry's first byte ends */
	while (l->at < l->end && !(*l->at & 0x80))
		l->at++;
	if (l->line < INT32_MIN || l->line > INT32_MAX)
		return false;
	*ret_line = kind == KIND_NONE || l->line < 0 ? 0 : (uint32_t)l->line;
	return true;
}
