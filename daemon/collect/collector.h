/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collector.h - where samples come from: the kernel module or perf_event_open(2), without or with
 * BPF
 *
 * All deliver words of the event buffer (op_abi.h), which daemon/record/trans.c decodes, and
 * resolve the cookies in them. So everything behind a collector is shared, and a recorded stream
 * can be replayed.
 *
 * Order of calls: open (set up, nothing counts yet), then start/stop any number of times, then
 * close. One thread; nothing here is async-signal-safe. All return 0 or -errno and set @e.
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

#define COLLECTOR_COUNTERS_MAX 32	/* counter numbers are below this */

/*
 * One event for one counter. On machines with several types of CPU, events of different PMUs with
 * the same name, count and unit mask share a counter number and so their samples.
 */
struct collector_event {
	const char *name;		/* for messages; NULL: none */
	uint64_t code, count, unit_mask;	/* @count: events per sample */
	uint32_t extra;			/* EXTRA_* bits: events/table/table.h */
	unsigned int counter;		/* number in its samples; by time: 0 */
	bool kernel, user;		/* which modes to sample */
	const char *pmu;		/* "cpu_atom"; "" or NULL: all CPUs */
};

struct ibs_config;			/* instruction-based sampling: ibs.h */
struct bpf_walker;			/* a BPF program that walks stacks: bpf/walker.h */
struct unwind_cache;			/* unwind tables by build-id: unwind/cache.h */
struct registered;			/* code made at run time: registered/registered.h */

/* What to sample instead of the whole machine: the perf collector only. */
struct collector_targets {
	const pid_t *pids;		/* processes, and those that they start from now on */
	unsigned int nr;
	bool on_exec;			/* the only process waits; sample it from its exec on */
};

/* What it points to must not change from open() to close(). */
struct collector_config {
	/*
	 * NULL or "timer": by time; events[0] has count (cycles of the clock), kernel and user.
	 * Else OProfile's name of the CPU type that the events are of.
	 */
	const char *cpu_type;
	const struct collector_event *events;
	unsigned int nr_events;		/* 0: with @ibs only */
	const struct ibs_config *ibs;	/* NULL: none */
	const struct collector_targets *targets;	/* NULL: the whole machine */
	uint64_t clock_khz;		/* nominal clock, to convert cycles to time */
	size_t buffer_words;		/* perf: room per CPU, in words; 0: choose */
	int callgraph_depth;		/* most callers, to OP_STACK_DEPTH_MAX; 0: off */
	bool frame_pointers_only;	/* no unwind tables: stacks by frame pointers */
	bool idle;			/* perf: sample the idle task [PC-6]; module: "idle" */
	bool cgroups;			/* write OP_CGROUP if possible */
	bool comms;			/* write OP_COMM if possible */
	/*
	 * Tables for a collector that walks user stacks itself; one with unwind_table() does not
	 * use it. NULL: as frame_pointers_only, or no stacks.
	 */
	struct unwind_cache *unwind;
	struct bpf_walker *walker;	/* bpf: loaded; NULL: no stacks by tables */
	/* Tables for code made at run time, if it uses @unwind. NULL: such code has none. */
	struct registered *registered;
};

/* Whether samples are taken by time rather than by counters. */
static inline bool collects_by_time(const struct collector_config *config)
{
	return !config->cpu_type || !strcmp(config->cpu_type, "timer");
}

/* Receives @nr words, which may end anywhere: the decoder keeps its state. */
typedef void words_fn(void *context, const op_word *words, size_t nr);

struct collector_status {
	char model[32];			/* what makes the samples: "timer", "intel", "perf" */
	char cpu_type[48];		/* whose events are counted; "timer" by time */
	uint64_t period_ns;		/* effective, by time; else 0 */
	uint64_t clock_khz;		/* clock used for that; 0: as configured */
	uint64_t ring_bytes;		/* perf: that the kernel wrote to open rings */
	uint64_t nr_walked;		/* samples whose stack the BPF program found */
	uint32_t copy_bytes;		/* most bytes copied of a user stack; 0: none */
	/* Of the thread that empties rings before they are read, or priority "" and 0. */
	char drain_priority[16];	/* priority_name() */
	uint64_t wait_longest_ns;	/* it ran late by so much; */
	uint64_t wait_most_ns;		/* in 99.9 % of the cases by at most that */
	uint64_t queues_full;		/* times that what it had emptied was not read in time */
	char note[256];			/* how it differs from what was asked for, or "" */
};

struct collector {
	/* "module", "perf" or, from its open() with a walker on, "bpf": as in session_info */
	const char *name;

	int (*open)(struct collector *c, const struct collector_config *config, struct op_error *e);
	void (*close)(struct collector *c);

	int (*start)(struct collector *c, struct op_error *e);
	/* Samples already taken stay readable. */
	int (*stop)(struct collector *c, struct op_error *e);

	/* Descriptor that is readable when samples wait. */
	int (*poll_fd)(struct collector *c);
	/*
	 * Pass everything readable to @words. @flush: everything sampled before this call,
	 * including samples in per-CPU buffers.
	 */
	int (*drain)(struct collector *c, bool flush, words_fn *words, void *context,
		     struct op_error *e);

	/* Path of a cookie, malloc'd; a " (deleted)" ending is removed. -ENOENT. */
	int (*cookie_path)(struct collector *c, op_word cookie, char **ret_path);
	/* A descriptor of exactly that file; the caller closes it. -ENOENT, -ESTALE. */
	int (*cookie_fd)(struct collector *c, op_word cookie);
	/* Build-id if the kernel reported it; -ENODATA: read it through cookie_fd. */
	int (*cookie_build_id)(struct collector *c, op_word cookie, unsigned char *id, size_t *len);

	/* Path of the control group of OP_CGROUP's @id, malloc'd. -ENOENT. NULL: not supported. */
	int (*cgroup_path)(struct collector *c, uint64_t id, char **ret_path);

	/*
	 * Pass on the unwind table (unwind/walk.h) of @cookie's image, which OP_WANT_TABLE
	 * requested; @blob is copied. @same_as: OP_NO_COOKIE, or a cookie whose table was accepted
	 * before and is shared; then @blob is not used. -ENOSPC: no room for more tables;
	 * -EINVAL: rejected; -ENOENT: unknown cookie. NULL: this collector uses none.
	 */
	int (*unwind_table)(struct collector *c, op_word cookie, op_word same_as,
			    const void *blob, size_t len);

	/*
	 * Add the samples received and lost per CPU since open to @counts. Samples that reached
	 * @words are in received and in none of the lost[] here.
	 */
	int (*counts)(struct collector *c, struct session_counts *counts);
	/*
	 * How long the events of @counter were enabled since open and how long they counted, which
	 * is less if events took turns. Both in ns, summed over CPUs. -ENODATA: unknown (always by
	 * time).
	 */
	int (*event_times)(struct collector *c, unsigned int counter, uint64_t *ret_enabled_ns,
			   uint64_t *ret_running_ns);
	/* Interrupts skipped for the events of @counter since open. NULL: not known per event. */
	uint64_t (*throttled)(struct collector *c, unsigned int counter);
	void (*status)(struct collector *c, struct collector_status *ret);
};

struct collector *collector_device(void);	/* the module, through /dev/oprofile */
struct collector *collector_perf(void);		/* perf_event_open(2); one in a process */

#endif
