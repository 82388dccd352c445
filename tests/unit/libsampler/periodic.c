// SPDX-License-Identifier: GPL-2.0-or-later
/* periodic.c - periodic short profiles [SM-20] */
#include <errno.h>
#include "tests/tap.h"
#include "tests/unit/libsampler/fakes.h"

#define PROFILES_MAX	200

/* The profiles, and their times. */
static struct made {
	size_t nr, refused;
	bool refuse_odd;		/* every other time */
	struct record *records[PROFILES_MAX];
	void (*on_sample)(struct record *r);
} made;

static int make(void *context, struct sampler_builder *ret)
{
	struct made *m = context;

	if (m->refuse_odd && (m->nr + m->refused) % 2) {
		m->refused++;
		return -ENOSPC;
	}
	m->records[m->nr] = record_new();
	m->records[m->nr]->on_sample = m->on_sample;
	*ret = record_builder(m->records[m->nr++]);
	return 0;
}

/* A sample each 10 ms, for 100 ms of each second. */
static struct sampler_periodic *start(void)
{
	struct sampler_periodic_params periodic = {
		.size = sizeof(periodic), .profile_ns = 100 * MS, .fraction = 0.1,
	};
	struct sampler_thread self = thread_self();
	struct sampler_params params = SAMPLER_PARAMS;
	struct sampler_periodic *s = NULL;

	fakes_begin();
	params.interval_ns = 10 * MS;
	params.samples = 0;
	CHECK(!sampler_periodic_start(&self, &params, &periodic, make, &made, &s), "start");
	return s;
}

TEST(a_profile_in_each_period)
{
	struct sampler_periodic *s = start();
	size_t quarters[4] = { 0 };

	clock_run_to(100 * SECOND);
	sampler_periodic_stop(s);
	CHECK(made.nr == 100, "%zu profiles", made.nr);
	for (size_t i = 0; i < made.nr; i++) {
		struct record *r = made.records[i];
		uint64_t at = r->summary.start_ns - clock_start - i * SECOND;

		CHECK(at <= 900 * MS, "%zu is %lld ms into its period", i, (long long)at / 1000000);
		CHECK(r->nr == 10 && r->summary.duration_ns == 100 * MS, "%zu: %zu samples", i,
		      r->nr);
		CHECK(r->completed == 1 && r->freed == 1, "%zu: complete and freed", i);
		check_sums(r, "a profile");
		quarters[at < 900 * MS ? at / (225 * MS) : 3]++;
	}
	/* a period without a profile has a chance of 1 in 10^12 */
	for (size_t i = 0; i < 4; i++)
		CHECK(quarters[i], "none in quarter %zu", i);
	CHECK(!fake_walkers && !fake_held, "all is freed");
}

TEST(stopped_while_it_waits)
{
	struct sampler_periodic *s = start();

	sampler_periodic_stop(s);
	clock_run_to(10 * SECOND);
	CHECK(!made.nr, "%zu", made.nr);
	sampler_periodic_stop(NULL);
}

static void halt_at_the_fourth(struct record *r)
{
	if (r->nr == 4)
		clock_halt();
}

TEST(stopped_while_it_profiles)
{
	struct sampler_periodic *s;

	made.on_sample = halt_at_the_fourth;
	s = start();
	clock_run_to(10 * SECOND);
	CHECK(made.nr == 1 && made.records[0]->nr == 4 && !made.records[0]->completed, "it runs");
	sampler_periodic_stop(s);
	CHECK(made.nr == 1 && made.records[0]->nr == 4, "no more samples");
	CHECK(made.records[0]->completed == 1 && made.records[0]->freed == 1,
	      "when the stop is back, it is complete");
	CHECK(!fake_walkers && !fake_held, "all is freed");
}

TEST(a_profile_that_cannot_be_created_is_skipped)
{
	struct sampler_periodic *s;

	made.refuse_odd = true;
	s = start();
	clock_run_to(50 * SECOND);
	sampler_periodic_stop(s);
	CHECK(made.nr == 25 && made.refused == 25, "%zu made, %zu not", made.nr, made.refused);
	for (size_t i = 0; i < made.nr; i++)
		CHECK(made.records[i]->nr == 10, "%zu: %zu", i, made.records[i]->nr);
}

/* The machine slept, or was too busy: missed profiles are not made up for. */
static void sleep_long(struct record *r)
{
	if (r == made.records[2] && r->nr == 5)
		clock_pass(3600 * SECOND);
}

TEST(the_clock_jumps)
{
	struct sampler_periodic *s;

	made.on_sample = sleep_long;
	s = start();
	clock_run_to(3 * SECOND);
	CHECK(made.nr == 3 && made.records[2]->nr == 5, "%zu", made.nr);
	clock_run_to(clock_now() + 10 * SECOND);
	sampler_periodic_stop(s);
	CHECK(made.nr >= 12 && made.nr <= 14, "a new period from there: %zu", made.nr);
}

TEST(all_of_the_time)
{
	struct sampler_periodic_params periodic = {
		.size = sizeof(periodic), .profile_ns = 100 * MS, .fraction = 1,
	};
	struct sampler_params params = SAMPLER_PARAMS;
	struct sampler_periodic *s;

	fakes_begin();
	params.interval_ns = 10 * MS;
	params.samples = 0;
	sampler_periodic_start(NULL, &params, &periodic, make, &made, &s);
	clock_run_to(5 * SECOND);
	sampler_periodic_stop(s);
	CHECK(made.nr >= 45, "%zu", made.nr);
}

TEST(parameters_are_checked)
{
	static const double bad[] = { 0, -0.5, 1.01, 0.0 / 0.0, 1e-300 };
	struct sampler_periodic_params periodic = {
		.size = sizeof(periodic), .profile_ns = 100 * MS,
	};
	struct sampler_params params = SAMPLER_PARAMS;
	struct sampler_periodic *s = NULL;

	fakes_begin();
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		periodic.fraction = bad[i];
		CHECK(sampler_periodic_start(NULL, &params, &periodic, make, &made, &s) == -EINVAL,
		      "%g", bad[i]);
	}
	periodic.fraction = 0.5;
	periodic.profile_ns = 0;
	CHECK(sampler_periodic_start(NULL, &params, &periodic, make, &made, &s) == -EINVAL,
	      "no time");
	periodic.profile_ns = 100 * MS;
	params.interval_ns = 1;
	CHECK(sampler_periodic_start(NULL, &params, &periodic, make, &made, &s) == -EINVAL,
	      "a profile's parameters");
	CHECK(!s, "nothing was made");
}

TEST_MAIN()
