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
 * far as it fits @room. What is no character becomes '?'. Returns its length.
 */
size_t op_runtime_text(const unsigned char *bytes, size_t size, unsigned int width, char *to,
		       size_t room);

/* Through a line table of CPython 3.11 or later. */
struct op_runtime_lines {
	const unsigned char *at, *end;
	uint64_t offset;		/* of the next entry's first instruction, in bytes */
	int64_t line;
};

/* The next entry: the instructions from *ret_offset on are of *ret_line; 0: of none. False: end. */
bool op_runtime_next_line(struct op_runtime_lines *l, uint64_t *ret_offset, uint32_t *ret_line);

#endif
