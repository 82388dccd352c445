/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collector.h - where samples come from: the kernel module or perf_event_open(2)
 *
 * Both hand the daemon the same thing: words of the event buffer (op_abi.h), to be decoded by
 * daemon/record/trans.c, and answers about the cookies in them. So everything behind a collector
 * is the same code, and a recorded stream can be replayed through it.
 *
 * Life: open (set up, nothing counts yet), then start/stop any number of times, then close.
 * One thread; nothing here is async-signal-safe. All return 0 or -errno and explain in @e.
 */
#ifndef DAEMON_COLLECT_COLLECTOR_H
#define DAEMON_COLLECT_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include "libdb/session/session.h"
#include "libutil/error.h"
#include "oprofilefs/op_abi.h"

#define COLLECTOR_COUNTERS_MAX 32	/* numbers of counters lie below that */

/*
 * One event for one counter. On machines with several kinds of CPU the events of several PMUs
 * share a counter number when name, count and unit mask are the same: so do their samples.
 */
struct collector_event {
	const char *name;		/* for messages; NULL: none */
	uint64_t code, count, unit_mask;	/* @count: events per sample */
	uint32_t extra;			/* EXTRA_* bits: events/table/table.h */
	unsigned int counter;		/* that its samples carry; by time: 0 */
	bool kernel, user;		/* which side to sample */
	const char *pmu;		/* "cpu_atom"; "" or NULL: that of all CPUs */
};

struct ibs_config;			/* instruction-based sampling: ibs.h */
struct unwind_cache;			/* unwind tables by build-id: unwind/cache.h */

/* Whom to sample, where that is not the whole machine: the perf collector only. */
struct collector_targets {
	const pid_t *pids;		/* processes, with what they start from now on */
	unsigned int nr;
	bool on_exec;			/* the only one waits, and is sampled from its exec on */
};

/* What it points to stays as it is from open() to close(). */
struct collector_config {
	/*
	 * NULL or "timer": by time, of which events[0] tells count (cycles of the clock), kernel
	 * and user. Else OProfile's name for the CPU whose events these are.
	 */
	const char *cpu_type;
	const struct collector_event *events;
	unsigned int nr_events;		/* 0: with @ibs only */
	const struct ibs_config *ibs;	/* NULL: none */
	const struct collector_targets *targets;	/* NULL: the whole machine */
	uint64_t clock_khz;		/* nominal clock, to turn cycles into time */
	size_t buffer_words;		/* perf: room per CPU, in words; 0 = choose */
	int callgraph_depth;		/* callers of a sample, to OP_STACK_DEPTH_MAX; 0 = off */
	bool frame_pointers_only;	/* no unwind tables: stacks by frame pointers */
	bool cgroups;			/* OP_CGROUP is wanted, if it can be had */
	bool comms;			/* the same of OP_COMM */
	/*
	 * Where a collector that walks user stacks itself has tables from; one that is told them
	 * through unwind_table() leaves it alone. NULL: as frame_pointers_only, or no stacks.
	 */
	struct unwind_cache *unwind;
};

/* Whether time is sampled rather than what a CPU counts. */
static inline bool collects_by_time(const struct collector_config *config)
{
	return !config->cpu_type || !strcmp(config->cpu_type, "timer");
}

/* Takes @nr words; they may end anywhere, the decoder keeps its state. */
typedef void words_fn(void *context, const op_word *words, size_t nr);

struct collector_status {
	char model[32];			/* what makes the samples: "timer", "intel", "perf" */
	char cpu_type[48];		/* whose events are counted; "timer" by time */
	uint64_t period_ns;		/* effective, by time; else 0 */
	uint64_t clock_khz;		/* by which a count became that; 0: as configured */
	uint32_t copy_bytes;		/* of each user stack at most; 0: none is copied */
	char note[256];			/* what could not be had as asked for, or "" */
};

struct collector {
	const char *name;		/* "module", "perf": --collector= and session_info */

	int (*open)(struct collector *c, const struct collector_config *config, struct op_error *e);
	void (*close)(struct collector *c);

	int (*start)(struct collector *c, struct op_error *e);
	/* Samples already taken stay readable. */
	int (*stop)(struct collector *c, struct op_error *e);

	/* Descriptor that poll() finds readable when samples wait. */
	int (*poll_fd)(struct collector *c);
	/*
	 * Hand everything readable to @words. @flush: everything sampled before this call,
	 * also what still lies in per-CPU buffers; returns when it has been handed over.
	 */
	int (*drain)(struct collector *c, bool flush, words_fn *words, void *context,
		     struct op_error *e);

	/* Path of a cookie, malloc'd; a " (deleted)" ending is removed. -ENOENT. */
	int (*cookie_path)(struct collector *c, op_word cookie, char **ret_path);
	/* A descriptor of that very file, the caller's to close(). -ENOENT, -ESTALE. */
	int (*cookie_fd)(struct collector *c, op_word cookie);
	/* Build-id if the kernel told it with the mapping; -ENODATA: read it through cookie_fd. */
	int (*cookie_build_id)(struct collector *c, op_word cookie, unsigned char *id, size_t *len);

	/* Path of the control group of OP_CGROUP's @id, malloc'd. -ENOENT. NULL: knows of none. */
	int (*cgroup_path)(struct collector *c, uint64_t id, char **ret_path);

	/*
	 * Hand down the unwind table (unwind/walk.h) of @cookie's image, which OP_WANT_TABLE asked
	 * for: @blob is copied. @same_as, if not OP_NO_COOKIE, is a cookie with the same table
	 * that was taken before; @blob is not looked at then. -ENOSPC: no room for more tables;
	 * -EINVAL: refused; -ENOENT: no such cookie. NULL: this collector wants none.
	 */
	int (*unwind_table)(struct collector *c, op_word cookie, op_word same_as,
			    const void *blob, size_t len);

	/*
	 * Add what was received and lost before the words, per CPU, to @counts: the sums since
	 * open. Samples that reached @words are not in any lost[] here, but are in received.
	 */
	int (*counts)(struct collector *c, struct session_counts *counts);
	/*
	 * How long the events of @counter were to be counted since open, and how long they were:
	 * less where they took turns with others. Both in ns, summed over CPUs. -ENODATA: that is
	 * not known (always by time).
	 */
	int (*event_times)(struct collector *c, unsigned int counter, uint64_t *ret_enabled_ns,
			   uint64_t *ret_running_ns);
	/* Interrupts skipped of the events of @counter, since open. NULL: not known by event. */
	uint64_t (*throttled)(struct collector *c, unsigned int counter);
	void (*status)(struct collector *c, struct collector_status *ret);
};

struct collector *collector_device(void);	/* the module, through /dev/oprofile */
struct collector *collector_perf(void);		/* perf_event_open(2) */

#endif
