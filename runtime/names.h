/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - name interpreted code by copies of its code objects
 *
 * For a sandbox: the copies are from the memory of any process.
 */
#ifndef RUNTIME_NAMES_H
#define RUNTIME_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Write the text of @size bytes at @bytes, whose characters have @width bytes, to @to as UTF-8, as
 * far as it fits @room. What is no character becomes '?'. With @width 0 it is UTF-8 already, and is
 * not checked. Returns its length.
 */
size_t op_runtime_text(const unsigned char *bytes, size_t size, unsigned int width, char *to,
		       size_t room);

/* Through a line table, as it was copied. */
struct op_runtime_lines {
	uint32_t number;		/* of the runtime */
	uint32_t instructions;
	const unsigned char *at, *end;
	uint64_t offset;		/* of the next instruction, from the first one, in bytes */
	int64_t line;
};

/* The next entry: the instructions from *ret_offset on are of *ret_line; 0: of none. False: end. */
bool op_runtime_next_line(struct op_runtime_lines *l, uint64_t *ret_offset, uint32_t *ret_line);
bool op_python_next_line(struct op_runtime_lines *l, uint64_t *ret_offset, uint32_t *ret_line);
bool op_ruby_next_line(struct op_runtime_lines *l, uint64_t *ret_offset, uint32_t *ret_line);

/* Offsets in an object: of the first instruction, and an instruction's bytes. */
void op_runtime_place(uint32_t number, uint32_t *ret_first, uint32_t *ret_bytes);

#define OP_RUBY_LINE_SIZE	12u	/* bytes of a line in Ruby's table, which begins with it */

/* Bytes of Ruby's index of @instructions. */
static inline uint64_t op_runtime_ruby_index(uint32_t instructions)
{
	return 48 + (instructions > 54 ? ((uint64_t)instructions - 54 + 511) / 512 : 0) * 80;
}

#endif
