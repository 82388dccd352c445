// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * replay_stacks.c - how many stacks a second the daemon takes from words to files
 *
 * As replay.c, with a stack behind each sample: decoder, attribution, calls into {cg} files, and
 * the stack store. 16 programs, each a tree of calls of its own: a caller calls from 8 places,
 * mostly from the same one, so that a stack leaves the beaten track once on average; one call in
 * four goes into another image, one of 2. So most stacks come again, in their outer part all of
 * them. A third of the leaves lie in the kernel. Not timed is the first quarter, in which files
 * are made and grow.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"
#include "tests/bench/figures.h"
#include "tests/bench/replay_runs.h"

#define NR_PROGRAMS	16
#define DEPTH_MAX	128
#define FRAMES		600000		/* of a run, so that all depths take as long */

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

/* Outermost first: stacks of one program are alike there. */
static void walk(struct frame *stack, unsigned int depth, uint32_t program)
{
	struct frame start = { .id = program, .image = 1 + program * 4 };

	for (unsigned int i = 0; i < depth; i++)
		stack[i] = call(i ? &stack[i - 1] : &start, depth);
}

static void write_stack(struct fake_collector *f, const struct frame *stack, unsigned int depth,
			uint32_t *image)
{
	bool in_kernel = !roll(3);

	fake_stack(f);
	if (in_kernel) {
		fake_kernel(f);
		fake_sample(f, KERNEL_START + roll(20000) * 16, 0);
		fake_caller(f, KERNEL_START + roll(50) * 64);
		fake_user(f);
	}
	for (unsigned int i = depth; i-- > 0; ) {
		if (stack[i].image != *image)
			fake_cookie(f, *image = stack[i].image);
		if (i == depth - 1 && !in_kernel)
			fake_sample(f, stack[i].pc, 0);
		else
			fake_caller(f, stack[i].pc);
	}
	fake_stack_end(f, OP_STACK_COMPLETE);
}

static size_t write_stream(struct fake_collector *f, unsigned int depth)
{
	struct frame stack[DEPTH_MAX];
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
		walk(stack, depth, program);
		write_stack(f, stack, depth, &image);
	}
	return nr;
}

static uint64_t stacks_kept(struct recorder *r)
{
	struct cpu_counts all = replay_sums(r);

	if (all.stacks_lost || all.arcs_lost) {
		fprintf(stderr, "replay_stacks: stacks were lost\n");
		exit(1);
	}
	return all.stacks[OP_STACK_COMPLETE];
}

static double replay_once(struct fake_collector *f, const char *dir, size_t nr)
{
	struct recorder *r = replay_open(f, dir);
	struct op_error e = { "" };
	double began, took;
	uint64_t before;

	while (f->taken < f->nr / 4)
		recorder_drain(r, false, NULL, &e);
	before = stacks_kept(r);
	began = cpu_seconds();
	while (f->taken < f->nr)
		recorder_drain(r, false, NULL, &e);
	took = cpu_seconds() - began;
	if (stacks_kept(r) != nr) {
		fprintf(stderr, "replay_stacks: samples were lost\n");
		exit(1);
	}
	recorder_close(r);
	return took / (nr - before);
}

static void bench(unsigned int depth, const char *dir)
{
	struct fake_collector f;
	double took[RUNS], each;
	size_t nr;

	replay_init(&f);
	nr = write_stream(&f, depth);
	for (int i = 0; i < RUNS; i++) {
		char *session_dir = xasprintf("%s/%u-%d", dir, depth, i);

		took[i] = replay_once(&f, session_dir, nr);
		free(session_dir);
	}
	each = median(took, RUNS);
	printf("bench replay_stacks_%u %.0f kstacks/s\n", depth, 1e-3 / each);
	fprintf(stderr, "# %u frames: %.1f ns each, %.1f words per stack\n", depth,
		each * 1e9 / depth, (double)f.nr / nr);
	fake_collector_free(&f);
}

int main(void)
{
	static const unsigned int depths[] = { 8, 32, 128 };
	char dir[] = "/var/tmp/replay.XXXXXX";

	if (!mkdtemp(dir)) {
		perror("replay_stacks: /var/tmp");
		return 1;
	}
	log_open("/dev/null", NULL);
	sfiles_raise_limit();
	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++)
		bench(depths[i], dir);
	file_remove_tree(dir);
	return 0;
}
