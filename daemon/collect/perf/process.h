/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process.h - the processes of the machine according to perf's records
 *
 * Given changes in order of time (order.h), it has the images and the program of each process at
 * that time. The state before the first record is read from /proc, and so is what turns out to be
 * missing [PC-30 ff].
 */
#ifndef DAEMON_COLLECT_PERF_PROCESS_H
#define DAEMON_COLLECT_PERF_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include "daemon/collect/perf/cookies.h"
#include "daemon/collect/perf/maps.h"
#include "daemon/collect/perf/records.h"
#include "libutil/list.h"

/* The outermost frame of the main thread, as a complete stack had it since the last exec. */
struct perf_entry {
	uint64_t sp;			/* where the frame is */
	uint64_t address;		/* as of a caller; 0: unknown */
};

struct perf_process {
	uint32_t tgid, parent_tgid;
	struct perf_maps *maps;		/* NULL: none or unknown */
	struct perf_image *program;	/* NULL: a kernel thread, or unknown */
	bool wants_program;		/* after exec: the first file mapped is the program */
	struct perf_entry entry;
	uint64_t pushed;		/* serial of its mappings in pushed.h; 0: none */
	uint64_t program_since;		/* the program is certain for samples since then */
	uint64_t memory_since;		/* its last fork or exec, as far as known; 0: unknown */
	bool known;			/* maps are complete: from /proc, a known parent or exec */
	uint64_t known_at;		/* the time when they were */
	bool is_gone;			/* /proc had nothing to read when it was last tried */
	uint64_t read_at;		/* when /proc was read, with older changes; 0: never */
	uint64_t retry_at;		/* do not read /proc again before */
	size_t read_again_at_nr;	/* read /proc at that many mappings to drop stale ones */
	struct list_head exited;	/* in processes.exited; empty: alive */
	uint64_t exited_at;		/* or when it was last found to still exist */
	struct perf_process *next;	/* in its bucket */
};

struct perf_processes {
	struct perf_cookies *cookies;	/* not owned */
	const char *proc;		/* "/proc", or a folder like it */
	uint64_t gap_at;		/* when changes were last found missing; 0: never */
	struct perf_build_ids *build_ids;	/* of files that /proc lists */
	uint64_t generation;		/* changes with any process's maps or program */
	struct perf_process **buckets;
	size_t nr_buckets, nr;
	struct list_head exited;	/* oldest first */
	uint64_t reads, reads_left;	/* of /proc: total, and allowed in this drain */
};

/* @proc must stay. */
void perf_processes_init(struct perf_processes *p, struct perf_cookies *cookies, const char *proc);
void perf_processes_free(struct perf_processes *p);

/* NULL: unknown. */
struct perf_process *perf_process_find(const struct perf_processes *p, uint32_t tgid);

static inline bool perf_process_has_exited(const struct perf_process *q)
{
	return !list_empty(&q->exited);
}

/*
 * Changes were lost since the process was last completely known: its mappings are not to be used
 * before it is read again.
 */
static inline bool perf_process_is_stale(const struct perf_processes *p,
					 const struct perf_process *q)
{
	return q->known_at < p->gap_at;
}

/* A change: MMAP, EXEC, FORK or EXIT; LOST: some are missing from here on. Others are ignored. */
void perf_processes_change(struct perf_processes *p, const struct perf_record *r);

/* Read all of /proc. 0, or -errno if it cannot be listed. Skips processes that end meanwhile. */
int perf_processes_read_all(struct perf_processes *p);

/*
 * Read one process again, or for the first time. -ESRCH: it is gone. -EAGAIN: it was read too
 * recently, too many were read in this drain, or it does not let itself be read. If changes are
 * missing, what differs from before is only certain from now on.
 */
int perf_process_read_again(struct perf_processes *p, uint32_t tgid);

/* Free processes that ended a while ago and allow new reads. @now: the bound of this drain. */
void perf_processes_tick(struct perf_processes *p, uint64_t now);

#endif
