/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy_size.h - how much of each user stack to copy
 *
 * Copies that are too short truncate stacks; copies that are too long cost time in the kernel and
 * room in the rings. The right size is not known in advance, so it starts small and follows what
 * the stacks need, within what the rings can hold [PC-84]. Pure.
 */
#ifndef DAEMON_COLLECT_PERF_COPY_SIZE_H
#define DAEMON_COLLECT_PERF_COPY_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_COPY_BYTES_MIN	1024
#define PERF_COPY_BYTES		8192	/* initially */
#define PERF_COPY_BYTES_MAX	61440	/* a record has less than 64 KiB */

struct perf_copy_size {
	uint32_t bytes;			/* a multiple of 8 */
	uint32_t most;			/* that the rings can hold */
	/* since the last decision */
	uint64_t stacks, short_ones;
	uint64_t deep;			/* stacks that needed more than half of the copy */
	uint64_t since;			/* time of that decision, ns */
	uint64_t lost;			/* records lost in the rings until then */
	uint64_t up_at;			/* do not grow before, because records were lost; ns */
};

/*
 * The largest size for a CPU's ring of @ring_bytes if a sample comes each @period_ns. @fixed: the
 * size cannot shrink when records are lost, so above PERF_COPY_BYTES keep some reserve.
 */
uint32_t perf_copy_most(size_t ring_bytes, uint64_t period_ns, bool fixed);

/* For copies whose size can change. @bytes: now, or more than the rings can hold. */
void perf_copy_size_init(struct perf_copy_size *s, uint32_t bytes, size_t ring_bytes,
			 uint64_t period_ns, uint64_t now);

/*
 * A stack needed @needed bytes of its copy of @asked. @beyond: the bytes needed to continue; 0: it
 * ended for another reason. A stack longer than any possible copy does not count as short.
 */
static inline void perf_copy_size_add(struct perf_copy_size *s, uint32_t needed, uint32_t asked,
				      uint64_t beyond)
{
	bool is_short = beyond && beyond <= s->most && asked >= s->bytes;

	s->stacks++;
	s->short_ones += is_short;
	s->deep += is_short || needed > s->bytes / 2;
}

/* @lost: records lost in rings since open. True: s->bytes has changed. */
bool perf_copy_size_decide(struct perf_copy_size *s, uint64_t lost, uint64_t now);

/*
 * Bytes of a ring, a power of two, for half a second of such samples, as long as @nr_cpus of them
 * take at most 16 MiB in total; at least 1 MiB each. If the size of copies is @fixed, and so the
 * largest from the start: 64 MiB in total, at least 2 MiB each.
 */
size_t perf_copy_ring_bytes(uint64_t period_ns, unsigned int nr_cpus, bool fixed);

#endif
