// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copy_size.c - adapt the size of stack copies to the stacks
 *
 * Begins with the largest size, because the first stacks of a program, and short programs, must be
 * whole, too. Only what is mapped above the stack pointer is copied, mostly the used stack, so a
 * large size costs room in the ring, but mostly no time. It shrinks if it does cost time, or if
 * samples are lost. It changes rarely, because that needs new events on every CPU.
 */
#include "daemon/collect/perf/copy_size.h"

#include "daemon/collect/perf/clock.h"
#include "daemon/collect/perf/drain.h"

#define OTHER_BYTES	512	/* of a record: body, registers, some kernel callers */
#define HOLD_NS		(50 * NS_PER_MS)	/* a ring has room for the samples of this time, */
#define FIXED_HOLD_NS	(100 * NS_PER_MS)	/* or of this one if the size is fixed */
_Static_assert(2 * PERF_DRAIN_MS * NS_PER_MS <= HOLD_NS, "room for a pass that comes late");
#define STACKS_UP	100	/* enough to see that copies are too short */
#define STACKS_DOWN	1000	/* enough to see that they are too long */
#define LOSSY_MANY	3	/* drains with losses: if a machine stalls once, no size helps */
#define COPIED_MANY	8192	/* bytes of a stack on average that cost time */
#define DOWN_NS		(20 * NS_PER_SECOND)

#define RING_BYTES_MIN	((size_t)1 << 20)
#define FIXED_RING_BYTES_MIN ((size_t)2 << 20)	/* if the size cannot change */
#define RING_BYTES_MAX	((size_t)32 << 20)
#define RINGS_BYTES	((size_t)64 << 20)	/* of all CPUs, if each has more than the minimum */

static uint32_t within(uint64_t bytes, uint64_t most)
{
	if (bytes > most)
		bytes = most;
	if (bytes < PERF_COPY_BYTES_MIN)
		bytes = PERF_COPY_BYTES_MIN;
	return (uint32_t)(bytes & ~UINT64_C(7));
}

static void begin(struct perf_copy_size *s, uint64_t lost, uint64_t now)
{
	s->stacks = s->short_ones = s->deep = s->copied = 0;
	s->lost = s->last_lost = lost;
	s->lossy = 0;
	s->since = now;
}

/* Bytes of each copy, if a ring holds the samples of @hold_ns. */
static uint64_t room(size_t ring_bytes, uint64_t period_ns, uint64_t hold_ns)
{
	uint64_t each = ring_bytes / (hold_ns / (period_ns ? period_ns : 1) + 4);

	return each > OTHER_BYTES ? each - OTHER_BYTES : 0;
}

uint32_t perf_copy_most(size_t ring_bytes, uint64_t period_ns, bool fixed)
{
	uint64_t most = room(ring_bytes, period_ns, HOLD_NS);

	if (fixed && most > PERF_COPY_BYTES) {
		most = room(ring_bytes, period_ns, FIXED_HOLD_NS);
		if (most < PERF_COPY_BYTES)
			most = PERF_COPY_BYTES;
	}
	return within(most, PERF_COPY_BYTES_MAX);
}

void perf_copy_size_init(struct perf_copy_size *s, uint32_t bytes, size_t ring_bytes,
			 uint64_t period_ns, uint64_t now)
{
	s->most = perf_copy_most(ring_bytes, period_ns, false);
	s->bytes = within(bytes, s->most);
	s->up_at = 0;
	begin(s, 0, now);
}

bool perf_copy_size_decide(struct perf_copy_size *s, uint64_t lost, uint64_t now)
{
	uint64_t nr_lost = lost - s->lost;
	/* a whole sample is worth more than its last callers, but not than those of two */
	bool lost_many = nr_lost * 100 > s->stacks && nr_lost > s->deep;
	bool is_short = s->stacks >= STACKS_UP && s->short_ones * 100 > s->stacks;
	bool judged = s->stacks >= STACKS_DOWN && now - s->since >= DOWN_NS;
	uint32_t bytes = s->bytes;

	s->lossy += lost != s->last_lost;
	s->last_lost = lost;
	lost_many &= s->lossy >= LOSSY_MANY;
	if (lost_many) {
		bytes = bytes > PERF_COPY_BYTES ? within(bytes / 2, s->most) : bytes;
		s->up_at = now + DOWN_NS;
	} else if (is_short && now >= s->up_at) {
		bytes = s->most;
	} else if (judged && s->deep * 1000 < s->stacks && s->copied / s->stacks > COPIED_MANY) {
		bytes = within(bytes / 2, s->most);
	}
	if (bytes != s->bytes || judged || lost_many)
		begin(s, lost, now);
	if (bytes == s->bytes)
		return false;
	s->bytes = bytes;
	return true;
}

size_t perf_copy_ring_bytes(uint64_t period_ns, unsigned int nr_cpus, bool fixed)
{
	uint64_t samples = NS_PER_SECOND / (fixed ? 2 : 4) / (period_ns ? period_ns : 1);
	uint64_t needed = samples * (PERF_COPY_BYTES_MAX + OTHER_BYTES);
	size_t share = RINGS_BYTES / (nr_cpus ? nr_cpus : 1);
	size_t bytes = fixed ? FIXED_RING_BYTES_MIN : RING_BYTES_MIN;

	/* the next power of two that holds the samples, but at most the ring's share */
	while (bytes < needed && 2 * bytes <= share && bytes < RING_BYTES_MAX)
		bytes *= 2;
	return bytes;
}
