/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy_size.h - how much of each user stack to copy
 *
 * Copies that are too short truncate stacks; copies that are too long cost room in the rings, and
 * time if other memory lies above the stacks. The right size is not known in advance, so it starts
 * large and follows what the stacks need, within what the rings can hold [PC-84]. Pure.
 */
#ifndef DAEMON_COLLECT_PERF_COPY_SIZE_H
#define DAEMON_COLLECT_PERF_COPY_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_COPY_BYTES_MIN	1024
#define PERF_COPY_BYTES		8192	/* enough for most programs: lost samples shrink to it */
#define PERF_COPY_BYTES_MAX	65528	/* the kernel leaves out what does not fit in a record */

struct perf_copy_size {
	uint32_t bytes;			/* a multiple of 8 */
	uint32_t most;			/* that the rings can hold */
	/* since the last decision */
	uint64_t stacks, short_ones;
	uint64_t deep;			/* stacks that needed more than half of the copy */
	uint64_t copied;		/* bytes */
	uint64_t since;			/* time of that decision, ns */
	uint64_t lost;			/* records lost in the rings until then */
	uint64_t last_lost;		/* and until the last drain */
	unsigned int lossy;		/* drains with losses since the last decision */
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
 * A stack needed @needed bytes of its copy, which has @copied of the @asked ones. @beyond: the
 * bytes needed to continue; 0: it ended for another reason. A stack longer than any possible copy
 * does not count as short.
 */
static inline void perf_copy_size_add(struct perf_copy_size *s, uint32_t needed, uint32_t copied,
				      uint32_t asked, uint64_t beyond)
{
	bool is_short = beyond && beyond <= s->most && asked >= s->bytes;

	s->stacks++;
	s->copied += copied;
	s->short_ones += is_short;
	s->deep += is_short || needed > s->bytes / 2;
}

/* @lost: records lost in rings since open. True: s->bytes has changed. */
bool perf_copy_size_decide(struct perf_copy_size *s, uint64_t lost, uint64_t now);

/*
 * Bytes of a ring, a power of two, for a quarter of a second of the largest copies, or half a
 * second if their size is @fixed; up to 32 MiB, as long as @nr_cpus of them take at most 64 MiB in
 * total; at least 1 MiB each, or 2 MiB if @fixed.
 */
size_t perf_copy_ring_bytes(uint64_t period_ns, unsigned int nr_cpus, bool fixed);

#endif
