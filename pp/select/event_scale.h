/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_scale.h - counts of events that took turns on the counters, as if each had counted always
 *
 * More events than counters are counted by turns, and the session says how long each was counted.
 * A sample file's counts are scaled in the order of its nodes, carrying what was rounded, so that
 * their sum is the scaled sum whichever report adds them up [ME-1].
 */
#ifndef PP_SELECT_EVENT_SCALE_H
#define PP_SELECT_EVENT_SCALE_H

#include <stdbool.h>
#include <stdint.h>
#include "libdb/session/event_times.h"
#include "libutil/strbuf.h"
#include "pp/select/file_list.h"

/* Of one sample file; running is 0 where nothing is to be scaled. */
struct event_scale {
	uint64_t enabled, running;	/* ns */
	uint64_t sum, scaled;		/* of the counts so far */
};

/* Are its counts to be scaled: was it counted, but less than 99 % of the time? */
bool event_is_multiplexed(const struct event_time *t);

/* "NAME counted 33 % of the time, its counts are scaled by 3.02", of one of @times. */
void event_multiplexed_text(const struct event_times *times, const struct event_time *t,
			    struct strbuf *out);

/* Where to begin with the counts of @file. */
struct event_scale event_scale_start(const struct sample_file *file);

/* The file's next count, scaled. Saturates. */
uint64_t event_scale_next(struct event_scale *scale, uint64_t count);

#endif
