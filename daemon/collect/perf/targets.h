/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * targets.h - the threads of the sampled processes, each of them once
 *
 * Events are opened for one thread after another while the process runs. Threads started meanwhile
 * inherit none, some or all of their parent's events, and there is no way to find out which
 * [PC-72]. So each gets events of its own, and samples by inherited events are recognized by the
 * event's id and dropped: no sample is missed and none is counted twice.
 */
#ifndef DAEMON_COLLECT_PERF_TARGETS_H
#define DAEMON_COLLECT_PERF_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "daemon/collect/collector.h"
#include "daemon/collect/perf/events.h"
#include "daemon/collect/perf/records.h"
#include "libutil/error.h"

/* A thread with several sets of events; only those of @task count. */
struct perf_late {
	uint32_t tid;
	unsigned int task;
	uint64_t exited;		/* number of the reading of the rings; 0: alive */
};

struct perf_targets {
	const struct collector_targets *wanted;	/* not owned */
	const char *proc;
	pid_t *tasks;			/* threads with events of their own, in order of opening */
	unsigned int nr_tasks;
	size_t room_tasks;
	pid_t *before;			/* threads that existed before any event */
	size_t nr_before, room_before;
	struct perf_late *late;		/* threads started meanwhile, by tid; mostly none */
	size_t nr_late, room_late;
	uint64_t reading;		/* number of the current reading of the rings */
};

/*
 * List the existing threads, and configure @setup to open the rings for the first one. @wanted and
 * @proc ("/proc", or a folder like it) must outlive @t. -ESRCH, with @e: no such process.
 */
int perf_targets_init(struct perf_targets *t, const struct collector_targets *wanted,
		      const char *proc, struct perf_event_setup *setup, struct op_error *e);
void perf_targets_free(struct perf_targets *t);

/*
 * The threads of @pid that have no events yet: *ret_nr of them, malloc'd even on failure. -ESRCH:
 * no such process.
 */
int perf_targets_new_threads(const struct perf_targets *t, pid_t pid, pid_t **ret, size_t *ret_nr);
void perf_targets_opened(struct perf_targets *t, pid_t tid);	/* @tid has events now */

/*
 * Call before the rings are read; then, if there are late threads, pass all forks in the rings to
 * perf_targets_fork(). A thread's samples on one CPU may be read before the record of its start on
 * another, but are not older.
 */
void perf_targets_begin_reading(struct perf_targets *t);
void perf_targets_fork(struct perf_targets *t, uint32_t tid, uint32_t parent_tid);
/* Its last samples may come until the rings have been read once more. */
void perf_targets_exit(struct perf_targets *t, uint32_t tid);

bool perf_targets_search(const struct perf_targets *t, uint32_t tid, unsigned int task);

/* Whether a sample of @tid by the event of @task is also counted by another task's event. */
static inline bool perf_targets_is_duplicate(const struct perf_targets *t, uint32_t tid,
					  unsigned int task)
{
	return t->nr_late && perf_targets_search(t, tid, task);
}

#endif
