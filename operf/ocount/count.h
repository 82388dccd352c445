/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.h - count events of processes, threads, CPUs or the machine, without sampling
 *
 * If there are more events than counters, the kernel lets them take turns. Counts are then scaled
 * to the whole time, separately for each thread or CPU, and reported with the share of the time
 * that the event was counted.
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
	COUNT_COMMAND,		/* ids[0], from its exec on, and its children */
	COUNT_SYSTEM,		/* all online CPUs */
	COUNT_CPUS,		/* the CPUs in ids */
	COUNT_PROCESSES,	/* all their threads, and children of these */
	COUNT_THREADS,		/* only these threads, not their children */
};

struct count_request {
	enum count_mode mode;
	const unsigned int *ids;	/* processes, threads or CPUs, by mode */
	unsigned int nr_ids;
	bool separate;			/* a row for each thread or CPU */
	struct perf_counter *counters;	/* changed to what the kernel accepts */
	unsigned int nr_counters;	/* an event has one for each kind of CPU */
	unsigned int nr_events;		/* perf_counter.counter is less than this */
	const char *proc;		/* "/proc"; tests use another folder */
};

/* Counts of one event since the last count_read(), in total or of one thread or CPU. */
struct count_row {
	unsigned int event;
	int subject;			/* thread or CPU; -1: all */
	uint64_t count;			/* scaled */
	uint64_t enabled_ns, running_ns;	/* time that it was requested, and counted */
};

struct count;

/* Open the events without starting them. Leaves nothing open on failure. */
int count_open(const struct count_request *request, struct count **ret, struct op_error *e);
void count_close(struct count *c);

/* Threads started faster than events could be opened, so some may be counted twice. */
bool count_is_unsteady(const struct count *c);

/* Start counting; the events of a command start at its exec. */
int count_start(struct count *c, struct op_error *e);
void count_stop(struct count *c);

/*
 * Rows since the last call, malloc'd, in order of subjects (as opened), then of events.
 */
struct count_row *count_read(struct count *c, size_t *ret_nr);

/* Share of the time that the event was counted, in percent; 0 if never. */
double count_percent(const struct count_row *row);

#endif
