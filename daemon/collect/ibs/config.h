/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config.h - settings of AMD's instruction-based sampling
 *
 * The CPU selects an instruction fetch or an op and records what happens to it. Any number of
 * events is derived from those registers (events.h). doc/ibs.md [IB-n].
 */
#ifndef DAEMON_COLLECT_IBS_CONFIG_H
#define DAEMON_COLLECT_IBS_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include "daemon/collect/ibs/events.h"
#include "events/cpu/ibs_limits.h"
#include "libutil/error.h"

/* Unit mask of op events */
#define IBS_OP_DISPATCHED	1	/* count dispatched ops, not cycles */
#define IBS_OP_MEMACCESS	2	/* log memory accesses */
#define IBS_OP_BRANCH_TARGET	4	/* log branch targets, and add them to the words */
#define IBS_OP_MASKS		7

/* Fetches or ops: all events of a side share count and unit mask. [IB-3] */
struct ibs_side {
	bool on;
	uint32_t max_count, unit_mask;
	bool kernel, user;		/* which samples to keep: the CPU takes both */
};

struct ibs_config {
	struct ibs_side fetch, op;
	const struct ibs_event *events[IBS_EVENTS_MAX];	/* derived ones, in the order given */
	unsigned int nr_events;
	unsigned int family;		/* of the CPU, selects the reserved bits; 0: unknown */
};

/* The syntax of ibs_config_parse()'s argument, for messages. */
#define IBS_CONFIG_SYNTAX	"fetch:EVENT,EVENT...:count:um|op:EVENT,EVENT...:count:um"

/*
 * Parse IBS_CONFIG_SYNTAX, or either side alone; um is hexadecimal. ":kernel:user", 0 or 1 each,
 * may follow um. 0 or -EINVAL. The family is this CPU's.
 */
int ibs_config_parse(const char *args, struct ibs_config *ret, struct op_error *e);

/* Whether op notes include the target's word; @c may be NULL. */
static inline bool ibs_has_branch_target(const struct ibs_config *c)
{
	return c && c->op.unit_mask & IBS_OP_BRANCH_TARGET;
}

/* Whether this CPU records the targets of branches. */
bool ibs_cpu_has_branch_target(void);

#endif
