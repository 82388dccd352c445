// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * example.c - a program that samples itself; one function takes three quarters of its time
 *
 *	cc -O2 -g example.c $(pkg-config --cflags --libs oprofsampler) -lpthread -o example
 *	./example
 *	opreport --session-dir=oprofile_data -l
 *	opannotate --session-dir=oprofile_data --source
 *	opreport --session-dir=oprofile_data --flamegraph=example.html
 *
 * Arguments: how much work (1: a second or two of CPU time), and the session directory
 * (oprofile_data).
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "oprofsampler.h"

#define NOINLINE __attribute__((noinline))

static volatile unsigned long sink;

/* Prevents tail calls, so that callers remain on the stack. */
static void stay(void)
{
	__asm__ volatile("" ::: "memory");
}

NOINLINE static void spin(unsigned long turns)
{
	for (unsigned long i = 0; i < turns; i++)
		sink += i * i;
	stay();
}

NOINLINE static void one_part(unsigned long turns)
{
	spin(turns);
	stay();
}

NOINLINE static void three_parts(unsigned long turns)
{
	spin(3 * turns);
	stay();
}

/* Work of a constant length could run in step with the samples. */
static unsigned long some_turns(void)
{
	static _Thread_local unsigned int state = 1;

	state = state * 1664525 + 1013904223;
	return 50000 + state / 65536;
}

/* Samples are labeled with what the program is doing. */
NOINLINE static void work(double amount)
{
	struct sampler_metadata turn = { .name = "turn" };

	for (long i = 0; i < (long)(amount * 3000); i++) {
		unsigned long turns = some_turns();

		turn.value = i / 100 % 10;
		sampler_metadata_set(&turn);
		one_part(turns);
		three_parts(turns);
	}
	sampler_metadata_remove(&turn);
}

static void *other_thread(void *amount)
{
	work(*(double *)amount);
	return NULL;
}

static int fail(const char *what, int err, const char *why)
{
	fprintf(stderr, "example: %s: %s\n", what, *why ? why : strerror(-err));
	return 1;
}

int main(int argc, char **argv)
{
	double amount = argc > 1 ? atof(argv[1]) : 1;
	const char *session = argc > 2 ? argv[2] : "oprofile_data";
	struct sampler_params params = SAMPLER_PARAMS;
	struct sampler_profiler *profiler;
	struct sampler_builder builder;
	struct sampler_error error = { "" };
	pthread_t other;
	int err;

	/* a sample for each millisecond of a thread's CPU time, until sampler_stop() */
	params.interval_ns = 1000000;
	params.samples = 0;
	params.clock = SAMPLER_CPU;

	err = sampler_session_builder(session, &builder, &error);
	if (err)
		return fail(session, err, error.text);
	err = sampler_create(NULL, &params, &builder, &profiler);
	if (err) {
		sampler_builder_free(&builder);
		return fail("cannot create a profiler", err, "");
	}
	err = sampler_start(profiler);
	if (!err)
		err = -pthread_create(&other, NULL, other_thread, &amount);
	if (err) {
		sampler_destroy(profiler);
		return fail("cannot start", err, "");
	}

	work(amount);

	pthread_join(other, NULL);
	sampler_stop(profiler);
	err = sampler_join(profiler, &error);
	sampler_destroy(profiler);
	return err ? fail("cannot write the session", err, error.text) : 0;
}
