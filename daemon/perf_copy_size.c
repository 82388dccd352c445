// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_copy_size.c - let the size of stack copies follow the chains
 *
 * Up at once when one in a hundred is short, down only after a long time in which half would
 * have done: a change costs new events on every CPU.
 */
#include "perf_copy_size.h"

#include "perf_clock.h"

#define OTHER_BYTES	512	/* of a record: body, registers, some kernel callers */
#define HOLD_NS		(50 * NS_PER_MS)	/* a ring has room for the samples of this time */
#define CHAINS_UP	100	/* enough to judge whether they are short, */
#define CHAINS_DOWN	1000	/* and whether they are not */
#define DOWN_NS		(20 * NS_PER_SECOND)

#define RING_BYTES_MIN	((size_t)1 << 20)
#define RING_BYTES_MAX	((size_t)8 << 20)
#define RINGS_BYTES	((size_t)16 << 20)	/* of all CPUs, above the least */

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
	s->chains = s->short_ones = s->deep = 0;
	s->lost = lost;
	s->since = now;
}

uint32_t perf_copy_most(size_t ring_bytes, uint64_t period_ns)
{
	uint64_t samples = HOLD_NS / (period_ns ? period_ns : 1) + 4;
	uint64_t room = ring_bytes / samples;

	return within(room > OTHER_BYTES ? room - OTHER_BYTES : 0, PERF_COPY_BYTES_MAX);
}

void perf_copy_size_init(struct perf_copy_size *s, uint32_t bytes, size_t ring_bytes,
			 uint64_t period_ns, uint64_t now)
{
	s->most = perf_copy_most(ring_bytes, period_ns);
	s->bytes = within(bytes, s->most);
	s->up_at = 0;
	begin(s, 0, now);
}

bool perf_copy_size_decide(struct perf_copy_size *s, uint64_t lost, uint64_t now)
{
	bool lost_many = (lost - s->lost) * 100 > s->chains;
	bool is_short = s->chains >= CHAINS_UP && s->short_ones * 100 > s->chains;
	bool judged = s->chains >= CHAINS_DOWN && now - s->since >= DOWN_NS;
	uint32_t bytes = s->bytes;

	if (lost_many) {	/* a whole sample is worth more than its last callers */
		bytes = bytes > PERF_COPY_BYTES ? within(bytes / 2, s->most) : bytes;
		s->up_at = now + DOWN_NS;
	} else if (is_short && now >= s->up_at) {
		bytes = within((uint64_t)bytes * 2, s->most);
	} else if (judged && s->deep * 1000 < s->chains) {
		bytes = within(bytes / 2, s->most);
	}
	if (bytes != s->bytes || judged || lost_many)
		begin(s, lost, now);
	if (bytes == s->bytes)
		return false;
	s->bytes = bytes;
	return true;
}

size_t perf_copy_ring_bytes(uint64_t period_ns, unsigned int nr_cpus)
{
	uint64_t samples = NS_PER_SECOND / 2 / (period_ns ? period_ns : 1);
	size_t share = RINGS_BYTES / (nr_cpus ? nr_cpus : 1), bytes = RING_BYTES_MIN;

	/* a ring has a power of two: rounded up for the samples, but not past its share */
	while (bytes < samples * (PERF_COPY_BYTES + OTHER_BYTES) && 2 * bytes <= share &&
	       bytes < RING_BYTES_MAX)
		bytes *= 2;
	return bytes;
}
