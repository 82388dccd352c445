// SPDX-License-Identifier: GPL-2.0-or-later
/* slices.c - see slices.h */
#include "daemon/record/slices.h"

#include "libdb/history/segment.h"
#include "libutil/clock.h"

#define NEARLY_FULL	(HISTORY_STORE_MAX / 4 * 3)	/* bytes of a store */

void slices_init(struct slices *s, struct history *history, struct stacks *stacks)
{
	*s = (struct slices){ .history = history, .stacks = stacks };
	if (history)
		s->clock.length_ns = history_config(history)->slice_ns;
}

static int64_t wall_ns(void)
{
	return (int64_t)clock_ns(CLOCK_REALTIME);
}

static void begin_slice(struct slices *s, const struct slice_counts *c)
{
	slice_clock_begin(&s->clock, wall_ns(), now_ns());
	s->stopped_ns = s->clock.begin_ns;
	s->begin = *c;
}

/* Without a folder samples are counted as not kept. */
static void begin_segment(struct slices *s, const char *stats_dir)
{
	const char *store = history_begin_segment(s->history, s->clock.begin_ns, stats_dir);

	s->has_segment = store;
	stacks_set_file(s->stacks, store ? store : "");
	if (store)
		s->retry = (struct retry){ 0, 0 };
	else
		retry_later(&s->retry);
}

void slices_begin(struct slices *s, const struct slice_counts *c, const char *stats_dir)
{
	begin_slice(s, c);
	begin_segment(s, stats_dir);
}

bool slices_have_gap(const struct slices *s)
{
	return s->history && !s->is_sampling &&
	       slice_clock_has_gap(&s->clock, wall_ns(), now_ns());
}

void slices_start(struct slices *s)
{
	slice_clock_begin(&s->clock, wall_ns(), now_ns());
	s->is_sampling = true;
	if (s->history)
		history_defer_merges(s->history, false);
}

void slices_stop(struct slices *s)
{
	s->is_sampling = false;
	if (s->history)
		history_defer_merges(s->history, true);
	s->stopped_ns = slice_clock_end(&s->clock, wall_ns(), now_ns());
}

static enum slice_end look(const struct slices *s)
{
	if (stacks_bytes(s->stacks) > NEARLY_FULL || history_wants_segment(s->history))
		return SEGMENT_ENDS;
	if (!s->is_sampling)
		return SLICE_GOES_ON;
	return slice_clock_look(&s->clock, wall_ns(), now_ns());
}

bool slices_are_due(const struct slices *s)
{
	if (!s->history)
		return false;
	if (!s->has_segment)
		return retry_is_due(&s->retry);
	return look(s) != SLICE_GOES_ON && !history_is_busy(s->history);
}

bool slices_end_segment(const struct slices *s)
{
	return s->has_segment && look(s) == SEGMENT_ENDS;
}

static struct numbers numbers_of(const struct slices *s, const struct slice_counts *c)
{
	struct cpu_counts difference = c->totals;
	struct numbers n = { .nr = 0 };

	cpu_counts_subtract(&difference, &s->begin.totals);
	for (int i = 0; i < NR_LOSS_REASONS; i++)
		difference.lost[i] -= c->unfiled[i] - s->begin.unfiled[i];
	numbers_add_counts(&n, &difference);
	numbers_add(&n, HISTORY_NOT_KEPT, c->not_kept - s->begin.not_kept);
	return n;
}

bool slices_end(struct slices *s, const struct slice_counts *c, const char *stats_dir,
		bool is_last)
{
	struct numbers n;
	int64_t end_ns;

	if (!s->has_segment)
		return true;
	if (history_is_busy(s->history))
		return false;
	n = numbers_of(s, c);
	end_ns = s->is_sampling ? slice_clock_end(&s->clock, wall_ns(), now_ns()) : s->stopped_ns;
	if (is_last) {
		stacks_set_file(s->stacks, "");
		s->has_segment = false;
	}
	history_end_slice(s->history, s->clock.begin_ns, end_ns, &n, stats_dir, is_last);
	begin_slice(s, c);
	return true;
}

void slices_turn(struct slices *s, const struct slice_counts *c, const char *stats_dir)
{
	if (!slices_end(s, c, stats_dir, slices_end_segment(s)))
		return;
	if (!s->has_segment)
		begin_segment(s, stats_dir);
}

bool slices_take_dump(struct slices *s)
{
	uint64_t now = now_ns();

	if (s->dumped_at && now - s->dumped_at < (uint64_t)s->clock.length_ns)
		return false;
	s->dumped_at = now;
	return true;
}

bool slices_are_written(const struct slices *s)
{
	return !s->history || !history_is_busy(s->history);
}
