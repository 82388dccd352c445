// SPDX-License-Identifier: GPL-2.0-or-later
/* stacks.c - choose depth, ring size and copy size for call stacks */
#include "daemon/collect/perf/stacks.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "daemon/collect/collector.h"
#include "daemon/collect/perf/clock.h"
#include "daemon/collect/perf/events.h"
#include "libutil/cpus.h"
#include "libutil/file.h"

#define MAX_STACK_FILE	"/proc/sys/kernel/perf_event_max_stack"
#define MAX_STACK	127	/* of kernels without that file */
#define MEMORY_SHARE	128	/* of the machine's memory, for rings above RING_BYTES_ALWAYS */
#define RING_BYTES_ALWAYS ((size_t)2 << 20)
#define LISTED_BYTES	512	/* typical size of a record with listed user frames */

static unsigned int max_addresses(unsigned int depth)
{
	uint64_t most;

	if (file_read_u64(MAX_STACK_FILE, &most) || !most || most > UINT16_MAX)
		most = MAX_STACK;
	return depth + 1 < most ? depth + 1 : (unsigned int)most;	/* with the sample's own */
}

/* A small machine has other uses for its memory. */
static size_t within_memory(size_t bytes)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	while (bytes > RING_BYTES_ALWAYS && bytes * nr_cpus_online() > memory / MEMORY_SHARE)
		bytes /= 2;
	return bytes;
}

/* Listed stacks are small: room for half a second of them, as for samples without stacks. */
static size_t ring_bytes(const struct perf_stacks *k, uint64_t period_ns)
{
	size_t bytes = perf_copy_ring_bytes(period_ns, nr_cpus_online(), k->fixed);

	if (k->copies)
		return k->fixed ? bytes : within_memory(bytes);
	return PERF_RING_BYTES_MIN + NS_PER_SECOND / 2 / (period_ns ? period_ns : 1) * LISTED_BYTES;
}

void perf_stacks_open(struct perf_stacks *k, const struct collector_config *config,
		      uint64_t period_ns, struct perf_event_setup *setup)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);

	*k = (struct perf_stacks){ .depth = (unsigned int)config->callgraph_depth };
	if (!k->depth)
		return;
	k->copies = config->unwind && !config->frame_pointers_only;
	/* events inherited by other tasks cannot be replaced: they get the largest size at once */
	k->fixed = config->targets;
	k->max_addresses = setup->max_addresses = max_addresses(k->depth);
	if (!config->buffer_words)
		setup->ring_pages = perf_ring_pages(period_ns, ring_bytes(k, period_ns) /
						    sizeof(op_word), page_size);
	if (!k->copies)
		return;
	setup->copy_bytes = PERF_COPY_BYTES_MAX;
	setup->copy_period_ns = period_ns;
}

void perf_stacks_opened(struct perf_stacks *k, const struct collector_config *config,
			 const struct perf_processes *processes,
			 const struct perf_event_setup *setup)
{
	if (!k->copies)
		return;
	perf_tables_init(&k->tables, config->unwind, config->registered, processes);
	perf_copy_size_init(&k->copy_size, setup->copy_bytes,
			    setup->ring_pages * (size_t)sysconf(_SC_PAGESIZE),
			    setup->copy_period_ns, perf_now());
}

void perf_stacks_close(struct perf_stacks *k)
{
	if (k->copies)
		perf_tables_free(&k->tables);
	*k = (struct perf_stacks){ 0 };
}

void perf_stacks_wait(struct perf_stacks *k, int ms)
{
	struct pollfd built = { .fd = unwind_cache_fd(k->tables.cache), .events = POLLIN };

	(void)poll(&built, 1, ms);
	unwind_cache_seen(k->tables.cache);
}

uint32_t perf_stacks_end_drain(struct perf_stacks *k, uint64_t lost, uint64_t now)
{
	if (!k->copies)
		return 0;
	perf_tables_end_drain(&k->tables);
	if (k->fixed || !perf_copy_size_decide(&k->copy_size, lost, now))
		return 0;
	return k->copy_size.bytes;
}

/* With tables the list has kernel frames only, fewer than any limit. [PC-80] */
void perf_stacks_note(const struct perf_stacks *k, char *note, size_t size)
{
	note[0] = '\0';
	if (k->depth && !k->copies && k->max_addresses <= k->depth)
		snprintf(note, size, "call stacks are truncated to %u callers instead of %u; "
			 "raise kernel.perf_event_max_stack", k->max_addresses - 1, k->depth);
}
