/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ibs.h - AMD's instruction-based sampling: what was asked for, and the feature that serves it
 *
 * The CPU chooses an instruction fetch or an op and writes down what became of it. From those
 * registers any number of events is derived (daemon/collect/ibs/events.h), each with sample files
 * of its own. doc/ibs.md [IB-n].
 */
#ifndef DAEMON_RECORD_IBS_H
#define DAEMON_RECORD_IBS_H

#include <stdbool.h>
#include <stdint.h>
#include "daemon/record/ext_feature.h"
#include "events/cpu/ibs_limits.h"
#include "libutil/error.h"

struct ibs_event;

/* Unit mask of op events */
#define IBS_OP_DISPATCHED	1	/* choose by counting dispatched ops, not cycles */
#define IBS_OP_MEMACCESS	2	/* log memory accesses */
#define IBS_OP_BRANCH_TARGET	4	/* log branch targets; they are in the words, too */
#define IBS_OP_MASKS		7

/* Fetches or ops: all events of one side have count and unit mask in common. [IB-3] */
struct ibs_side {
	bool on;
	uint32_t max_count, unit_mask;
	bool kernel, user;		/* which samples to keep: the CPU takes both */
};

struct ibs_config {
	struct ibs_side fetch, op;
	const struct ibs_event *events[EXT_EVENTS_MAX];	/* derived ones, in the order asked for */
	unsigned int nr_events;
	unsigned int family;		/* of CPU, whose reserved bits are masked; 0: not known */
};

/*
 * "fetch:EVENT,EVENT:count:um|op:EVENT,EVENT:count:um", either side alone too; um in hex.
 * ":kernel:user", 0 or 1 each, may follow um. -EINVAL. The family is this CPU's.
 */
int ibs_config_parse(const char *args, struct ibs_config *ret, struct op_error *e);

/* Whether op notes have the word for it; @c may be NULL. */
static inline bool ibs_has_branch_target(const struct ibs_config *c)
{
	return c && c->op.unit_mask & IBS_OP_BRANCH_TARGET;
}

/* Whether this CPU writes down where a branch went. */
bool ibs_tells_branch_target(void);

extern const struct ext_feature ibs_feature;

/* What collectors need to know of it; NULL: @x is NULL or another feature. */
const struct ibs_config *ibs_config_of(const struct ext *x);

#endif
