/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choices.h - what stacks of one context, event and innermost image have in common
 *
 * All that decides where such a stack belongs stands in the name of one sample file, so it is
 * decided once for all of them. An index is given to each such combination of a stack store.
 */
#ifndef PP_REPORT_STACK_CHOICES_H
#define PP_REPORT_STACK_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include "libdb/stack/store.h"

struct stack_choices {
	struct stack_choice {
		uint32_t context, event, image;	/* indices of the snapshot's */
	} *choices;
	uint32_t nr;
	size_t room;
	uint32_t *slots;		/* hash table of index + 1 */
	size_t nr_slots;
};

/*
 * The index of what @count of @s belongs to. *ret_new: it is the next one, not asked for before.
 * STACK_NONE: a stack of no frames.
 */
uint32_t stack_choice_get(struct stack_choices *c, const struct stack_snapshot *s,
			  const struct stack_count *count, bool *ret_new);
void stack_choices_free(struct stack_choices *c);	/* and empty it */

#endif
