/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h - counts by source position, nested as functions were inlined
 *
 * Each function that is not inlined has positions. A position has a count, the functions called
 * from it, and those inlined into it, which have positions in turn. Rules: doc/sample-pgo.md
 * [SG-n].
 */
#ifndef PP_EXCHANGE_AUTOFDO_TREE_H
#define PP_EXCHANGE_AUTOFDO_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/table.h"
#include "pp/binary/line/source_positions.h"

struct pgo_function {
	const char *name;		/* owned by the caller that added it */
	uint64_t head;			/* how often it was entered, in samples */
	struct pgo_position *positions;	/* by offset and discriminator */
	size_t nr, room;
};

struct pgo_target {
	const char *function;
	uint64_t count;
};

struct pgo_position {
	uint32_t offset;		/* lines from the function's declaration, 16 bits [SG-3] */
	uint32_t discriminator;		/* [SG-4] */
	uint64_t count;			/* the largest count of one instruction [SG-2] */
	bool is_counted;		/* else it has only targets or inlined functions */
	struct pgo_target *targets;
	size_t nr_targets, targets_room;
	struct pgo_function **inlined;
	size_t nr_inlined, inlined_room;
};

struct pgo_tree {
	struct pgo_function **functions;	/* not inlined; sorted by pgo_tree_sort() */
	size_t nr, room;
	struct hash_table by_name;		/* until it is sorted */
	uint32_t (*discriminator)(uint32_t raw);	/* as the compiler counts them */
};

/* The function @name, added if it is new. */
struct pgo_function *pgo_tree_function(struct pgo_tree *t, const char *name);

/*
 * The position of @nr >= 1 @frames (source_position()) below @function, which is that of the last
 * one. Valid until the next call.
 */
struct pgo_position *pgo_position(const struct pgo_tree *t, struct pgo_function *function,
				  const struct source_frame *frames, size_t nr);
struct pgo_function *pgo_inlined(struct pgo_position *position, const char *function);
void pgo_count(struct pgo_position *position, uint64_t count);
void pgo_call(struct pgo_position *position, const char *function, uint64_t count);

/* The saturated sum of its positions and of those of functions inlined into it. */
uint64_t pgo_total(const struct pgo_function *function);

/* Sort all levels. Nothing can be added afterwards. */
void pgo_tree_sort(struct pgo_tree *t);
void pgo_tree_free(struct pgo_tree *t);

#endif
