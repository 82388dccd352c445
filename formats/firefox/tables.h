/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables.h - what one thread of the Firefox Profiler's format refers to [FF-4]
 *
 * Each thread has tables of its own, so only what its samples need is put into them: the numbers of
 * things in the thread at hand are given when they are first asked for.
 */
#ifndef FORMATS_FIREFOX_TABLES_H
#define FORMATS_FIREFOX_TABLES_H

#include <stdint.h>
#include "formats/profile/shown_frames.h"

/* Things of the profile that have got a number in the thread at hand. */
struct firefox_list {
	uint32_t *number;	/* of each thing of the profile, or PROFILE_NONE */
	uint32_t *things;	/* by number */
	uint32_t nr;
	size_t room;
};

struct firefox_stack {
	uint32_t prefix;	/* stack, or PROFILE_NONE */
	uint32_t frame;		/* number in frames */
};

struct firefox_tables {
	const struct profile *profile;
	const struct shown_frames *shown;
	struct firefox_list frames;	/* of shown->frames; after the last that of "[unknown]" */
	struct firefox_list functions;	/* of shown->functions */
	struct firefox_list images;
	uint32_t *stack_of;		/* of each node, and of no stack: its innermost stack */
	struct firefox_stack *stacks;
	uint32_t nr_stacks;
	size_t room_stacks;
	uint32_t *stack;		/* nodes on the way up */
	size_t room_stack;
	uint32_t *touched;		/* nodes with a stack */
	size_t nr_touched, room_touched;
};

void firefox_tables_init(struct firefox_tables *t, const struct profile *p,
			 const struct shown_frames *shown);
void firefox_tables_reset(struct firefox_tables *t);	/* for the next thread */
void firefox_tables_free(struct firefox_tables *t);

/* The number of the stack of @node, or of no stack (PROFILE_NONE). */
uint32_t firefox_stack(struct firefox_tables *t, uint32_t node);

#endif
