/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rules.h - the rules of a table in the making, each said once
 */
#ifndef UNWIND_RULES_H
#define UNWIND_RULES_H

#include <stddef.h>
#include "unwind/state.h"

#define UNWIND_NO_RULE		0	/* OP_CFA_NONE: for code that nothing is said about */
#define UNWIND_UNKNOWN_RULE	1	/* OP_CFA_UNKNOWN */

struct unwind_rules {
	uint16_t machine;
	struct op_unwind_rule *rule;	/* these two are always there: */
	size_t nr, room;
	uint32_t *slot;			/* by hash: number of a rule + 1, or 0 */
	size_t nr_slots;		/* a power of two */
};

/* -ENOMEM. */
int unwind_rules_init(struct unwind_rules *rules, uint16_t machine);
void unwind_rules_free(struct unwind_rules *rules);

/*
 * The number of @state's rule; that of UNKNOWN if no rule can hold it or there are too many.
 * @signal: the caller was interrupted there. -ENOMEM.
 */
int unwind_rules_add(struct unwind_rules *rules, const struct unwind_state *state, bool signal,
		     uint16_t *ret);

/* The same for the frame of a signal whose registers lie at @offset from @base. */
int unwind_rules_add_signal(struct unwind_rules *rules, uint8_t base, int32_t offset,
			    uint16_t *ret);

#endif
