// SPDX-License-Identifier: GPL-2.0-or-later
/* python.c - line tables of CPython 3.11 and later */
#include "runtime/names.h"

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

bool op_python_next_line(struct op_runtime_lines *l, uint64_t *ret_offset, uint32_t *ret_line)
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
