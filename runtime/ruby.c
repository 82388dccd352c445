// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ruby.c - line tables of Ruby
 *
 * An index has for each instruction the number of lines that begin up to it: of the first ones 7
 * bits each, 9 in a word, then for each 512 a block: the number before it, that before each of its
 * words but the first in 9 bits each, and a bit for each instruction with which a line begins.
 */
#include "runtime/names.h"

#include <string.h>

#define DIRECT		54	/* instructions in the first part, of 48 bytes */
#define BLOCK		512	/* instructions in a block */
#define BLOCK_SIZE	80

static uint64_t word_at(const unsigned char *p)
{
	uint64_t ret;

	memcpy(&ret, p, sizeof(ret));
	return ret;
}

static uint64_t lines_up_to(const unsigned char *index, uint64_t i)
{
	const unsigned char *block;
	uint64_t word, nr;

	if (i < DIRECT)
		return word_at(index + i / 9 * 8) >> i % 9 * 7 & 0x7f;
	i -= DIRECT;
	block = index + 48 + i / BLOCK * BLOCK_SIZE;
	i %= BLOCK;
	word = i / 64;
	nr = (uint32_t)word_at(block);
	nr += word ? word_at(block + 8) >> (word - 1) * 9 & 0x1ff : 0;
	return nr + (uint64_t)__builtin_popcountll(word_at(block + 16 + word * 8) << (63 - i % 64));
}

/* One for each instruction. */
bool op_ruby_next_line(struct op_runtime_lines *l, uint64_t *ret_offset, uint32_t *ret_line)
{
	uint64_t size = op_runtime_ruby_index(l->instructions), all = (uint64_t)(l->end - l->at),
		 nr;

	if (all < size || l->offset / 8 >= l->instructions)
		return false;
	nr = lines_up_to(l->end - size, l->offset / 8);
	*ret_offset = l->offset;
	*ret_line = 0;
	l->offset += 8;
	if (nr && nr * OP_RUBY_LINE_SIZE <= all - size)
		memcpy(ret_line, l->at + (nr - 1) * OP_RUBY_LINE_SIZE, sizeof(*ret_line));
	return true;
}
