/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seen.h - threads that run in functions of their own, and the samples of profiles of them, with
 * the public interface
 */
#ifndef TESTS_UNIT_LIBSAMPLER_SEEN_H
#define TESTS_UNIT_LIBSAMPLER_SEEN_H

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include "libsampler/oprofsampler.h"
#include "tests/tap.h"

#define MS		1000000ull

/*
 * Functions with a section each, to find the function of an address; they exist also in programs
 * that do not call them.
 */
#define IN(name)	__attribute__((noinline, used, section("in_" #name)))
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

static inline const char *name_of(uintptr_t address)
{
	for (size_t i = 0; i < NR_FUNCTIONS; i++)
		if (address >= (uintptr_t)functions[i].start &&
		    address <= (uintptr_t)functions[i].stop)
			return functions[i].name;
	return NULL;
}

/* "inner middle outer": those frames of a sample that are ours */
static inline void spell(const struct sampler_sample *s, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < s->nr_frames && len < size; i++) {
		/* a caller's address is behind its call */
		const char *name = name_of(s->frames[i].address - (i > 0));

		if (name)
			len += (size_t)snprintf(text + len, size - len, "%s%s", len ? " " : "",
						name);
	}
}

/* --- the samples of a profile --- */

/* All are counted by weight, but for the last two: for statistics each sample is one. */
struct seen {
	const char *expected;		/* spelled frames */
	pid_t tid;			/* their thread */
	_Atomic int samples, of_tid, as_expected, labeled;
	_Atomic int status[SAMPLER_NR_STATUS];
	atomic_int captured, completed;
	struct sampler_summary summary;
	atomic_int by_name[NR_FUNCTIONS];	/* innermost ones */
	atomic_int taken;			/* with frames */
};

static inline void seen_capture(void *context)
{
	struct seen *seen = context;

	seen->captured++;
}

static inline void count_innermost(struct seen *seen, const char *spelled)
{
	for (size_t i = 0; i < NR_FUNCTIONS; i++)
		if (!strncmp(spelled, functions[i].name, strcspn(spelled, " ")) && *spelled)
			seen->by_name[i]++;
}

static inline void seen_sample(void *context, const struct sampler_sample *s)
{
	struct seen *seen = context;
	char spelled[200];

	spell(s, spelled, sizeof(spelled));
	seen->status[s->status] += (int)s->weight;
	seen->taken += s->nr_frames > 0;
	count_innermost(seen, spelled);
	if (s->tid == seen->tid) {
		seen->of_tid += (int)s->weight;
		if (seen->expected && !strcmp(spelled, seen->expected))
			seen->as_expected += (int)s->weight;
	}
	for (size_t i = 0; i < s->nr_metadata; i++)
		if (s->metadata[i].value == 42)
			seen->labeled += (int)s->weight;
	seen->samples += (int)s->weight;
}

static inline int seen_completed(void *context, const struct sampler_summary *summary,
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

static inline struct sampler_profiler *start_at(const struct sampler_thread *target,
						struct seen *seen, uint64_t samples,
						uint64_t interval_ns)
{
	struct sampler_builder builder = { &seen_ops, seen };
	struct sampler_params params = SAMPLER_PARAMS;
	struct sampler_profiler *p = NULL;
	int err;

	params.interval_ns = interval_ns;
	params.samples = samples;
	err = sampler_create(target, &params, &builder, &p);
	if (!err)
		err = sampler_start(p);
	CHECK(!err, "start: %s", strerror(-err));
	return p;
}

static inline struct sampler_profiler *start(const struct sampler_thread *target,
					     struct seen *seen, uint64_t samples)
{
	return start_at(target, seen, samples, MS);
}

/* Wait until it ends by itself; all samples are accounted for. */
static inline void finish(struct sampler_profiler *p, const struct seen *seen)
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

/* --- targets; their counters wrap around --- */

static atomic_bool is_over;
static atomic_uint sink;
static volatile size_t array_size = 100;
static struct sampler_thread target;
static atomic_bool target_is_known;

IN(inner) static unsigned int inner(volatile unsigned int *n)
{
	while (!is_over)
		++*n;
	return *n;
}

/* Its frame has a variable size. */
IN(middle) static unsigned int middle(size_t size)
{
	volatile unsigned int *array = __builtin_alloca(size * sizeof(*array));

	array[0] = 0;
	return inner(array) + 1;
}

IN(outer) static unsigned int outer(size_t size)
{
	return middle(size) + 1;
}

IN(other) static unsigned int other(void)
{
	volatile unsigned int n = 0;

	while (!is_over)
		++n;
	return n;
}

static inline void tell_who(void)
{
	sampler_thread_self(&target);
	target_is_known = true;
}

static inline void *run_outer(void *unused)
{
	tell_who();
	sink += outer(array_size);
	return unused;
}

static inline void *run_other(void *unused)
{
	sink += other();
	return unused;
}

static inline pthread_t begin(void *(*run)(void *))
{
	pthread_t thread;

	is_over = target_is_known = false;
	pthread_create(&thread, NULL, run, NULL);
	while (!target_is_known)
		usleep(100);
	return thread;
}

static inline void end(pthread_t thread)
{
	is_over = true;
	pthread_join(thread, NULL);
}

/* By the thread's own clock, so that other load does not matter. */
static inline uint64_t cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000 * MS + (uint64_t)t.tv_nsec;
}

static inline __attribute__((always_inline)) void spend(uint64_t ns)
{
	uint64_t until = cpu_time() + ns;

	while (cpu_time() < until)
		for (volatile int i = 0; i < 100; i++)
			;
}

IN(one_part) static unsigned int one_part(uint64_t ns)
{
	spend(ns);
	return 1;
}

IN(three_parts) static unsigned int three_parts(uint64_t ns)
{
	spend(3 * ns);
	return 3;
}

/*
 * One part to three, of about 0.28 ms in total with some variation: constant times could run in
 * step with the samples, and in times longer than an interval neighboring samples would be alike.
 */
static inline void *run_shares(void *unused)
{
	uint32_t random = (uint32_t)gettid();

	tell_who();
	while (!is_over) {
		random = random * 1664525 + 1013904223;
		sink += one_part(20000 + random / 42950) + three_parts(20000 + random / 42950);
	}
	return unused;
}

#endif
