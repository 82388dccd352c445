/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables.h - the tables of one thread of the Firefox Profiler's format [FF-4]
 *
 * Each thread has tables of its own, with just the rows that its samples need: a row is added when
 * it is first referred to.
 */
#ifndef FORMATS_FIREFOX_TABLES_H
#define FORMATS_FIREFOX_TABLES_H

#include <stdint.h>
#include "formats/profile/shown_frames.h"

/* Elements of the profile that have a row in the current thread. */
struct firefox_list {
	uint32_t *row;		/* of each element of the profile, or PROFILE_NONE */
	uint32_t *elements;	/* by row */
	uint32_t nr;
	size_t room;
};

struct firefox_stack {
	uint32_t prefix;	/* stack, or PROFILE_NONE */
	uint32_t frame;		/* row in frames */
};

struct firefox_tables {
	const struct profile *profile;
	const struct shown_frames *shown;
	struct firefox_list frames;	/* of shown->frames, followed by "[unknown]" */
	struct firefox_list functions;	/* of shown->functions */
	struct firefox_list images;
	uint32_t *stack_of;		/* row of each node, and of the empty stack */
	struct firefox_stack *stacks;
	uint32_t nr_stacks;
	size_t room_stacks;
	uint32_t *stack;		/* nodes from a leaf up */
	size_t room_stack;
	uint32_t *touched;		/* nodes that have a row */
	size_t nr_touched, room_touched;
};

void firefox_tables_init(struct firefox_tables *t, const struct profile *p,
			 const struct shown_frames *shown);
void firefox_tables_reset(struct firefox_tables *t);	/* for the next thread */
void firefox_tables_free(struct firefox_tables *t);

/* The row of the stack of @node; PROFILE_NONE: the empty stack. */
uint32_t firefox_stack(struct firefox_tables *t, uint32_t node);

#endif
