/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy_size.h - how much of each user stack is to be copied
 *
 * A copy that is too short cuts chains off, one that is too long costs time in the kernel and
 * room in the rings, and neither can be known before. So it begins small and follows what the
 * chains needed, within what the rings have room for [PC-84]. Pure.
 */
#ifndef DAEMON_COLLECT_PERF_COPY_SIZE_H
#define DAEMON_COLLECT_PERF_COPY_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_COPY_BYTES_MIN	1024
#define PERF_COPY_BYTES		8192	/* to begin with */
#define PERF_COPY_BYTES_MAX	61440	/* a record has less than 64 KiB */

struct perf_copy_size {
	uint32_t bytes;			/* a multiple of 8 */
	uint32_t most;			/* that the rings have room for */
	/* since the last decision */
	uint64_t chains, short_ones;
	uint64_t deep;			/* that needed more than half of it */
	uint64_t since;			/* ns */
	uint64_t lost;			/* in the rings, as of then */
	uint64_t up_at;			/* ns; no sooner more than now, for there was no room */
};

/*
 * The most that one CPU's ring of @ring_bytes has room for, if a sample comes each @period_ns.
 * @fixed: they stay as large whatever is lost, so if there is more room than for PERF_COPY_BYTES it
 * is not all used.
 */
uint32_t perf_copy_most(size_t ring_bytes, uint64_t period_ns, bool fixed);

/* Of those that follow the chains. @bytes: as they are now, or more than there is room for. */
void perf_copy_size_init(struct perf_copy_size *s, uint32_t bytes, size_t ring_bytes,
			 uint64_t period_ns, uint64_t now);

/*
 * A chain needed @needed bytes of its copy, which had room for @asked. @beyond: what it would have
 * needed to go on; 0: it ended for another reason. One that no copy helps says nothing.
 */
static inline void perf_copy_size_chain(struct perf_copy_size *s, uint32_t needed, uint32_t asked,
					uint64_t beyond)
{
	bool is_short = beyond && beyond <= s->most && asked >= s->bytes;

	s->chains++;
	s->short_ones += is_short;
	s->deep += is_short || needed > s->bytes / 2;
}

/* @lost: samples lost in rings since open. True: s->bytes is another now. */
bool perf_copy_size_decide(struct perf_copy_size *s, uint64_t lost, uint64_t now);

/*
 * Bytes of a ring, a power of two, for half a second of such samples: as far as @nr_cpus of them
 * take no more than 16 MiB, or 1 MiB each. If the size of copies is @fixed, so that they have to be
 * the largest from the beginning: 64 MiB, or 2 MiB each.
 */
size_t perf_copy_ring_bytes(uint64_t period_ns, unsigned int nr_cpus, bool fixed);

#endif
