/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fakes.h - for tests of when samples are taken: a clock that stands still, and a copier
 * and a walker that do nothing
 *
 * Time passes only where a test says so: up to there whatever is due is done, each thing exactly
 * when it is due. So no test depends on how fast anything is.
 */
#ifndef TESTS_UNIT_LIBSAMPLER_FAKES_H
#define TESTS_UNIT_LIBSAMPLER_FAKES_H

#include "libsampler/profiler.h"

#define US	1000ull
#define MS	(1000 * US)
#define SECOND	(1000 * MS)

void fakes_begin(void);			/* in each test; what time it is: clock_start */
extern uint64_t clock_start;
/* Let time pass until @ns after the start. Returns when all that was due by then is done. */
void clock_run_to(uint64_t ns);
/* No end: for as long as there is something to do. */
void clock_run_on(void);
/* [from a callback] It took so long. */
void clock_pass(uint64_t ns);
void clock_halt(void);			/* [from a callback] time passes no further */
uint64_t clock_now(void);		/* since the start */
/* Called when the sampling thread waits for something after @ns, once; the lock is not held. */
void clock_before_waiting_past(uint64_t ns, void (*call)(void));

/* How the copier answers, and whom else it calls; NULL: SAMPLER_WHOLE. */
extern enum sampler_status (*fake_copy)(const struct copy_target *target);
enum sampler_status copy_no_answer(const struct copy_target *target);	/* one such answer */
extern bool fake_copy_spares;		/* what the last copy was asked for */
extern int fake_install_error;
extern uint64_t (*fake_cpu_time)(pid_t tid);	/* NULL: as the clock */

extern _Atomic int fake_walkers, fake_held;	/* that there are; modules_hold() less releases */

/* --- a builder that remembers --- */
#define RECORD_MAX	10000
struct record {
	size_t nr;
	size_t captures, completed, freed;
	struct sampler_summary summary;
	size_t nr_past;
	struct sampler_metadata past;
	uint64_t past_from, past_to;
	size_t samples_before_past;
	/* what a test does in the middle, may be NULL */
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
struct record *record_new(void);	/* is there until the end */
void record_reset(struct record *r);
struct sampler_builder record_builder(struct record *r);

/* Each sample is in the summary, and every profile is complete once. */
void check_sums(const struct record *r, const char *what);

/* With a record as its builder; must work. */
struct sampler_profiler *profiler_new(const struct sampler_thread *target, struct record *r,
				      uint64_t delay, uint64_t interval, uint64_t samples);
struct sampler_thread thread_self(void);
size_t threads_now(void);		/* of this process; a sanitizer may have one of its own */

#endif
