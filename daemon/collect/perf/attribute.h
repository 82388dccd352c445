/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attribute.h - turn samples into words: task, image, offset and stack
 *
 * Every sample ends in exactly one place: a pair of words, or a counter of lost samples [PC-3]. One
 * whose stack needs a table that is being built is held until then.
 */
#ifndef DAEMON_COLLECT_PERF_ATTRIBUTE_H
#define DAEMON_COLLECT_PERF_ATTRIBUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "daemon/collect/perf/emit.h"
#include "daemon/collect/perf/order.h"
#include "daemon/collect/perf/process.h"
#include "daemon/collect/perf/records.h"
#include "daemon/collect/perf/walk.h"
#include "libdb/session/session.h"

/* State of one CPU, kept while it is offline. */
struct perf_cpu_state {
	struct cpu_counts counts;	/* received and lost here, not those lost in the ring */
	uint32_t exiting_tgid, exiting_tid;	/* the last task that exited here */
};

struct perf_cgroups;
struct perf_comms;
struct perf_held;
struct perf_pushed;
struct perf_stacks;

struct perf_attribute {
	struct perf_processes *processes;
	struct perf_cookies *cookies;
	struct perf_emit *emit;
	struct perf_cpu_state *cpus;	/* by CPU */
	unsigned int nr_cpus;
	bool skip_idle;			/* count samples of the idle task, but do not write them */
	bool branch_target;		/* IBS op samples include it */
	struct perf_stacks *stacks;	/* NULL: samples have none */
	struct perf_cgroups *cgroups;	/* NULL: not recorded */
	struct perf_comms *comms;	/* NULL: not wanted */
	struct perf_held *held;		/* NULL: no sample waits for tables */
	struct perf_pushed *pushed;	/* NULL: no BPF program walks stacks */
	uint64_t nr_walked;		/* samples whose stack it found */

	/* cached, valid while processes->generation is the same */
	uint64_t generation;
	uint32_t tgid;
	struct perf_process *process;		/* NULL: unknown */
	const struct perf_mapping *mapping;	/* NULL: none */

	/* of the current sample */
	uint64_t time;
	bool is_uncertain;		/* what is mapped there now was perhaps not at that time */
	struct perf_maps *held_maps;	/* instead of the process's, or NULL */
	struct perf_maps *kept_maps;	/* of the process before /proc was read again, or NULL */
	bool has_read;			/* /proc */
	struct perf_walk walk;
};

/* Write all samples of @order older than @bound, applying the changes between them. */
void perf_attribute_run(struct perf_attribute *a, struct perf_order *order, uint64_t bound);

/*
 * Write the held samples whose tables are built, or that waited too long; or @all of them, with the
 * tables that are there.
 */
void perf_attribute_held(struct perf_attribute *a, bool all);

/* The two parts of perf_attribute_run(). */
void perf_attribute_samples(struct perf_attribute *a, unsigned int cpu,
			    const struct perf_sample *s, size_t nr);
void perf_attribute_change(struct perf_attribute *a, const struct perf_record *r);

#endif
