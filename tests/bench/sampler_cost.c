// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sampler_cost.c - what a sample by libsampler costs the thread that is sampled, and in all
 *
 *	sampler_cost		figures, of the same work undisturbed, interrupted, and sampled:
 *
 *		sampler_signal	a signal that does nothing, to the thread that gets it
 *		sampler_stopped	a sample, to the thread that is sampled: the signal, and the copy
 *		sampler_thread	a sample, to the sampling thread: sending, waiting, unwinding
 *		sampler_unwind	what of that is unwinding, of DEPTH callers and a few more
 *		sampler_100hz	both, a hundred times a second
 *		sampler_1000hz	samples with all frames that really came of 1000 a second
 *		sampler_still_N	how long a thread with N KiB of stack stands still, median and 99th
 *				percentile of 500 samples
 *		sampler_crowd_N	samples with frames at 100 Hz, of those due, of N busy threads at
 *				a time that use 0.1 s each, 64 threads or more in all
 *
 *	sampler_cost still, sampler_cost crowd	only these
 *	sampler_cost work	do the work, print its CPU time in seconds: for other profilers
 *
 * All is CPU time, which other programs on the machine disturb least; medians of RUNS.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "libsampler/oprofsampler.h"
#include "tests/bench/figures.h"

#define RUNS	5
#define DEPTH	20
#define TURNS	150000000u	/* some tenths of a second */

static volatile uint64_t result;

__attribute__((noinline)) static uint64_t dig(unsigned int depth)
{
	uint64_t x = depth;

	if (depth) {
		x += dig(depth - 1);
		__asm__ volatile("" ::: "memory");
		return x;
	}
	for (unsigned int i = 0; i < TURNS; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

/* CPU seconds of this thread for the work. */
static double work(void)
{
	double before = seconds_of(CLOCK_THREAD_CPUTIME_ID);

	result = dig(DEPTH);
	return seconds_of(CLOCK_THREAD_CPUTIME_ID) - before;
}

struct costs {
	double target[RUNS], others[RUNS];	/* CPU seconds, of the work and beside it */
	double samples[RUNS];
};

/* --- interrupted by a signal that does nothing --- */

static atomic_bool is_over;
static atomic_uint nr_signals;
static pid_t target;

static void count_signal(int signal)
{
	(void)signal;
	nr_signals++;
}

static void *interrupt(void *unused)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	(void)unused;
	while (!is_over) {
		nanosleep(&pause, NULL);
		syscall(SYS_tgkill, getpid(), target, SIGUSR1);
	}
	return NULL;
}

static void run_interrupted(struct costs *c, int run)
{
	struct sigaction action = { .sa_handler = count_signal, .sa_flags = SA_RESTART };
	pthread_t thread;

	target = gettid();
	is_over = false;
	nr_signals = 0;
	sigaction(SIGUSR1, &action, NULL);
	if (pthread_create(&thread, NULL, interrupt, NULL))
		return;
	c->target[run] = work();
	c->samples[run] = nr_signals;
	is_over = true;
	pthread_join(thread, NULL);
}

/* --- sampled --- */

static uint64_t nr_samples;
static size_t few_frames;	/* of a sample that is not counted */

static void count_sample(void *context, const struct sampler_sample *sample)
{
	(void)context;
	nr_samples += sample->nr_frames > few_frames;
}

static bool takes_all(void *context, const struct sampler_frame *from)
{
	(void)context;
	(void)from;
	return true;
}

static enum sampler_unwound end_at_once(void *context, void *state, struct sampler_registers *regs,
					const struct sampler_stack *stack,
					struct sampler_frames *frames)
{
	(void)context;
	(void)state;
	(void)regs;
	(void)stack;
	(void)frames;
	return SAMPLER_COMPLETED;
}

static const struct sampler_unwinder_ops no_unwinder = {
	.size = sizeof(no_unwinder), .can_unwind = takes_all, .unwind = end_at_once,
};

static void run_sampled(struct costs *c, int run, bool unwinds)
{
	static const struct sampler_builder_ops ops = { .size = sizeof(ops),
							.sample = count_sample };
	const struct sampler_builder builder = { &ops, NULL };
	struct sampler_params params = SAMPLER_PARAMS;
	struct sampler_thread self;
	struct sampler_profiler *p;
	double all;

	params.interval_ns = 1000000;
	params.samples = 0;
	nr_samples = 0;
	few_frames = unwinds ? DEPTH : 0;
	if (sampler_thread_self(&self) || sampler_create(&self, &params, &builder, &p))
		return;
	if (!unwinds)
		sampler_add_unwinder(p, &no_unwinder, NULL);
	all = cpu_seconds();
	if (!sampler_start(p))
		c->target[run] = work();
	sampler_stop(p);
	sampler_join(p, NULL);
	c->others[run] = cpu_seconds() - all - c->target[run];
	c->samples[run] = (double)nr_samples;
	sampler_destroy(p);
}

/* Microseconds for each of the samples, beyond what the work takes. */
static double each(const struct costs *c, const struct costs *than)
{
	double runs[RUNS], least[RUNS];

	memcpy(least, than->target, sizeof(least));
	for (int i = 0; i < RUNS; i++)
		runs[i] = (c->target[i] - median(least, RUNS)) / (c->samples[i] + !c->samples[i]);
	return median(runs, RUNS) * 1e6;
}

static double beside(const struct costs *c)
{
	double runs[RUNS];

	for (int i = 0; i < RUNS; i++)
		runs[i] = c->others[i] / (c->samples[i] + !c->samples[i]);
	return median(runs, RUNS) * 1e6;
}

static double rate(const struct costs *c)
{
	double runs[RUNS];

	for (int i = 0; i < RUNS; i++)
		runs[i] = c->samples[i] / c->target[i];
	return median(runs, RUNS);
}

/* --- deep stacks --- */

__attribute__((noinline)) static void work_below(size_t kib)
{
	volatile char *part = __builtin_alloca(kib << 10);

	for (size_t i = 0; i < kib << 10; i += 64)
		part[i] = 1;
	result = dig(DEPTH) + (uint64_t)part[0];
}

static int show_summary(void *context, const struct sampler_summary *summary,
			struct sampler_error *e)
{
	(void)e;
	printf("bench sampler_still_%zu %.1f us (99 %%: %.1f)\n", *(const size_t *)context,
	       (double)summary->still_median_ns / 1e3, (double)summary->still_p99_ns / 1e3);
	is_over = true;
	return 0;
}

static void show_still(size_t kib)
{
	static const struct sampler_builder_ops ops = { .size = sizeof(ops),
							.completed = show_summary };
	const struct sampler_builder builder = { &ops, &kib };
	struct sampler_params params = SAMPLER_PARAMS;
	struct sampler_thread self;
	struct sampler_profiler *p;

	params.interval_ns = 1000000;
	params.samples = 500;
	if (sampler_thread_self(&self) || sampler_create(&self, &params, &builder, &p))
		return;
	is_over = false;
	if (!sampler_start(p))
		while (!is_over)
			work_below(kib);
	sampler_join(p, NULL);
	sampler_destroy(p);
}

/* --- crowds --- */

#define CROWD_NS	10000000u

static atomic_ullong used_ns;

static void *use_a_tenth(void *unused)
{
	uint64_t used;

	(void)unused;
	do
		used = (uint64_t)(seconds_of(CLOCK_THREAD_CPUTIME_ID) * 1e9);
	while (used < 10 * (uint64_t)CROWD_NS);
	used_ns += used;
	return NULL;
}

static void count_by_weight(void *context, const struct sampler_sample *sample)
{
	(void)context;
	nr_samples += sample->nr_frames ? sample->weight : 0;
}

static int keep_missed(void *context, const struct sampler_summary *summary,
		       struct sampler_error *e)
{
	(void)e;
	*(uint64_t *)context = summary->missed;
	return 0;
}

static void run_crowd(unsigned int nr_threads)
{
	pthread_t threads[128];
	unsigned int nr = 0;

	while (nr < nr_threads && !pthread_create(&threads[nr], NULL, use_a_tenth, NULL))
		nr++;
	while (nr)
		pthread_join(threads[--nr], NULL);
}

static void show_crowd(unsigned int nr_threads)
{
	static const struct sampler_builder_ops ops = {
		.size = sizeof(ops), .sample = count_by_weight, .completed = keep_missed,
	};
	uint64_t missed = 0;
	const struct sampler_builder builder = { &ops, &missed };
	struct sampler_params params = SAMPLER_PARAMS;
	struct sampler_profiler *p;
	double due;

	params.interval_ns = CROWD_NS;
	params.samples = 0;
	params.clock = SAMPLER_CPU;
	nr_samples = 0;
	used_ns = 0;
	if (sampler_create(NULL, &params, &builder, &p))
		return;
	if (!sampler_start(p))
		for (unsigned int nr = 0; nr < 64; nr += nr_threads)
			run_crowd(nr_threads);
	sampler_destroy(p);
	due = (double)used_ns / CROWD_NS;
	printf("bench sampler_crowd_%u %.1f percent (%llu of %.0f, and %llu missed)\n", nr_threads,
	       (double)nr_samples / due * 100, (unsigned long long)nr_samples, due,
	       (unsigned long long)missed);
}

static void show_stills(void)
{
	show_still(60);
	show_still(1024);
	show_still(4096);
}

static void show_crowds(void)
{
	show_crowd(2);
	show_crowd(8);
	show_crowd(32);
	show_crowd(128);
}

int main(int argc, char **argv)
{
	static struct costs plain, interrupted, sampled, not_unwound;
	double stop, thread;

	if (argc > 1 && !strcmp(argv[1], "work")) {
		printf("%.6f\n", work());
		return 0;
	}
	if (argc > 1) {
		(!strcmp(argv[1], "still") ? show_stills : show_crowds)();
		return 0;
	}
	for (int i = 0; i < RUNS; i++) {
		plain.target[i] = work();
		run_interrupted(&interrupted, i);
		run_sampled(&sampled, i, true);
		run_sampled(&not_unwound, i, false);
	}
	stop = each(&sampled, &plain);
	thread = beside(&sampled);
	printf("bench sampler_signal %.1f us\n", each(&interrupted, &plain));
	printf("bench sampler_stopped %.1f us\n", stop);
	printf("bench sampler_thread %.1f us\n", thread);
	printf("bench sampler_unwind %.1f us\n", thread - beside(&not_unwound));
	printf("bench sampler_100hz %.3f percent_of_a_core\n", (stop + thread) * 1e-6 * 100 * 100);
	printf("bench sampler_1000hz %.0f samples/s\n", rate(&sampled));
	show_stills();
	show_crowds();
	return 0;
}
