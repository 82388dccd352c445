/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trans_private.h - what trans.c (words) and trans_notes.c (what notes mean) share */
#ifndef DAEMON_RECORD_TRANS_PRIVATE_H
#define DAEMON_RECORD_TRANS_PRIVATE_H

#include "daemon/record/trans_chain.h"

#define RUN_MAX		256	/* pairs handed over at once */
#define NOTE_MAX	16	/* words of the longest note, OP_ESCAPE and code included */

#define NR_CODES	(OP_COMM + 1)

struct note {
	bool (*handle)(struct trans *t, const op_word *payload);	/* NULL: unknown code */
	unsigned int payload;						/* words */
};

struct trans {
	const struct trans_ops *ops;
	void *context;
	struct trans_state state;
	bool changed;			/* state, since the last run was handed over */
	bool skipping;			/* looking for a note to go on with */
	struct note notes[NR_CODES];

	op_word begun[NOTE_MAX];	/* words of a note or pair whose end has not come yet */
	size_t nr_begun;

	uint64_t pcs[RUN_MAX];
	uint32_t counters[RUN_MAX];
	size_t nr_run;
	struct trans_chain chain;	/* while state.tracing */

	struct trans_stats stats;
};

extern const struct note trans_notes[NR_CODES];

/* No caller of the sample follows any more. */
void trans_end_chain(struct trans *t, unsigned int end);
/* Where something else begins: OProfile's streams have no OP_STACK_END. [EB-45] */
void trans_end_untold(struct trans *t);

#endif
