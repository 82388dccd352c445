// SPDX-License-Identifier: GPL-2.0-or-later
/* fork.c - profilers in the child of a fork [SM-16] */
#include <errno.h>
#include <stdatomic.h>
#include "tests/tap.h"
#include "tests/unit/asan_fork.h"
#include "tests/unit/libsampler/fakes.h"

/* Run in a child; its failed checks fail this test. */
static void in_child(void (*run)(void))
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(TEST_SECONDS / 2);
		tap_failures = 0;
		run();
		fflush(stdout);
		_exit(tap_failures ? 1 : 0);
	}
	waitpid(pid, &status, 0);
	CHECK(status == 0, "the child: %#x", (unsigned int)status);
}

static struct record *inherited_record;
static struct sampler_profiler *inherited;

static void start_one(void)
{
	struct sampler_thread self = thread_self();

	fakes_begin();
	inherited_record = record_new();
	inherited = profiler_new(&self, inherited_record, 0, 10 * MS, 0);
	sampler_start(inherited);
	clock_run_to(25 * MS);
}

static void check_inherited(void)
{
	sampler_stop(inherited);
	CHECK(sampler_join(inherited, NULL) == -ECANCELED, "it is not ours");
	CHECK(sampler_start(inherited) == -ECANCELED, "nor will it be");
	sampler_destroy(inherited);
	CHECK(inherited_record->freed == 1, "freed");
	CHECK(!inherited_record->completed, "but the profile is the parent's");
	CHECK(!fake_walkers && !fake_held, "all is freed");
}

TEST(inherited_profilers_are_stopped)
{
	start_one();
	in_child(check_inherited);
	CHECK(inherited_record->nr == 3 && !inherited_record->completed,
	      "nothing has happened here");
	clock_run_to(45 * MS);
	CHECK(inherited_record->nr == 5, "it goes on: %zu", inherited_record->nr);
	sampler_destroy(inherited);
	CHECK(inherited_record->completed == 1, "and is completed");
}

/* At the addresses of the old ones, which are not read. */
static void check_new_after_free(void)
{
	struct sampler_metadata item = { .name = "past" };
	struct sampler_thread self = thread_self();
	struct record *r = record_new();
	struct sampler_profiler *p;

	sampler_destroy(inherited);
	p = profiler_new(&self, r, 0, 10 * MS, 0);
	CHECK(!sampler_start(p), "start");
	clock_run_to(clock_now() + 25 * MS);
	CHECK(!sampler_metadata_apply_past(&item, clock_start + clock_now() - MS,
					   clock_start + clock_now()), "of the past");
	clock_run_to(clock_now() + 10 * MS);
	CHECK(r->nr_past == 1 && inherited_record->nr_past == 0, "of the new one");
	sampler_destroy(p);
}

TEST(new_profilers_at_old_addresses)
{
	start_one();
	in_child(check_new_after_free);
	sampler_destroy(inherited);
}

static void check_new(void)
{
	struct sampler_thread self = thread_self();
	struct record *r = record_new(), *all = record_new();
	struct sampler_profiler *p = profiler_new(&self, r, 0, 10 * MS, 5);
	struct sampler_profiler *q = profiler_new(NULL, all, 0, 10 * MS, 5);

	sampling_lock();
	CHECK(!sampling_is_started(), "no thread");
	sampling_unlock();
	CHECK(!sampler_start(p) && !sampler_start(q), "start");
	clock_run_to(clock_now() + SECOND);
	CHECK(r->nr == 5 && r->completed == 1 && r->samples[0].tid == getpid(), "%zu", r->nr);
	CHECK(all->nr >= 5 && all->completed == 1, "%zu", all->nr);
	CHECK(inherited_record->nr == 3, "the inherited one rests");
	sampler_destroy(p);
	sampler_destroy(inherited);
	sampler_destroy(q);
}

TEST(new_profilers_work)
{
	start_one();
	in_child(check_new);
	sampler_destroy(inherited);
}

static void child_with_its_own(void)
{
	start_one();		/* the first one's parent is our parent */
	in_child(check_new);
	sampler_destroy(inherited);
	CHECK(inherited_record->completed == 1, "ours");
}

TEST(a_child_of_a_child)
{
	start_one();
	in_child(child_with_its_own);
	sampler_destroy(inherited);
}

/* In the middle of a builder's callback, with its data half changed. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_cond = PTHREAD_COND_INITIALIZER;
static int gate_state;		/* 1: the callback waits, 2: it may continue */

static void pass_gate(struct record *r)
{
	if (r->nr != 2)
		return;
	pthread_mutex_lock(&gate);
	gate_state = 1;
	pthread_cond_broadcast(&gate_cond);
	while (gate_state != 2)
		pthread_cond_wait(&gate_cond, &gate);
	pthread_mutex_unlock(&gate);
}

static struct record *waiting_record;
static struct sampler_profiler *waiting;

static void check_half_done(void)
{
	sampler_destroy(inherited);
	CHECK(!inherited_record->freed && fake_walkers == 2, "what is half done is not touched");
	sampler_destroy(waiting);
	CHECK(waiting_record->freed == 1 && fake_walkers == 1, "what is whole is freed");
}

TEST(fork_while_a_builder_works)
{
	struct sampler_thread self = thread_self();

	fakes_begin();
	inherited_record = record_new();
	waiting_record = record_new();
	inherited_record->on_sample = pass_gate;
	inherited = profiler_new(&self, inherited_record, 0, 10 * MS, 0);
	waiting = profiler_new(&self, waiting_record, 0, 10 * MS, 0);
	sampler_start(inherited);
	sampler_start(waiting);
	clock_run_on();		/* without waiting for its end */
	pthread_mutex_lock(&gate);
	while (gate_state != 1)
		pthread_cond_wait(&gate_cond, &gate);
	pthread_mutex_unlock(&gate);
	in_child(check_half_done);
	clock_halt();
	pthread_mutex_lock(&gate);
	gate_state = 2;
	pthread_cond_broadcast(&gate_cond);
	pthread_mutex_unlock(&gate);
	sampler_destroy(inherited);
	sampler_destroy(waiting);
	CHECK(!fake_walkers, "%d", fake_walkers);
}

static struct sampler_periodic *periodic;

static int make(void *unused, struct sampler_builder *ret)
{
	(void)unused;
	*ret = record_builder(record_new());
	return 0;
}

static void stop_periodic(void)
{
	sampler_periodic_stop(periodic);
	CHECK(!fake_walkers && !fake_held, "all is freed");
}

/* Between profiles, and during one. */
TEST(inherited_always_on_profiles)
{
	struct sampler_periodic_params params = {
		.size = sizeof(params), .profile_ns = SECOND, .fraction = 1,
	};
	struct sampler_params each = SAMPLER_PARAMS;

	fakes_begin();
	sampler_periodic_start(NULL, &each, &params, make, NULL, &periodic);
	in_child(stop_periodic);
	clock_run_to(SECOND / 2);
	CHECK(fake_walkers == 1, "a profile is being taken");
	in_child(stop_periodic);
	stop_periodic();
}

/* The child finds all locks free, whatever other threads are doing. */
static atomic_bool is_over, has_labeled;

static void *label_on(void *unused)
{
	struct sampler_metadata item = { .name = "label", .has_key = true };

	while (!is_over) {
		item.key = (item.key + 1) % 10;
		sampler_metadata_set(&item);
		sampler_metadata_remove(&item);
		has_labeled = true;
	}
	return unused;
}

static void *profile_on(void *unused)
{
	struct sampler_thread self = thread_self();
	struct record *r = record_new();

	while (!is_over) {
		struct sampler_profiler *p = profiler_new(&self, r, 0, 10 * MS, 3);

		sampler_start(p);
		sampler_join(p, NULL);
		sampler_destroy(p);
		record_reset(r);
	}
	return unused;
}

static void use_all(void)
{
	struct sampler_metadata item = { .name = "child", .value = 1 };
	struct sampler_thread self = thread_self();
	struct record *r = record_new();
	struct sampler_profiler *p = profiler_new(&self, r, 0, 10 * MS, 3);

	CHECK(!sampler_metadata_set(&item), "set");
	CHECK(!sampler_start(p) && !sampler_join(p, NULL) && r->nr == 3, "a profile");
	CHECK(r->samples[0].nr_metadata > 0, "with a label");
	sampler_destroy(p);
}

TEST(fork_while_others_work)
{
	struct sampler_metadata item = { .name = "child", .value = 1 };
	pthread_t threads[2];
	int nr = 0;

	fakes_begin();
	sampling_idle_ns = 1;
	clock_run_on();
	sampler_metadata_set(&item);
	pthread_create(&threads[nr++], NULL, label_on, NULL);
	while (!has_labeled)
		usleep(100);		/* it allocates nothing from here on */
	if (!ASAN_LOCKS_CHILDREN)
		pthread_create(&threads[nr++], NULL, profile_on, NULL);
	for (int i = 0; i < 15; i++)
		in_child(use_all);
	is_over = true;
	while (nr > 0)
		pthread_join(threads[--nr], NULL);
}

TEST_MAIN()
