/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gmon.h - the file that gprof reads: a histogram of code addresses, and calls
 *
 * Numbers have the word size and byte order of the binary that gprof reads with it.
 * Rules: doc/pp-spec.md [GP-5]..[GP-7].
 */
#ifndef PP_EXCHANGE_GMON_GMON_H
#define PP_EXCHANGE_GMON_GMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "libutil/error.h"

struct gmon_sample {
	uint64_t address;		/* as linked */
	uint64_t count;
};

struct gmon_arc {
	uint64_t from, to;		/* addresses in caller and callee, as linked */
	uint64_t count;
};

struct gmon {
	bool is_64, is_swapped;		/* of the binary */
	bool compat;			/* one histogram, of the original's bins */
	struct gmon_sample *samples;	/* at least one, by address */
	size_t nr_samples, samples_room;
	struct gmon_arc *arcs;		/* in the order of the file */
	size_t nr_arcs, arcs_room;
};

/* -EFBIG: the addresses are too far apart for a histogram; do not write it. */
int gmon_check(const struct gmon *g, struct op_error *e);

/*
 * Write the file; errors are in @out, see ferror(). Returns the number of samples that did not fit
 * into their bins.
 */
uint64_t gmon_write(const struct gmon *g, FILE *out);
void gmon_free(struct gmon *g);

#endif
