/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grid.h - profilers of the test's own thread, and when its samples are taken */
#ifndef TESTS_UNIT_LIBSAMPLER_GRID_H
#define TESTS_UNIT_LIBSAMPLER_GRID_H

#include "tests/tap.h"
#include "tests/unit/libsampler/fakes.h"

static struct sampler_thread self;

static inline void begin(void)
{
	fakes_begin();
	self = thread_self();
}

/* @nr samples, @interval apart, the first one at @first. */
static inline void check_grid(const struct record *r, size_t nr, uint64_t first, uint64_t interval)
{
	CHECK(r->nr == nr, "%zu samples, not %zu", r->nr, nr);
	for (size_t i = 0; i < r->nr && i < nr; i++)
		CHECK(r->samples[i].time_ns == first + i * interval, "sample %zu at %llu", i,
		      (unsigned long long)r->samples[i].time_ns);
}

/* Two samples, and all the time that they take. */
static inline struct sampler_profiler *run_one(struct record *r)
{
	struct sampler_profiler *p = profiler_new(&self, r, 0, 10 * MS, 2);

	CHECK(!sampler_start(p), "start");
	clock_run_to(clock_now() + SECOND);
	CHECK(r->nr == 2 && r->completed == 1, "%zu", r->nr);
	return p;
}

#endif
