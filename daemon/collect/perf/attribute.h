/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attribute.h - turn samples into words: whose it is, which image, where in it
 *
 * Every sample ends in exactly one place, a pair of words or a counter of lost ones [PC-3].
 */
#ifndef DAEMON_COLLECT_PERF_ATTRIBUTE_H
#define DAEMON_COLLECT_PERF_ATTRIBUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "daemon/collect/perf/emit.h"
#include "daemon/collect/perf/process.h"
#include "daemon/collect/perf/records.h"
#include "libdb/session/session.h"

/* What is known of one CPU for good, also while it's offline. */
struct perf_cpu_state {
	struct cpu_counts counts;	/* received and lost here; those lost in the ring not yet */
	uint32_t exiting_tgid, exiting_tid;	/* the last one that exited here */
};

struct perf_callers;

struct perf_attribute {
	struct perf_processes *processes;
	struct perf_cookies *cookies;
	struct perf_emit *emit;
	struct perf_cpu_state *cpus;	/* by CPU */
	unsigned int nr_cpus;
	bool branch_target;		/* IBS's op samples have it */
	struct perf_callers *callers;	/* callers.h; NULL: samples go without */
	struct perf_cgroups *cgroups;	/* cgroups.h; NULL: no such records are asked for */
	struct perf_comms *comms;	/* comms.h; NULL: names are of no use */

	/* the last answers, good while processes->generation is the same */
	uint64_t generation;
	uint32_t tgid;
	struct perf_process *process;		/* NULL: unknown */
	const struct perf_mapping *mapping;	/* NULL: none */
};

/* Both are given to perf_order_run(); @context is a struct perf_attribute. */
void perf_attribute_samples(void *context, unsigned int cpu, const struct perf_sample *s,
			    size_t nr);
void perf_attribute_change(void *context, const struct perf_record *r);

/*
 * The mapping of the process of the sample at hand that @pc lies in; NULL if there is none, even
 * after a look into /proc. Good until the next call.
 */
const struct perf_mapping *perf_attribute_find(struct perf_attribute *a, uint64_t pc);
/* Write @pc, in @m or at its end. False: there is no word for its offset, and nothing was. */
bool perf_attribute_emit(struct perf_attribute *a, const struct perf_mapping *m, uint64_t pc);

#endif
