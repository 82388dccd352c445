/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay_runs.h - what replay and replay_stacks share: images, a recorder, and its sums */
#ifndef TESTS_BENCH_REPLAY_RUNS_H
#define TESTS_BENCH_REPLAY_RUNS_H

#include <stdio.h>
#include <stdlib.h>
#include "daemon/record/recorder.h"
#include "libutil/hash.h"
#include "tests/fake_collector.h"

#define RUNS		5
#define NR_IMAGES	64
#define KERNEL_START	0xffffffff81000000u

static inline uint64_t roll(uint64_t below)
{
	static uint64_t seed = 1;

	seed += 0x9e3779b97f4a7c15u;
	return hash_u64(seed) % below;
}

/* With cookies 1 to NR_IMAGES. */
static inline void replay_init(struct fake_collector *f)
{
	static char path[NR_IMAGES][32];
	static const char *paths[NR_IMAGES];

	for (int i = 0; i < NR_IMAGES; i++) {
		snprintf(path[i], sizeof(path[i]), "/usr/lib/image%d", i + 1);
		paths[i] = path[i];
	}
	fake_collector_init(f, paths, NR_IMAGES);
	f->limit = 65536;
}

/* A new session in @dir, and @f's words from the first; exits if it can't. */
static inline struct recorder *replay_open(struct fake_collector *f, const char *dir)
{
	static const struct sfile_event event = { .name = "TIMER" };
	struct recorder_config config = {
		.session_dir = dir,
		.collector = &f->collector,
		.cpu_type = "timer",
		.clock_khz = 1000000,
		.events = &event,
		.nr_counters = 1,
		.nr_events = 1,
		.events_text = "TIMER:0:0:1:1",
		.kernel.proc_kallsyms = "/dev/null",
		.kernel.proc_modules = "/dev/null",
	};
	struct op_error e = { "" };
	struct recorder *r;

	f->taken = 0;
	if (recorder_open(&config, &r, &e)) {
		fprintf(stderr, "replay: %s\n", e.text);
		exit(1);
	}
	return r;
}

static inline struct cpu_counts replay_sums(struct recorder *r)
{
	struct session_counts counts;
	struct cpu_counts all;

	recorder_counts(r, &counts);
	session_counts_total(&counts, &all);
	free(counts.cpu);
	return all;
}

#endif
