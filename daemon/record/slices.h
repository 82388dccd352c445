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

/* What was counted until now. */
struct slice_counts {
	struct cpu_counts totals;	/* of the session, */
	uint64_t unfiled[NR_LOSS_REASONS];	/* with these losses, which the history has */
	uint64_t not_kept;		/* stack_attribution_not_kept() */
};

struct slices {
	struct history *history;	/* NULL: none is kept, and only slices_begin() needs one */
	struct stacks *stacks;
	struct slice_clock clock;
	struct slice_counts begin;	/* at its begin */
	bool has_segment;
	bool is_sampling;
	int64_t stopped_ns;		/* the slice's end, if not */
	uint64_t dumped_at;		/* when a dump ended a slice, now_ns() */
	struct retry retry;		/* to begin a segment */
};

/* @history and @stacks must outlive it. */
void slices_init(struct slices *s, struct history *history, struct stacks *stacks);

/*
 * A session begins, with the counts @c, or goes on after a failure to leave it. @stats_dir: the
 * session's.
 */
void slices_begin(struct slices *s, const struct slice_counts *c, const char *stats_dir);
/*
 * Sampling starts again: nothing was sampled since the slice began. If that was a while ago, end
 * the segment before, and begin another.
 */
bool slices_have_gap(const struct slices *s);
void slices_start(struct slices *s);
void slices_stop(struct slices *s);
/* Whether slices_turn() has something to do, and whether that ends the segment: cheap. */
bool slices_are_due(const struct slices *s);
bool slices_end_segment(const struct slices *s);
/* End the slice if it is time and the keeper is not busy. */
void slices_turn(struct slices *s, const struct slice_counts *c, const char *stats_dir);
/* End the slice now; with @is_last its segment. False: the keeper is busy; call again. */
bool slices_end(struct slices *s, const struct slice_counts *c, const char *stats_dir,
		bool is_last);
/*
 * Whether a dump may end the slice: once in the time of a slice, because any user may dump at any
 * rate, and slices take room.
 */
bool slices_take_dump(struct slices *s);
bool slices_are_written(const struct slices *s);

#endif
