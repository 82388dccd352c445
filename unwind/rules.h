/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rules.h - collect the distinct rules of a table */
#ifndef UNWIND_RULES_H
#define UNWIND_RULES_H

#include <stddef.h>
#include "unwind/state.h"

#define UNWIND_NO_RULE		0	/* OP_CFA_NONE: for code without information */
#define UNWIND_UNKNOWN_RULE	1	/* OP_CFA_UNKNOWN */

struct unwind_rules {
	uint16_t machine;
	struct op_unwind_rule *rule;	/* the first two are always there */
	size_t nr, room;
	uint32_t *slot;			/* by hash: number of a rule + 1, or 0 */
	size_t nr_slots;		/* a power of two */
};

/* -ENOMEM. */
int unwind_rules_init(struct unwind_rules *rules, uint16_t machine);
void unwind_rules_free(struct unwind_rules *rules);

/*
 * The number of @state's rule; UNWIND_UNKNOWN_RULE if rules cannot express it or there are too
 * many. @signal: the caller was interrupted there. -ENOMEM.
 */
int unwind_rules_add(struct unwind_rules *rules, const struct unwind_state *state, bool signal,
		     uint16_t *ret);

/* The same for a signal frame whose registers are at @offset from @base. */
int unwind_rules_add_signal(struct unwind_rules *rules, uint8_t base, int32_t offset,
			    uint16_t *ret);

#endif
