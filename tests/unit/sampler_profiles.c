// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sampler_profiles.c - whole profiles of real threads, by the interface that programs have
 *
 * Nothing here depends on when samples are taken: profiles last until they have what is looked for,
 * or a given number of samples.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include "sampler.h"
#include "tap.h"

#define MS		1000000ull
#define NAMES_MAX	8

/* Functions whose code can be told apart: each has a section of its own. */
#define IN(name)	__attribute__((noinline, section("in_" #name)))
#define BOUNDS(name)	extern const char __start_in_##name[], __stop_in_##name[];
#define FUNCTION(name)	{ #name, __start_in_##name, __stop_in_##name }
BOUNDS(outer) BOUNDS(middle) BOUNDS(inner) BOUNDS(other) BOUNDS(one_part) BOUNDS(three_parts)

static const struct function {
	const char *name, *start, *stop;
} functions[] = {
	FUNCTION(outer), FUNCTION(middle), FUNCTION(inner), FUNCTION(other), FUNCTION(one_part),
	FUNCTION(three_parts),
};
#define NR_FUNCTIONS	(sizeof(functions) / sizeof(functions[0]))

static const char *name_of(uintptr_t address)
{
	for (size_t i = 0; i < NR_FUNCTIONS; i++)
		if (address >= (uintptr_t)functions[i].start &&
		    address <= (uintptr_t)functions[i].stop)
			return functions[i].name;
	return NULL;
}

/* "inner middle outer": what of a sample's frames is ours */
static void spell(const struct sampler_sample *s, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < s->nr_frames && len < size; i++) {
		/* a caller's is behind its call */
		const char *name = name_of(s->frames[i].address - (i > 0));

		if (name)
			len += (size_t)snprintf(text + len, size - len, "%s%s", len ? " " : "", name);
	}
}

/* --- what a profile has been --- */

struct seen {
	const char *expected;		/* spelled frames */
	pid_t tid;			/* of whom */
	_Atomic int samples, of_tid, as_expected, labelled;
	_Atomic int status[SAMPLER_NR_STATUS];
	atomic_int captured, completed;
	struct sampler_summary summary;
	atomic_int by_name[NR_FUNCTIONS];	/* innermost ones */
};

static void seen_capture(void *context)
{
	struct seen *seen = context;

	seen->captured++;
}

static void count_innermost(struct seen *seen, const char *spelled)
{
	for (size_t i = 0; i < NR_FUNCTIONS; i++)
		if (!strncmp(spelled, functions[i].name, strcspn(spelled, " ")) && *spelled)
			seen->by_name[i]++;
}

static void seen_sample(void *context, const struct sampler_sample *s)
{
	struct seen *seen = context;
	char spelled[200];

	spell(s, spelled, sizeof(spelled));
	seen->status[s->status]++;
	count_innermost(seen, spelled);
	if (s->tid == seen->tid) {
		seen->of_tid++;
		if (seen->expected && !strcmp(spelled, seen->expected))
			seen->as_expected++;
	}
	for (size_t i = 0; i < s->nr_metadata; i++)
		seen->labelled += s->metadata[i].value == 42;
	seen->samples++;
}

static int seen_completed(void *context, const struct sampler_summary *summary,
			  struct sampler_error *e)
{
	struct seen *seen = context;

	(void)e;
	seen->summary = *summary;
	seen->completed++;
	return 0;
}

static const struct sampler_builder_ops seen_ops = {
	.size = sizeof(seen_ops),
	.capture = seen_capture, .sample = seen_sample, .completed = seen_completed,
};

static struct sampler_profiler *start(const struct sampler_thread *target, struct seen *seen,
				      uint64_t samples)
{
	struct sampler_builder builder = { &seen_ops, seen };
	struct sampler_params params = SAMPLER_PARAMS;
	struct sampler_profiler *p = NULL;
	int err;

	params.interval_ns = MS;
	params.samples = samples;
	err = sampler_create(target, &params, &builder, &p);
	if (!err)
		err = sampler_start(p);
	CHECK(!err, "start: %s", strerror(-err));
	return p;
}

/* It ends by itself; all samples are accounted for. */
static void finish(struct sampler_profiler *p, const struct seen *seen)
{
	uint64_t sum = 0;

	CHECK(!sampler_join(p, NULL) && seen->completed == 1, "completed");
	sampler_destroy(p);
	for (size_t i = 0; i < SAMPLER_NR_STATUS; i++) {
		CHECK(seen->summary.samples[i] == (uint64_t)seen->status[i], "status %zu", i);
		sum += seen->summary.samples[i];
	}
	CHECK(sum == (uint64_t)seen->samples, "%d samples", seen->samples);
}

/* --- targets --- */

static atomic_bool is_over;
static atomic_int sink;
static volatile size_t array_size = 100;
static struct sampler_thread target;
static atomic_bool target_is_known;

IN(inner) static int inner(volatile int *n)
{
	while (!is_over)
		++*n;
	return *n;
}

/* Its frame is of no fixed size. */
IN(middle) static int middle(size_t size)
{
	volatile int *array = __builtin_alloca(size * sizeof(int));

	array[0] = 0;
	return inner(array) + 1;
}

IN(outer) static int outer(size_t size)
{
	return middle(size) + 1;
}

IN(other) static int other(void)
{
	volatile int n = 0;

	while (!is_over)
		++n;
	return n;
}

static void tell_who(void)
{
	sampler_thread_self(&target);
	target_is_known = true;
}

static void *run_outer(void *unused)
{
	tell_who();
	sink += outer(array_size);
	return unused;
}

static void *run_other(void *unused)
{
	sink += other();
	return unused;
}

static pthread_t begin(void *(*run)(void *))
{
	pthread_t thread;

	is_over = target_is_known = false;
	pthread_create(&thread, NULL, run, NULL);
	while (!target_is_known)
		usleep(100);
	return thread;
}

static void end(pthread_t thread)
{
	is_over = true;
	pthread_join(thread, NULL);
}

#define EXPECTED	"inner middle outer"

TEST(basic_stack_order)
{
	pthread_t thread = begin(run_outer);
	struct seen seen = { .expected = EXPECTED, .tid = target.tid };
	struct sampler_profiler *p = start(&target, &seen, 0);

	/* before it is there, it does something else */
	while (seen.as_expected < 20)
		usleep(1000);
	sampler_stop(p);
	finish(p, &seen);
	CHECK(seen.captured > 0 && seen.status[SAMPLER_WHOLE] >= 20, "whole ones: %d",
	      seen.status[SAMPLER_WHOLE]);
	CHECK(seen.of_tid == seen.samples, "only its");
	end(thread);
}

/* Only its id is known, not its stack. */
TEST(a_thread_by_its_id)
{
	pthread_t thread = begin(run_outer);
	struct seen seen = { .expected = EXPECTED, .tid = target.tid };
	struct sampler_thread by_tid;
	struct sampler_profiler *p;

	CHECK(!sampler_thread_by_tid(target.tid, &by_tid), "found");
	p = start(&by_tid, &seen, 0);
	while (seen.as_expected < 20)
		usleep(1000);
	sampler_stop(p);
	finish(p, &seen);
	end(thread);
}

TEST(two_threads_of_all)
{
	pthread_t first = begin(run_outer), second;
	struct seen seen = { .expected = EXPECTED, .tid = target.tid };
	struct sampler_profiler *p;

	pthread_create(&second, NULL, run_other, NULL);
	p = start(NULL, &seen, 0);
	while (seen.as_expected < 20 || seen.by_name[3] < 20)
		usleep(1000);
	sampler_stop(p);
	finish(p, &seen);
	CHECK(seen.samples >= 3 * 20, "the main thread's as well: %d", seen.samples);
	end(first);
	pthread_join(second, NULL);
}

/* --- shares --- */

static uint64_t cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000 * MS + (uint64_t)t.tv_nsec;
}

static __attribute__((always_inline)) inline void spend(uint64_t ns)
{
	uint64_t until = cpu_time() + ns;

	while (cpu_time() < until)
		for (volatile int i = 0; i < 1000; i++)
			;
}

IN(one_part) static int one_part(void)
{
	spend(700000);
	return 1;
}

IN(three_parts) static int three_parts(void)
{
	spend(2100000);
	return 3;
}

static void *run_shares(void *unused)
{
	tell_who();
	while (!is_over)
		sink += one_part() + three_parts();
	return unused;
}

/*
 * By the thread's own clock, whatever else the machine does; where it was so busy that the thread
 * did not answer in time, the sample has no frames. A share has a variance of n * 1/4 * 3/4, which
 * is to be within six deviations: a false alarm in 10^8.
 */
TEST(shares_of_one_to_three)
{
	pthread_t thread = begin(run_shares);
	struct seen seen = { .tid = target.tid };
	struct sampler_builder builder = { &seen_ops, &seen };
	struct sampler_params params = SAMPLER_PARAMS;
	struct sampler_profiler *p;
	int of_both, off;

	params.interval_ns = MS;
	params.samples = 300;
	params.clock = SAMPLER_CPU;
	CHECK(!sampler_create(&target, &params, &builder, &p) && !sampler_start(p), "start");
	finish(p, &seen);
	end(thread);
	of_both = seen.by_name[4] + seen.by_name[5];
	CHECK(of_both + seen.status[SAMPLER_BLOCKED] >= 290, "%d in one or the other, %d blocked",
	      of_both, seen.status[SAMPLER_BLOCKED]);
	off = 4 * seen.by_name[4] - of_both;
	CHECK(off * off <= 36 * 3 * of_both, "%d of %d", seen.by_name[4], of_both);
}

/* --- targets that do not answer --- */

static void *end_at_once(void *unused)
{
	tell_who();
	return unused;
}

TEST(a_thread_that_ends)
{
	struct seen seen = { 0 };
	struct sampler_profiler *p;
	pthread_t thread = begin(end_at_once);

	p = start(&target, &seen, 0);	/* for as long as it is there, or not even that */
	finish(p, &seen);
	CHECK(seen.status[SAMPLER_GONE] == 1, "told once");
	pthread_join(thread, NULL);
}

static void *block_all(void *unused)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	tell_who();
	while (!is_over)
		usleep(1000);
	return unused;
}

TEST(a_thread_that_blocks_the_signal)
{
	pthread_t thread = begin(block_all);
	struct seen seen = { 0 };
	struct sampler_profiler *p = start(&target, &seen, 3);

	finish(p, &seen);
	CHECK(seen.status[SAMPLER_BLOCKED] == 3, "%d", seen.status[SAMPLER_BLOCKED]);
	end(thread);
}

/* --- labels --- */

TEST(labels_of_a_thread)
{
	pthread_t first = begin(run_outer);
	struct sampler_metadata label = {
		.name = "request", .has_tid = true, .tid = target.tid, .value = 42,
	};
	struct seen seen = { .tid = target.tid };
	struct sampler_profiler *p;

	CHECK(!sampler_metadata_set(&label), "set");
	p = start(NULL, &seen, 20);
	finish(p, &seen);
	CHECK(seen.of_tid == 20 && seen.labelled == 20, "%d of %d of its samples", seen.labelled,
	      seen.of_tid);
	end(first);
}

/* --- under fire --- */

static void *short_life(void *depth)
{
	if (depth)
		poll(NULL, 0, 1);
	return depth;
}

/* Threads begin and end while they are listed, copied and unwound. */
TEST(all_of_64_threads_that_come_and_go)
{
	struct seen seen = { 0 };
	struct sampler_profiler *p = start(NULL, &seen, 0);

	for (int round = 0; round < 10 || seen.samples < 100; round++) {
		pthread_t threads[64];

		for (uintptr_t i = 0; i < 64; i++)
			pthread_create(&threads[i], NULL, short_life, (void *)(i % 2));
		for (int i = 0; i < 64; i++)
			pthread_join(threads[i], NULL);
	}
	sampler_stop(p);
	finish(p, &seen);
	CHECK(!seen.status[SAMPLER_GONE] && !seen.status[SAMPLER_FAILED], "%d %d",
	      seen.status[SAMPLER_GONE], seen.status[SAMPLER_FAILED]);
}

static int profile_in_child(void)
{
	struct sampler_thread self;
	struct seen seen = { 0 };
	struct sampler_profiler *p;

	sampler_thread_self(&self);
	p = start(&self, &seen, 3);
	finish(p, &seen);
	return seen.status[SAMPLER_WHOLE] == 3 && !tap_failures ? 0 : 1;
}

TEST(fork_under_sampling)
{
	pthread_t thread = begin(run_outer);
	struct seen seen = { 0 };
	struct sampler_profiler *p = start(NULL, &seen, 0);

	fflush(stdout);
	for (int i = 0; i < 10 || seen.samples < 100; i++) {
		int status = 0;
		pid_t pid = fork();

		if (!pid) {
			alarm(TEST_SECONDS / 2);
			sampler_destroy(p);
			_exit(i < 10 ? profile_in_child() : 0);
		}
		waitpid(pid, &status, 0);
		CHECK(!status, "child %d: %#x", i, (unsigned int)status);
	}
	sampler_stop(p);
	finish(p, &seen);
	end(thread);
}

/* Profiles that begin, end and are destroyed while others run. */
TEST(profilers_that_come_and_go)
{
	pthread_t thread = begin(run_outer);
	struct seen all = { 0 };
	struct sampler_profiler *p = start(NULL, &all, 0);

	for (int i = 0; i < 50; i++) {
		struct seen seen = { 0 };
		struct sampler_profiler *q = start(&target, &seen, 1000000);

		if (i % 2)
			while (seen.samples < 2)
				usleep(100);
		sampler_stop(q);
		finish(q, &seen);
	}
	sampler_stop(p);
	finish(p, &all);
	end(thread);
}

TEST_MAIN()
