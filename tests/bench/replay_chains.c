// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * replay_chains.c - how many chains of callers a second the daemon takes from words to files
 *
 * As replay.c, with a chain behind each sample: decoder, attribution, calls into {cg} files, and
 * the store of chains. 16 programs, each a tree of calls of its own: a caller calls from 8 places,
 * mostly from the same one, so that a chain leaves the beaten track once on average; one call in
 * four goes into another image, one of 2. So most chains come again, in their outer part all of
 * them. A third of the leaves lie in the kernel. Not timed is the first quarter, in which files
 * are made and grow.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "fake_collector.h"
#include "file.h"
#include "hash.h"
#include "log.h"
#include "recorder.h"
#include "xalloc.h"

#define RUNS		5
#define NR_IMAGES	64
#define NR_PROGRAMS	16
#define DEPTH_MAX	128
#define FRAMES		600000		/* of a run, so that all depths take as long */
#define KERNEL_START	0xffffffff81000000u

static uint64_t seed = 1;

static uint64_t roll(uint64_t below)
{
	seed += 0x9e3779b97f4a7c15u;
	return hash_u64(seed) % below;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/* A frame follows from the one that called it and the place called from. */
struct frame {
	uint64_t id;
	uint32_t image;
	uint64_t pc;
};

static struct frame call(const struct frame *caller, unsigned int depth)
{
	uint64_t place = roll(depth) ? 0 : 1 + roll(7);
	struct frame f = { .id = hash_mix(caller->id, place) };

	f.image = f.id % 4 ? caller->image : 1 + (caller->image + (f.id >> 8) % 2) % NR_IMAGES;
	f.pc = 0x1000 + (f.id >> 20) % 0x40000;
	return f;
}

/* Outermost first: chains of one program are alike there. */
static void walk(struct frame *chain, unsigned int depth, uint32_t program)
{
	struct frame start = { .id = program, .image = 1 + program * 4 };

	for (unsigned int i = 0; i < depth; i++)
		chain[i] = call(i ? &chain[i - 1] : &start, depth);
}

static void write_chain(struct fake_collector *f, const struct frame *chain, unsigned int depth,
			uint32_t *image)
{
	bool in_kernel = !roll(3);

	fake_chain(f);
	if (in_kernel) {
		fake_kernel(f);
		fake_sample(f, KERNEL_START + roll(20000) * 16, 0);
		fake_caller(f, KERNEL_START + roll(50) * 64);
		fake_user(f);
	}
	for (unsigned int i = depth; i-- > 0; ) {
		if (chain[i].image != *image)
			fake_cookie(f, *image = chain[i].image);
		if (i == depth - 1 && !in_kernel)
			fake_sample(f, chain[i].pc, 0);
		else
			fake_caller(f, chain[i].pc);
	}
	fake_chain_end(f, OP_STACK_COMPLETE);
}

static size_t write_stream(struct fake_collector *f, unsigned int depth)
{
	struct frame chain[DEPTH_MAX];
	size_t nr = FRAMES / depth;
	uint32_t program = 0, image = 0;

	for (size_t i = 0; i < nr; i++) {
		if (i % 500 == 0) {
			fake_cpu(f, i / 500 % 2);
			fake_user(f);
			image = 0;
		}
		if (i % 20 == 0) {
			program = roll(NR_PROGRAMS);
			fake_task(f, 1000 + program, 1 + program, 1000 + program);
		}
		walk(chain, depth, program);
		write_chain(f, chain, depth, &image);
	}
	return nr;
}

static uint64_t chains_kept(struct recorder *r)
{
	struct session_counts counts;
	struct cpu_counts all;

	recorder_counts(r, &counts);
	session_counts_total(&counts, &all);
	free(counts.cpu);
	if (all.stacks_lost || all.arcs_lost) {
		fprintf(stderr, "replay_chains: chains were lost\n");
		exit(1);
	}
	return all.stacks[OP_STACK_COMPLETE];
}

static double replay_once(struct fake_collector *f, const char *dir, size_t nr)
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
		.asked_events = "TIMER:0:0:1:1",
		.kernel.proc_kallsyms = "/dev/null",
		.kernel.proc_modules = "/dev/null",
	};
	struct op_error e = { "" };
	struct recorder *r;
	double began, took;
	uint64_t before;

	f->taken = 0;
	if (recorder_open(&config, &r, &e)) {
		fprintf(stderr, "replay_chains: %s\n", e.text);
		exit(1);
	}
	while (f->taken < f->nr / 4)
		recorder_drain(r, false, NULL, &e);
	before = chains_kept(r);
	began = seconds();
	while (f->taken < f->nr)
		recorder_drain(r, false, NULL, &e);
	took = seconds() - began;
	if (chains_kept(r) != nr) {
		fprintf(stderr, "replay_chains: samples were lost\n");
		exit(1);
	}
	recorder_close(r);
	return took / (nr - before);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void bench(unsigned int depth, const char *dir)
{
	char path[NR_IMAGES][32];
	const char *paths[NR_IMAGES];
	struct fake_collector f;
	double took[RUNS];
	size_t nr;

	for (int i = 0; i < NR_IMAGES; i++) {
		snprintf(path[i], sizeof(path[i]), "/usr/lib/image%d", i + 1);
		paths[i] = path[i];
	}
	fake_collector_init(&f, paths, NR_IMAGES);
	f.limit = 65536;
	nr = write_stream(&f, depth);
	for (int i = 0; i < RUNS; i++) {
		char *session_dir = xasprintf("%s/%u-%d", dir, depth, i);

		took[i] = replay_once(&f, session_dir, nr);
		free(session_dir);
	}
	qsort(took, RUNS, sizeof(*took), by_size);
	printf("bench replay_chains_%u %.0f kchains/s\n", depth, 1e-3 / took[RUNS / 2]);
	fprintf(stderr, "# %u frames: %.1f ns each, %.1f words per chain\n", depth,
		took[RUNS / 2] * 1e9 / depth, (double)f.nr / nr);
	fake_collector_free(&f);
}

int main(void)
{
	static const unsigned int depths[] = { 8, 32, 128 };
	char dir[] = "/var/tmp/replay.XXXXXX";

	if (!mkdtemp(dir)) {
		perror("replay_chains: /var/tmp");
		return 1;
	}
	log_open("/dev/null", NULL);
	sfiles_raise_limit();
	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++)
		bench(depths[i], dir);
	file_remove_tree(dir);
	return 0;
}
