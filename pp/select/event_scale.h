/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_scale.h - scale counts of events that took turns on the counters to the whole time
 *
 * More events than counters take turns, and the session records how long each was counted. A
 * sample file's counts are scaled in the order of its nodes, carrying the rounding error, so that
 * their sum is the scaled sum in every report [ME-1].
 */
#ifndef PP_SELECT_EVENT_SCALE_H
#define PP_SELECT_EVENT_SCALE_H

#include <stdbool.h>
#include <stdint.h>
#include "libdb/session/event_times.h"
#include "libutil/strbuf.h"
#include "pp/select/file_list.h"

/* Of one sample file; running is 0 if nothing is to be scaled. */
struct event_scale {
	uint64_t enabled, running;	/* ns */
	uint64_t sum, scaled;		/* of the counts so far */
};

/* Whether to scale its counts: it was counted, but less than 99 % of the time. */
bool event_is_multiplexed(const struct event_time *t);

/* Append "NAME counted 33 % of the time, its counts are scaled by 3.02"; @t is in @times. */
void event_multiplexed_text(const struct event_times *times, const struct event_time *t,
			    struct strbuf *out);

/* The scale for the counts of @file, before its first one. */
struct event_scale event_scale_start(const struct sample_file *file);

/* Scale the file's next count; saturates. */
uint64_t event_scale_next(struct event_scale *scale, uint64_t count);

#endif
