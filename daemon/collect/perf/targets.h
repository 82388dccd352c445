/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * targets.h - the threads of the processes to be sampled, all of them and each once
 *
 * Events are opened for one thread after the other while the process goes on, and a thread hands
 * them to those that it starts. So one that is started meanwhile may have none, all, or a part of
 * its starter's, and nobody can tell [PC-72]. It gets its own in any case, and what it inherited
 * is left out by the event's number: no sample is missed and none is counted twice.
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

struct perf_rings;

/* A thread whose samples are those of one task's events and of no other's. */
struct perf_late {
	uint32_t tid;
	unsigned int task;
	uint64_t exited;		/* in which reading of the rings; 0: it lives */
};

struct perf_targets {
	const struct collector_targets *wanted;	/* not owned */
	const char *proc;
	pid_t *tasks;			/* threads with events of their own, as they were opened */
	unsigned int nr_tasks;
	size_t room_tasks;
	pid_t *before;			/* threads there were before any event was */
	size_t nr_before, room_before;
	struct perf_late *late;		/* of others, by tid; almost always none */
	size_t nr_late, room_late;
	uint64_t reading;		/* of the rings: its number */
};

/*
 * See which threads there are, and have @setup open the rings for the first. @wanted and @proc
 * ("/proc", or a folder like it) must stay. -ESRCH: a process isn't there; failures are told in @e.
 */
int perf_targets_init(struct perf_targets *t, const struct collector_targets *wanted,
		      const char *proc, struct perf_event_setup *setup, struct op_error *e);
void perf_targets_free(struct perf_targets *t);

/*
 * Open events for all other threads, till no new one is found. Failures are told in @e; that
 * threads end meanwhile is none.
 */
int perf_targets_open(struct perf_targets *t, struct perf_rings *r, struct op_error *e);

/*
 * Before what lies in the rings is read: look for threads that were started. A thread's samples on
 * one CPU may be read before the record of its start on another, but not be older than that.
 */
void perf_targets_foresee(struct perf_targets *t, const struct perf_rings *r);
void perf_targets_fork(struct perf_targets *t, uint32_t tid, uint32_t parent_tid);
/* Its last samples may still come, until the rings have been read once more. */
void perf_targets_exit(struct perf_targets *t, uint32_t tid);

bool perf_targets_search(const struct perf_targets *t, uint32_t tid, unsigned int task);

/* Whether a sample of @tid by the event of @task is in another task's events, too. */
static inline bool perf_targets_is_double(const struct perf_targets *t, uint32_t tid,
					  unsigned int task)
{
	return t->nr_late && perf_targets_search(t, tid, task);
}

#endif
