/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.h - events counted, not sampled: of processes, threads, CPUs, or of all
 *
 * Where more events are asked for than there are counters the kernel lets them take turns; what
 * was counted is then scaled to the whole time, for each thread or CPU by itself, and for how much
 * of its time an event was counted goes along.
 */
#ifndef OPERF_OCOUNT_COUNT_H
#define OPERF_OCOUNT_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "daemon/collect/perf/counters.h"
#include "libutil/error.h"

enum count_mode {
	COUNT_COMMAND,		/* ids[0], which waits, from its exec on, with what it starts */
	COUNT_SYSTEM,		/* every CPU online */
	COUNT_CPUS,		/* CPUs */
	COUNT_PROCESSES,	/* all their threads, with what these start */
	COUNT_THREADS,		/* these, and nothing that they start */
};

struct count_wish {
	enum count_mode mode;
	const unsigned int *ids;	/* of mode's processes, threads or CPUs */
	unsigned int nr_ids;
	bool separate;			/* a row for each thread, or CPU */
	struct perf_counter *counters;	/* lowered as the kernel needs it */
	unsigned int nr_counters;	/* several may be of one event: one for each kind of CPU */
	unsigned int nr_events;		/* numbers of events that counters have */
	const char *proc;		/* "/proc", or a folder like it */
};

/* What was counted of one event since the last look, of all or of one thread or CPU. */
struct count_row {
	unsigned int event;
	int subject;			/* thread or CPU; -1: all */
	uint64_t count;			/* scaled */
	uint64_t enabled_ns, running_ns;	/* of these it is part */
};

struct count;

/* Nothing is counted yet. Failures are told in @e, and leave nothing open. */
int count_open(const struct count_wish *wish, struct count **ret, struct op_error *e);
void count_close(struct count *c);

/* Threads came faster than events could be opened: some may be counted twice. */
bool count_is_unsteady(const struct count *c);

/* Begin; a command's events begin by themselves. */
int count_start(struct count *c, struct op_error *e);
void count_stop(struct count *c);

/*
 * Rows for what happened since the last call, malloc'd: by subject, as they were opened, and of
 * each by event.
 */
struct count_row *count_read(struct count *c, size_t *ret_nr);

/* Share of the time that was counted, in percent; 0 if there was none. */
double count_percent(const struct count_row *row);

#endif
