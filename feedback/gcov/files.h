/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files.h - what gcc's --coverage leaves: notes (.gcno) of the graphs, data (.gcda) of counts
 *
 * Files of gcc 12, of either byte order. Memory is taken in proportion to the bytes that are there.
 * Rules: doc/xprof.md [XP-33]..[XP-37].
 */
#ifndef FEEDBACK_GCOV_FILES_H
#define FEEDBACK_GCOV_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

enum { GCOV_ON_TREE = 1, GCOV_FAKE = 2, GCOV_FALLTHROUGH = 4 };	/* arcs; on the tree: not counted */

struct gcov_arc {
	uint32_t from, to, flags;	/* blocks from 0 on */
};

struct gcov_line {
	uint32_t block, line;
	const char *file;		/* as the compiler was given it */
};

struct gcov_function {
	uint32_t ident, lineno_checksum, cfg_checksum;
	const char *name;		/* of the symbol */
	bool is_artificial;		/* made by the compiler, of no source */
	uint32_t nr_blocks;
	struct gcov_arc *arcs;
	struct gcov_line *lines;
	uint32_t nr_arcs, arcs_room, nr_lines, lines_room;
	uint32_t nr_counted;		/* arcs that are not on the tree */
	uint64_t *counters;		/* of these, or NULL: it is not in the data */
};

struct gcov_notes {
	char *bytes;			/* the file: strings lie in it */
	const char *cwd;		/* relative files begin here */
	uint32_t stamp;			/* of the compilation: the data has the same */
	struct gcov_function *functions;
	uint32_t nr, room;
	bool has_data;
};

/*
 * Read notes of @size @bytes, which are taken over and free()d by gcov_notes_free(). -EPROTO: @e
 * says at which byte what is wrong; *ret is empty.
 */
int gcov_notes_read(char *bytes, size_t size, struct gcov_notes *ret, struct op_error *e);
void gcov_notes_free(struct gcov_notes *n);

/* Add the counters of data. -ESTALE: it is of another compilation. Then as if it were not there. */
int gcov_data_read(const char *bytes, size_t size, struct gcov_notes *n, struct op_error *e);

#endif
