/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls.h - calls between images, from the call stacks of a session [XP-44] */
#ifndef FEEDBACK_SESSION_CALLS_H
#define FEEDBACK_SESSION_CALLS_H

#include "pp/select/collect.h"

struct xprof_call {
	const char *caller, *callee;	/* paths of images, as in sample files */
	uint64_t from, to;		/* offsets in their files: of the call, and in the callee */
	uint64_t count;			/* samples below the call */
};

struct xprof_calls {
	struct xprof_call *all;		/* sorted by caller, from, callee, to */
	size_t nr;
	struct profile *profile;	/* owns the paths */
};

/* Read the calls of the sessions of @c; none if their stacks are missing or cannot be read. */
void xprof_calls_read(struct collection *c, struct xprof_calls *ret);
void xprof_calls_free(struct xprof_calls *calls);

/* The calls from [@low, @high) in @caller: the first one, and *ret_nr. */
const struct xprof_call *xprof_calls_find(const struct xprof_calls *calls, const char *caller,
					  uint64_t low, uint64_t high, size_t *ret_nr);

#endif
