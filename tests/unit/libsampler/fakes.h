/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fakes.h - for tests of the timing of samples: a clock that the test moves, and a copier and a
 * walker that do nothing
 *
 * Time passes only on request: everything up to that time is done exactly when it is due. So no
 * test depends on how fast the machine is.
 */
#ifndef TESTS_UNIT_LIBSAMPLER_FAKES_H
#define TESTS_UNIT_LIBSAMPLER_FAKES_H

#include "libsampler/profiler.h"

#define US	1000ull
#define MS	(1000 * US)
#define SECOND	(1000 * MS)

void fakes_begin(void);			/* at the start of each test */
extern uint64_t clock_start;
/* Let time pass until @ns after the start, and wait until all work due by then is done. */
void clock_run_to(uint64_t ns);
/* Let time pass as long as there is work to do. */
void clock_run_on(void);
/* [from a callback] Let the callback take that long. */
void clock_pass(uint64_t ns);
void clock_halt(void);			/* [from a callback] stop the time */
uint64_t clock_now(void);		/* since the start */
/* Called once, when the sampling thread waits for something after @ns; without the lock. */
void clock_before_waiting_past(uint64_t ns, void (*call)(void));

/* The copier's answer; NULL: SAMPLER_WHOLE. */
extern enum sampler_status (*fake_copy)(const struct copy_target *target);
enum sampler_status copy_no_answer(const struct copy_target *target);	/* one such answer */
extern bool fake_copy_spares;		/* @spare of the last copy */
extern int fake_install_error;
extern uint64_t (*fake_cpu_time)(pid_t tid);	/* NULL: the clock */
/* Timers of one thread, which signal it when it has used this and some ticks; 0: no timers. */
extern uint64_t fake_tick_ns, fake_first_tick_ns;

extern _Atomic int fake_walkers, fake_held;	/* existing walkers; holds of modules */

/* --- a builder that records its samples --- */
#define RECORD_MAX	10000
struct record {
	size_t nr;
	uint64_t weight;		/* of all samples */
	size_t captures, points, completed, freed;
	struct sampler_summary summary;
	size_t nr_past;
	struct sampler_metadata past;
	uint64_t past_from, past_to;
	size_t samples_before_past;
	/* callbacks of the test, may be NULL */
	void (*on_sample)(struct record *r);
	int (*on_completed)(struct record *r, struct sampler_error *e);
	struct record *next;
	struct {
		uint64_t time_ns;	/* since the clock's start */
		pid_t tid;
		enum sampler_status status;
		size_t nr_frames, nr_metadata;
		struct sampler_metadata first;
	} samples[RECORD_MAX];
};
struct record *record_new(void);	/* never freed */
void record_reset(struct record *r);
struct sampler_builder record_builder(struct record *r);

/* Each sample is in the summary, and every profile is complete once. */
void check_sums(const struct record *r, const char *what);

/* A profiler with a record as its builder; must succeed. */
struct sampler_profiler *profiler_new(const struct sampler_thread *target, struct record *r,
				      uint64_t delay, uint64_t interval, uint64_t samples);
struct sampler_thread thread_self(void);
size_t threads_now(void);		/* of this process; a sanitizer may have one of its own */

#endif
