/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_times.h - for how long each event of a session was counted: stats/event-times [SS-50]
 *
 * Where more events are asked for than there are counters, they take turns, and each was counted
 * for a part of the time only. By these two times its counts can be scaled to the whole.
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
	uint64_t enabled_ns;		/* it was to be counted, */
	uint64_t running_ns;		/* and it was */
};

struct event_times {
	struct event_time *event;	/* @nr, the owner's: event_times_free() */
	size_t nr;
};

void event_times_free(struct event_times *times);	/* all zero is fine, and is what's left */

/* NULL: nothing is known of it, so it was counted all the time. */
const struct event_time *event_times_find(const struct event_times *times, const char *name,
					  uint64_t count, uint64_t unit_mask);

/* Whether it was counted for less than 99 % of the time. */
bool event_time_is_partial(const struct event_time *time);

/*
 * Add @more's times to those of the same event, which is made if need be. Nothing happens beyond
 * EVENT_TIMES_MAX events; sums stay at the greatest number.
 */
void event_times_add(struct event_times *times, const struct event_time *more);

int event_times_write(const char *stats_dir, const struct event_times *times);
/* -ENOENT: nothing is known, *ret is empty. The caller frees it. -EPROTO, -EFBIG: in @e. */
int event_times_read(const char *stats_dir, struct event_times *ret, struct op_error *e);
/* Parse @text (writable, ends in a NUL), spoiling it. -EPROTO with "@name:line: why" in @e. */
int event_times_parse(char *text, size_t len, const char *name, struct event_times *ret,
		      struct op_error *e);

#endif
