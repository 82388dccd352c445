/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choices.h - number the combinations of context, event and innermost image of a stack store
 *
 * Samples of stacks with the same combination are counted in one sample file, so whether they are
 * selected, and for which class, is decided once for all of them.
 */
#ifndef PP_REPORT_STACK_CHOICES_H
#define PP_REPORT_STACK_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include "libdb/stack/store.h"
#include "libutil/table.h"

struct stack_choices {
	struct stack_choice {
		uint32_t context, event, image;	/* of the snapshot */
	} *choices;
	uint32_t nr;
	size_t room;
	struct hash_table table;
};

/*
 * The number of the combination of @count in @s; *ret_new if that is its first occurrence.
 * STACK_NONE: a stack without frames.
 */
uint32_t stack_choice_get(struct stack_choices *c, const struct stack_snapshot *s,
			  const struct stack_count *count, bool *ret_new);
void stack_choices_free(struct stack_choices *c);	/* leaves it empty and usable */

#endif
