// SPDX-License-Identifier: GPL-2.0-or-later
/* add_unwinder.c - the program's unwinders: which samples they see, when they are freed */
#include <errno.h>
#include "tests/tap.h"
#include "tests/unit/libsampler/fakes.h"

struct unwinder {
	_Atomic int captures, freed;
};

static void unwinder_capture(void *context, void *unused)
{
	struct unwinder *u = context;

	(void)unused;
	u->captures++;
}

static void unwinder_free(void *context)
{
	struct unwinder *u = context;

	u->freed++;
}

static bool can_unwind(void *unused, const struct sampler_frame *from)
{
	(void)unused, (void)from;
	return false;
}

static enum sampler_unwound unwind(void *unused, void *state, struct sampler_registers *regs,
				   const struct sampler_stack *stack, struct sampler_frames *frames)
{
	(void)unused, (void)state, (void)regs, (void)stack, (void)frames;
	return SAMPLER_UNRECOGNIZED;
}

static const struct sampler_unwinder_ops unwinder_ops = {
	.size = sizeof(unwinder_ops), .capture = unwinder_capture, .can_unwind = can_unwind,
	.unwind = unwind, .free = unwinder_free,
};

static struct sampler_profiler *start_with(struct record *r, struct unwinder *u, size_t nr)
{
	struct sampler_thread self = thread_self();
	struct sampler_profiler *p;

	fakes_begin();
	p = profiler_new(&self, r, 0, 10 * MS, 0);
	for (size_t i = 0; i < nr; i++)
		CHECK(!sampler_add_unwinder(p, &unwinder_ops, &u[i]), "%zu", i);
	sampler_start(p);
	return p;
}

TEST(unwinder_added_before_the_start)
{
	struct record *r = record_new();
	struct unwinder u = { 0 };
	struct sampler_profiler *p = start_with(r, &u, 1);

	clock_run_to(25 * MS);
	sampler_stop(p);
	sampler_join(p, NULL);
	CHECK(r->nr == 3 && u.captures == 3 && r->samples[0].nr_frames == 2, "all samples");
	CHECK(!u.freed, "not yet");
	sampler_destroy(p);
	CHECK(u.freed == 1, "%d", u.freed);
}

TEST(unwinder_added_after_the_start)
{
	struct record *r = record_new();
	struct unwinder u = { 0 };
	struct sampler_profiler *p = start_with(r, NULL, 0);

	clock_run_to(25 * MS);
	CHECK(!sampler_add_unwinder(p, &unwinder_ops, &u), "add");
	clock_run_to(45 * MS);
	sampler_destroy(p);
	CHECK(r->nr == 5 && u.captures == 2, "samples from then on: %d", u.captures);
	CHECK(r->samples[2].nr_frames == 1 && r->samples[3].nr_frames == 2, "frames");
	CHECK(u.freed == 1, "%d", u.freed);
}

TEST(unwinder_added_after_the_stop)
{
	struct record *r = record_new();
	struct unwinder u = { 0 };
	struct sampler_profiler *p = start_with(r, NULL, 0);

	clock_run_to(25 * MS);
	sampler_stop(p);
	sampler_join(p, NULL);
	CHECK(!sampler_add_unwinder(p, &unwinder_ops, &u), "no harm");
	clock_run_to(SECOND);
	sampler_destroy(p);
	CHECK(r->nr == 3 && !u.captures && u.freed == 1, "%zu", r->nr);
}

TEST(at_most_eight_unwinders)
{
	struct sampler_unwinder_ops bad = unwinder_ops;
	struct unwinder u[WALK_UNWINDERS_MAX] = { 0 };
	struct record *r = record_new();
	struct sampler_profiler *p = start_with(r, u, WALK_UNWINDERS_MAX);

	CHECK(sampler_add_unwinder(p, &unwinder_ops, &u[0]) == -ENOSPC, "one too many");
	bad.unwind = NULL;
	CHECK(sampler_add_unwinder(p, &bad, &u[0]) == -EINVAL, "cannot unwind");
	bad.size = 1;
	CHECK(sampler_add_unwinder(p, &bad, &u[0]) == -EINVAL, "no version");
	clock_run_to(5 * MS);
	sampler_destroy(p);
	CHECK(r->samples[0].nr_frames == 1 + WALK_UNWINDERS_MAX, "all of them: %zu",
	      r->samples[0].nr_frames);
	for (size_t i = 0; i < WALK_UNWINDERS_MAX; i++)
		CHECK(u[i].captures == 1 && u[i].freed == 1, "%zu", i);
}

TEST_MAIN()
