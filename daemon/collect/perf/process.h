/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process.h - the processes of the machine, as the records tell of them
 *
 * Fed with changes in order of time (order.h), it says at each moment which image lies at
 * a process' address, and which program the process runs. What was there before
 * the records is read from /proc, and so is what turns out to be missing [PC-30 ff].
 */
#ifndef DAEMON_COLLECT_PERF_PROCESS_H
#define DAEMON_COLLECT_PERF_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include "daemon/collect/perf/cookies.h"
#include "daemon/collect/perf/maps.h"
#include "daemon/collect/perf/records.h"
#include "libutil/list.h"

struct perf_process {
	uint32_t tgid, parent_tgid;
	struct perf_maps *maps;		/* NULL: none, or not known */
	struct perf_image *program;	/* what it executes; NULL: a kernel thread, or not known */
	bool wants_program;		/* after exec: the first file mapped is it */
	bool known;			/* maps are complete: from /proc, a known parent or exec */
	uint64_t read_at;		/* when /proc was read: older changes are in it; 0 never */
	uint64_t retry_at;		/* no sooner look again for what wasn't there */
	size_t read_again_at_nr;	/* so many mappings: time to ask which are stale */
	struct list_head exited;	/* in processes.exited; empty: alive */
	uint64_t exited_at;		/* or when last found to be there still */
	struct perf_process *next;	/* in its bucket */
};

struct perf_processes {
	struct perf_cookies *cookies;	/* not owned */
	const char *proc;		/* "/proc", or a folder like it */
	uint64_t generation;		/* moves whenever a process' maps or program change */
	struct perf_process **buckets;
	size_t nr_buckets, nr;
	struct list_head exited;	/* oldest first */
	uint64_t reads, reads_left;	/* of /proc: done, and still allowed in this drain */
};

/* @proc must stay. */
void perf_processes_init(struct perf_processes *p, struct perf_cookies *cookies, const char *proc);
void perf_processes_free(struct perf_processes *p);

/* Or NULL. */
struct perf_process *perf_process_find(const struct perf_processes *p, uint32_t tgid);

static inline bool perf_process_has_exited(const struct perf_process *q)
{
	return !list_empty(&q->exited);
}

/* A change: MMAP, EXEC, FORK or EXIT. Others are ignored. */
void perf_processes_change(struct perf_processes *p, const struct perf_record *r);

/* Read all of /proc. 0, or -errno if it can't be listed; who vanishes meanwhile is left out. */
int perf_processes_read_all(struct perf_processes *p);

/*
 * Read one process anew, which is made if new. -ESRCH: it's gone. -EAGAIN: it was read too recently
 * or too much was read in this drain.
 */
int perf_process_read_again(struct perf_processes *p, uint32_t tgid);

/* @now: the bound up to which all was handed over. Forget those long gone; allow new re-reads. */
void perf_processes_tick(struct perf_processes *p, uint64_t now);

#endif
