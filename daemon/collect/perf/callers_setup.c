// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * callers_setup.c - what to ask the kernel for so that there are callers
 *
 * And, while it runs, for how much of each stack. [PC-80] ff.
 */
#include <unistd.h>

#include "daemon/collect/collector.h"
#include "daemon/collect/perf/callers.h"
#include "daemon/collect/perf/clock.h"
#include "daemon/collect/perf/rings.h"
#include "libutil/file.h"

#define MAX_STACK_FILE	"/proc/sys/kernel/perf_event_max_stack"
#define MAX_STACK	127	/* what kernels have that don't say */
#define LISTED_BYTES	512	/* of a record whose user callers are listed, as a rule */

static unsigned int max_addresses(unsigned int depth)
{
	uint64_t most;

	if (file_read_u64(MAX_STACK_FILE, &most) || !most || most > UINT16_MAX)
		most = MAX_STACK;
	return depth + 1 < most ? depth + 1 : (unsigned int)most;	/* the sample's own, too */
}

static unsigned int nr_cpus(void)
{
	long nr = sysconf(_SC_NPROCESSORS_ONLN);

	return nr > 0 ? (unsigned int)nr : 1;
}

/* Those of a list are small: half a second of them, as of samples without callers. */
static size_t ring_bytes(const struct perf_callers *k, uint64_t period_ns)
{
	if (k->copies)
		return perf_copy_ring_bytes(period_ns, nr_cpus(), k->fixed);
	return PERF_RING_BYTES_MIN + NS_PER_SECOND / 2 / (period_ns ? period_ns : 1) * LISTED_BYTES;
}

void perf_callers_open(struct perf_callers *k, const struct collector_config *config,
		       uint64_t period_ns, struct perf_event_setup *setup)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);

	*k = (struct perf_callers){ .depth = (unsigned int)config->callgraph_depth };
	if (!k->depth)
		return;
	k->copies = config->unwind && !config->frame_pointers_only;
	/* events that were handed on to other tasks can't be replaced: they have most at once */
	k->fixed = config->targets;
	k->max_addresses = setup->max_addresses = max_addresses(k->depth);
	if (!config->buffer_words)
		setup->ring_pages = perf_ring_pages(period_ns, ring_bytes(k, period_ns) /
						    sizeof(op_word), page_size);
	if (!k->copies)
		return;
	setup->copy_bytes = k->fixed ? PERF_COPY_BYTES_MAX : PERF_COPY_BYTES;
	setup->copy_period_ns = period_ns;
}

void perf_callers_opened(struct perf_callers *k, const struct collector_config *config,
			 const struct perf_processes *processes,
			 const struct perf_event_setup *setup)
{
	if (!k->copies)
		return;
	perf_tables_init(&k->tables, config->unwind, processes);
	perf_copy_size_init(&k->copy_size, setup->copy_bytes,
			    setup->ring_pages * (size_t)sysconf(_SC_PAGESIZE),
			    setup->copy_period_ns, perf_now());
}

void perf_callers_close(struct perf_callers *k)
{
	if (k->copies)
		perf_tables_free(&k->tables);
	*k = (struct perf_callers){ 0 };
}

void perf_callers_end_drain(struct perf_callers *k, struct perf_rings *rings, uint64_t now)
{
	if (!k->copies)
		return;
	perf_tables_end_drain(&k->tables);
	if (!k->fixed && perf_copy_size_decide(&k->copy_size, perf_rings_lost_records(rings), now))
		(void)perf_rings_copy(rings, k->copy_size.bytes);
}
