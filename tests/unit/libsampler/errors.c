// SPDX-License-Identifier: GPL-2.0-or-later
/* errors.c - refused arguments, failures, and how they are reported */
#include <errno.h>
#include "tests/unit/libsampler/grid.h"

static int fail(struct record *r, struct sampler_error *e)
{
	(void)r;
	snprintf(e->text, sizeof(e->text), "no room in /nowhere");
	return -ENOSPC;
}

TEST(completed_fails)
{
	struct sampler_error e = { "" };
	struct record *r = record_new();
	struct sampler_profiler *p;

	begin();
	r->on_completed = fail;
	p = profiler_new(&self, r, 0, 10 * MS, 1);
	sampler_start(p);
	clock_run_to(SECOND);
	for (int i = 0; i < 2; i++) {
		CHECK(sampler_join(p, &e) == -ENOSPC, "its error");
		CHECK(!strcmp(e.text, "no room in /nowhere"), "%s", e.text);
	}
	sampler_destroy(p);
}

static enum sampler_status next_status(const struct copy_target *target)
{
	static int n;

	(void)target;
	return n < SAMPLER_GONE ? n++ : SAMPLER_GONE;
}

TEST(every_status_is_counted_and_a_gone_thread_ends_it)
{
	struct record *r = record_new();
	struct sampler_profiler *p;

	begin();
	fake_copy = next_status;
	p = profiler_new(&self, r, 0, 10 * MS, 100);
	sampler_start(p);
	clock_run_to(10 * SECOND);
	CHECK(r->nr == SAMPLER_GONE + 1 && r->completed == 1, "%zu", r->nr);
	for (size_t i = 0; i < r->nr; i++) {
		CHECK(r->samples[i].status == (enum sampler_status)i, "%zu", i);
		CHECK(r->samples[i].nr_frames == (i < SAMPLER_BLOCKED), "%zu: its frames", i);
		CHECK(r->summary.samples[i] == 1, "%zu: %llu", i,
		      (unsigned long long)r->summary.samples[i]);
	}
	CHECK(r->captures == SAMPLER_BLOCKED, "%zu", r->captures);
	CHECK(r->points == r->nr, "%zu points, that where it was gone included", r->points);
	sampler_destroy(p);
}

static struct sampler_profiler *to_join;

static int join_ourselves(struct record *r, struct sampler_error *e)
{
	(void)r;
	return sampler_join(to_join, e);
}

TEST(joining_oneself_is_refused)
{
	struct record *r = record_new();

	begin();
	r->on_completed = join_ourselves;
	to_join = profiler_new(&self, r, 0, 10 * MS, 1);
	sampler_start(to_join);
	clock_run_to(SECOND);
	CHECK(sampler_join(to_join, NULL) == -EDEADLK, "told");
	sampler_destroy(to_join);
}

TEST(errors_of_start)
{
	struct record *r = record_new();
	struct sampler_profiler *p;

	begin();
	fake_install_error = -EPERM;
	p = profiler_new(&self, r, 0, 10 * MS, 1);
	CHECK(sampler_start(p) == -EPERM, "no handler");
	fake_install_error = 0;
	CHECK(!sampler_start(p), "and nothing has changed");
	clock_run_to(SECOND);
	CHECK(r->nr == 1, "%zu", r->nr);
	sampler_destroy(p);
}

TEST(parameters_are_checked)
{
	struct {
		struct sampler_params params;
		uint64_t of_a_later_version;
	} bad[] = {
		{ { sizeof(struct sampler_params), 0, 99999, 1, 0, 0 }, 0 },
		{ { sizeof(struct sampler_params), 0, UINT64_MAX, 1, 0, 0 }, 0 },
		{ { sizeof(struct sampler_params), UINT64_MAX, MS, 1, 0, 0 }, 0 },
		{ { sizeof(struct sampler_params), 0, MS, 1, 2, 0 }, 0 },
		{ { sizeof(struct sampler_params), 0, MS, 1, 0, 4 }, 0 },
		{ { sizeof(struct sampler_params) - 8, 0, MS, 1, 0, 0 }, 0 },
		{ { sizeof(struct sampler_params) + 8, 0, MS, 1, 0, 0 }, 1 },
		{ { 0, 0, MS, 1, 0, 0 }, 0 },
		{ { 1 << 20, 0, MS, 1, 0, 0 }, 0 },
		/* valid again */
		{ { sizeof(struct sampler_params) + 8, 0, MS, 1, 0, 0 }, 0 },
	};
	const size_t nr = sizeof(bad) / sizeof(bad[0]);
	struct record *r = record_new();
	struct sampler_builder builder = record_builder(r), none = { NULL, NULL };
	struct sampler_params fine = SAMPLER_PARAMS;
	struct sampler_profiler *p = NULL;
	struct sampler_thread nobody = { .tid = 0 };

	begin();
	for (size_t i = 0; i < nr; i++) {
		int err = sampler_create(&self, &bad[i].params, &builder, &p);

		CHECK(err == (i == nr - 1 ? 0 : -EINVAL), "%zu: %d", i, err);
	}
	CHECK(sampler_create(&nobody, &fine, &builder, &p) == -EINVAL, "no thread");
	CHECK(sampler_create(&self, &fine, &none, &p) == -EINVAL, "no builder");
	sampler_destroy(p);
	CHECK(r->freed == 1, "refused builders stay the caller's");
	sampler_destroy(NULL);
	sampler_builder_free(&builder);
	CHECK(r->freed == 2 && !builder.ops, "until it lets go");
}

TEST(the_signal_is_chosen_in_time)
{
	struct sampler_profiler *p;

	begin();
	CHECK(sampler_use_signal(0) == -EINVAL && sampler_use_signal(-1) == -EINVAL &&
	      sampler_use_signal(SIGKILL) == -EINVAL && sampler_use_signal(SIGSEGV) == -EINVAL &&
	      sampler_use_signal(32) == -EINVAL && sampler_use_signal(9999) == -EINVAL, "unfit");
	CHECK(!sampler_use_signal(SIGRTMIN + 3) && !sampler_use_signal(SIGUSR2), "fit");
	p = run_one(record_new());
	CHECK(sampler_use_signal(SIGUSR1) == -EBUSY, "too late");
	CHECK(!sampler_use_signal(SIGUSR2), "nothing to change");
	sampler_destroy(p);
}

TEST_MAIN()
