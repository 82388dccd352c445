/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_times.h - for how long each event of a session was counted: stats/event-times [SS-50]
 *
 * If more events are asked for than there are counters, they take turns, and each is counted only
 * part of the time. These two times scale its counts to the whole.
 */
#ifndef LIBDB_SESSION_EVENT_TIMES_H
#define LIBDB_SESSION_EVENT_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

#define EVENT_TIMES_FILE	"event-times"	/* below stats/ */
#define EVENT_TIMES_MAX		1024		/* events in one session */

/* One event as its sample files are named. Times in ns, summed over CPUs; running <= enabled. */
struct event_time {
	char name[64];
	uint64_t count, unit_mask;
	uint64_t enabled_ns;		/* the event was wanted */
	uint64_t running_ns;		/* the event was on a counter */
};

struct event_times {
	struct event_time *event;	/* @nr; event_times_free() */
	size_t nr;
};

void event_times_free(struct event_times *times);	/* leaves all zero, which is valid */

/* NULL: unknown, so the event was counted all the time. */
const struct event_time *event_times_find(const struct event_times *times, const char *name,
					  uint64_t count, uint64_t unit_mask);

/* Whether the event was counted for less than 99 % of the time. */
bool event_time_is_partial(const struct event_time *time);

/*
 * Add @more's times to those of the same event, which is created if needed. Events beyond
 * EVENT_TIMES_MAX are ignored; sums saturate.
 */
void event_times_add(struct event_times *times, const struct event_time *more);

int event_times_write(const char *stats_dir, const struct event_times *times);
/* -ENOENT: nothing is known, *ret is empty. -EPROTO, -EFBIG with the reason in @e. */
int event_times_read(const char *stats_dir, struct event_times *ret, struct op_error *e);
/* Parse @text (writable, ends in a NUL), overwriting it. -EPROTO with "@name:line: why" in @e. */
int event_times_parse(char *text, size_t len, const char *name, struct event_times *ret,
		      struct op_error *e);

#endif
