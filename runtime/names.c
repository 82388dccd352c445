// SPDX-License-Identifier: GPL-2.0-or-later
/* names.c - texts, and which runtime has which line table */
#include "runtime/names.h"

#include <string.h>

#include "runtime/runtime.h"

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

	if (!width) {
		len = size < room ? size : room;
		memcpy(to, bytes, len);
		return len;
	}
	if (width != 1 && width != 2 && width != 4)
		return 0;
	for (size_t at = 0; at + width <= size && len + 4 <= room; at += width)
		len += encode(character_at(bytes + at, width), to + len);
	return len;
}

/* ---- lines ---- */

/* PHP's frames have lines for instructions. */
static bool next_line_of_php(struct op_runtime_lines *l, uint64_t *ret_offset, uint32_t *ret_line)
{
	*ret_offset = l->offset;
	*ret_line = (uint32_t)l->line++;
	return l->offset++ < l->instructions;
}

bool op_runtime_next_line(struct op_runtime_lines *l, uint64_t *ret_offset, uint32_t *ret_line)
{
	switch (op_runtime_tables[l->number].kind) {
	case OP_RUNTIME_PYTHON:
		return op_python_next_line(l, ret_offset, ret_line);
	case OP_RUNTIME_RUBY:
		return op_ruby_next_line(l, ret_offset, ret_line);
	default:
		return next_line_of_php(l, ret_offset, ret_line);
	}
}

void op_runtime_place(uint32_t number, uint32_t *ret_first, uint32_t *ret_bytes)
{
	const struct op_runtime_table *t = &op_runtime_tables[number];

	*ret_first = t->kind == OP_RUNTIME_PYTHON ? t->python.instructions : 0;
	*ret_bytes = t->kind == OP_RUNTIME_PYTHON ? 2 : t->kind == OP_RUNTIME_RUBY ? 8 : 1;
}
