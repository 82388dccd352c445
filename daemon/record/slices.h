/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slices.h - the history beside the session: which samples belong to which slice
 *
 * The history's stack store gets every sample that the session gets, with its stack. When a slice
 * ends, the keeper (daemon/history/keeper.h) writes it; each hour, each session and a store that is
 * nearly full begin another segment, with another store.
 */
#ifndef DAEMON_RECORD_SLICES_H
#define DAEMON_RECORD_SLICES_H

#include "daemon/history/keeper.h"
#include "daemon/history/slice_clock.h"
#include "daemon/record/retry.h"
#include "daemon/record/stacks.h"
#include "libdb/session/session.h"

struct slices {
	struct history *history;	/* NULL: none is kept, and only slices_begin() needs one */
	struct stacks *stacks;
	struct slice_clock clock;
	struct cpu_counts begin;	/* totals at its begin */
	uint64_t begin_not_kept;
	bool has_segment;
	struct retry retry;		/* to begin a segment */
};

/* What was counted until now: the session's totals, and stack_attribution_not_kept(). */
struct slice_counts {
	struct cpu_counts totals;
	uint64_t not_kept;
};

/* @history and @stacks must outlive it. */
void slices_init(struct slices *s, struct history *history, struct stacks *stacks);

/* A session begins, with the counts @c, or goes on after a failure to leave it. */
void slices_begin(struct slices *s, const struct slice_counts *c);
/* Sampling starts again: nothing was sampled until now. */
void slices_start(struct slices *s);
/* Whether slices_turn() has something to do: cheap. */
bool slices_are_due(const struct slices *s);
/* End the slice if it is time and the keeper is not busy. @stats_dir: the session's. */
void slices_turn(struct slices *s, const struct slice_counts *c, const char *stats_dir);
/* End the slice now; with @is_last its segment. False: the keeper is busy; call again. */
bool slices_end(struct slices *s, const struct slice_counts *c, const char *stats_dir,
		bool is_last);
bool slices_are_written(const struct slices *s);

#endif
