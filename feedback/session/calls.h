/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls.h - who calls whom from where, out of a session's call stacks [XP-44] */
#ifndef FEEDBACK_SESSION_CALLS_H
#define FEEDBACK_SESSION_CALLS_H

#include "pp/select/collect.h"

struct xprof_call {
	const char *caller, *callee;	/* paths of images, as sample files name them */
	uint64_t from, to;		/* offsets in files: in the call; in what was called */
	uint64_t count;			/* samples below it */
};

struct xprof_calls {
	struct xprof_call *all;		/* by caller, from, callee, to */
	size_t nr;
	struct profile *profile;	/* what the paths lie in */
};

/* Of the sessions of @c; none where they have no stacks, or those cannot be read. */
void xprof_calls_read(struct collection *c, struct xprof_calls *ret);
void xprof_calls_free(struct xprof_calls *calls);

/* Those of @caller from [@low, @high): the first, and how many. */
const struct xprof_call *xprof_calls_find(const struct xprof_calls *calls, const char *caller,
					  uint64_t low, uint64_t high, size_t *ret_nr);

#endif
