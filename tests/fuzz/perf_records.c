// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_records.c - bytes taken for a perf ring, through all that handles them
 *
 * The first two bytes say where in the ring it starts, whether op samples have a branch target,
 * and whether samples have callers, listed or to be found on a copied stack; the rest is what
 * waits in it. Whatever it holds, each sample that was parsed must end as a pair of words, as a
 * note of IBS or as a loss, and each stack must end.
 */
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/collect/perf/attribute.h"
#include "daemon/collect/perf/ibs.h"
#include "daemon/collect/perf/order.h"
#include "daemon/collect/perf/ring.h"
#include "daemon/collect/perf/stacks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RING_SIZE 4096
#define DEPTH 50

static uint64_t nr_pairs;
static bool branch_target;		/* in the notes of ops */
static bool begun;			/* the next pair is the leaf of a stack */
static unsigned int in_stack;		/* 1 and how many callers there were so far */

static void take_pair(void)
{
	if (!in_stack)
		nr_pairs++;
	else if (in_stack++ > DEPTH)
		abort();
	if (begun)
		in_stack = 1;
	begun = false;
}

static void take_stack_note(op_word code)
{
	if (code == OP_TRACE_BEGIN ? begun || in_stack : !in_stack)
		abort();
	begun = code == OP_TRACE_BEGIN;
	in_stack = 0;
}

/* Count the pairs and IBS's notes, and so check that the words can be followed. */
static void take_words(void *context, const op_word *w, size_t nr)
{
	static const unsigned char payload[] = {
		[OP_CTX_SWITCH] = 5,
		[OP_CPU_SWITCH] = 1,
		[OP_COOKIE_SWITCH] = 1,
		[OP_IBS_FETCH] = OP_IBS_FETCH_WORDS,
		[OP_IBS_OP] = OP_IBS_OP_WORDS,
		[OP_ANON_MAP] = OP_ANON_MAP_WORDS,
		[OP_STACK_END] = 1,
	};
	size_t i = 0;

	(void)context;
	while (i < nr) {
		if (w[i] == OP_ESCAPE) {
			if (w[i + 1] >= sizeof(payload))
				abort();
			nr_pairs += w[i + 1] == OP_IBS_FETCH || w[i + 1] == OP_IBS_OP;
			if (w[i + 1] == OP_TRACE_BEGIN || w[i + 1] == OP_STACK_END)
				take_stack_note(w[i + 1]);
			i += 2 + payload[w[i + 1]] + (w[i + 1] == OP_IBS_OP && branch_target);
		} else {
			take_pair();
			i += 2;
		}
	}
	if (i != nr)
		abort();
}

static uint64_t read_ring(struct perf_ring *ring, struct perf_order *order, bool stacks)
{
	const void *bytes;
	uint64_t nr = 0;
	size_t size;

	perf_ring_begin(ring);
	while ((bytes = perf_ring_next(ring, &size))) {
		struct perf_record r;

		if (perf_record_parse(bytes, size, &r))
			continue;
		if (r.kind == PERF_KIND_SAMPLE && size > PERF_SAMPLE_BYTES && !stacks &&
		    r.time != UINT64_MAX && r.cpu < 4) {
			r.sample.counter = PERF_IBS_COUNTER(r.id & 1 ? OP_IBS_OP : OP_IBS_FETCH);
			perf_order_add_change(order, &r, bytes, size);
			nr++;
		} else if (r.kind == PERF_KIND_SAMPLE && r.time != UINT64_MAX) {
			if (stacks) {
				r.sample.stack = (const char *)bytes + PERF_SAMPLE_BYTES;
				r.sample.stack_size = (uint32_t)(size - PERF_SAMPLE_BYTES);
			}
			perf_order_add_sample(order, r.cpu % 4, &r.sample);
			nr++;
		} else if (r.kind >= PERF_KIND_MMAP && r.kind <= PERF_KIND_EXIT) {
			perf_order_add_change(order, &r, bytes, size);
		}
	}
	return nr;
}

static struct unwind_cache *the_cache(void)
{
	static struct unwind_cache *cache;

	if (!cache && unwind_cache_create((size_t)1 << 20, &cache))
		abort();
	return cache;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static _Alignas(8) unsigned char memory[RING_SIZE];
	static struct perf_emit emit;
	struct perf_event_mmap_page page = {0};
	struct perf_order *order = perf_order_new();
	struct perf_cookies *cookies = perf_cookies_new();
	struct perf_cpu_state cpus[4] = {0};
	struct perf_processes processes;
	struct perf_attribute a = {.processes = &processes,
				   .cookies = cookies,
				   .emit = &emit,
				   .cpus = cpus,
				   .nr_cpus = 4};
	uint64_t samples, lost = 0, start = size >= 2 ? (data[0] | data[1] << 8) & ~7u : 0;
	bool stacks = size >= 2 && data[1] & 0x40, copies = size >= 2 && data[1] & 0x20;
	struct perf_stacks config = {.depth = DEPTH, .max_addresses = 20, .copies = copies};
	struct perf_ring ring;

	branch_target = a.branch_target = size >= 2 && data[1] & 0x80;
	perf_processes_init(&processes, cookies, "/nonexistent");
	begun = false;
	in_stack = 0;
	a.stacks = stacks ? &config : NULL;
	if (copies) {
		perf_tables_init(&config.tables, the_cache(), NULL, &processes);
		perf_copy_size_init(&config.copy_size, PERF_COPY_BYTES, RING_SIZE, 1000000, 0);
	}
	page.data_head = page.data_tail = start;
	perf_ring_init(&ring, &page, memory, RING_SIZE);
	for (size_t i = 2; i < size && i - 2 < RING_SIZE; i++)
		memory[page.data_head++ % RING_SIZE] = data[i];

	samples = read_ring(&ring, order, stacks);
	nr_pairs = 0;
	perf_emit_begin(&emit, take_words, NULL);
	perf_attribute_run(&a, order, UINT64_MAX / 2);
	perf_attribute_run(&a, order, UINT64_MAX);
	perf_emit_end(&emit);
	perf_ring_end(&ring);
	if (begun || in_stack)
		abort();
	for (int cpu = 0; cpu < 4; cpu++)
		for (int reason = 0; reason < NR_LOSS_REASONS; reason++)
			lost += cpus[cpu].counts.lost[reason];
	if (nr_pairs + lost != samples)
		abort();

	if (copies)
		perf_tables_free(&config.tables);
	perf_ring_unmap(&ring);
	perf_order_free(order);
	perf_processes_tick(&processes, UINT64_MAX);
	perf_processes_free(&processes);
	perf_cookies_free(cookies);
	return 0;
}
