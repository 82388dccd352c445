/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_positions.h - positions of addresses in the form in which compilers read profiles
 *
 * table.h gives files and lines, for people. A compiler needs the linker's name of the function,
 * the line of its declaration, and discriminators, which distinguish several blocks on one line.
 * Rules: doc/sample-pgo.md [SG-n].
 */
#ifndef PP_BINARY_LINE_SOURCE_POSITIONS_H
#define PP_BINARY_LINE_SOURCE_POSITIONS_H

#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

struct source_frame {
	const char *function;		/* the linker's name */
	uint32_t start_line;		/* of its declaration */
	uint32_t line;			/* of the address, or of the call of the frame before */
	uint32_t discriminator;		/* as in the debug information */
	uint64_t low;			/* of the last frame: where the function's code begins */
};

struct source_positions;

/*
 * Look up @nr ascending @addresses, as linked, in @path, a file with debug information. -ENODATA:
 * it has none; other -errno: the reason is in @e.
 */
int source_positions_find(const char *path, const uint64_t *addresses, size_t nr,
			  struct source_positions **ret, struct op_error *e);
void source_positions_free(struct source_positions *p);	/* NULL is fine */

/*
 * The frames of address @i, innermost inlined function first. Returns their number, 0 if the
 * function or a line is unknown. They and their texts live as long as @p.
 */
size_t source_position(const struct source_positions *p, size_t i,
		       const struct source_frame **ret);

#endif
