// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stacks.c - what keeping whole call stacks costs: time, file and memory
 *
 * The load is made up: 16 programs of 3000 functions run on 4 CPUs, each walking up and down a call
 * graph of its own whose calls are skewed as those of real programs are, and a fifth of the samples
 * lies in the kernel, on top of the program's stack. Samples come in the order in which a daemon
 * gets them: a batch of each CPU in turn. The rival is what perf.data takes for the same samples
 * with frame pointer stacks: 48 bytes and 8 for each frame.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdb/stack/store.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"
#include "tests/bench/figures.h"

#define RUNS		5
#define SAMPLES		300000
#define BATCH		64
#define PROGRAMS	16
#define FUNCTIONS	3000
#define CPUS		4
#define DEPTH_MAX	120
#define KERNEL_FRAMES	9

struct program {
	uint32_t image, lib, context;
	size_t depth;
	uint32_t functions[DEPTH_MAX];	/* on the stack, outermost first */
	struct stack_frame frames[DEPTH_MAX];
};

/* All samples' frames one after the other, innermost first. */
struct load {
	struct stack_frame *frames;
	size_t nr_frames;
	struct { uint32_t context; uint32_t nr; } samples[SAMPLES];
};

static char path[4096];
static uint32_t event, kernel;

static void __attribute__((format(printf, 1, 2), noreturn)) bug(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	exit(1);
}

/* 0, 1, 2, ... with falling likelihood. */
static uint64_t skewed(uint64_t of)
{
	uint64_t n = 0;

	while (n + 1 < of && random_u64() % 100 < 35)
		n++;
	return n;
}

/* Up by some calls, down by some others. */
static void step(struct program *p)
{
	uint64_t up = skewed(12), down = up + skewed(3);

	p->depth = p->depth > up ? p->depth - (size_t)up : 0;
	if (p->depth > 40 && random_u64() % 4)
		down = up / 2;
	for (; down && p->depth < DEPTH_MAX - KERNEL_FRAMES - 1; down--) {
		uint32_t caller = p->depth ? p->functions[p->depth - 1] : 0;
		uint64_t site = skewed(6), callee = hash_mix(caller, site) % FUNCTIONS;
		struct stack_frame *f = &p->frames[p->depth];

		f->image = caller % 3 ? p->image : p->lib;
		f->offset = 0x1000 + (uint64_t)caller * 256 + site * 20 + 4;
		p->functions[p->depth++] = (uint32_t)callee;
	}
}

/* The sample's stack, innermost first, in @to. */
static uint32_t sample(const struct program *p, struct stack_frame *to)
{
	uint32_t nr = 0, leaf = p->depth ? p->functions[p->depth - 1] : 0;

	if (random_u64() % 5 == 0) {
		uint64_t call = skewed(30);

		for (uint64_t i = 0; i < KERNEL_FRAMES; i++)
			to[nr++] = (struct stack_frame){
				kernel, 0xffffffff81000000 +
				(hash_mix(call, i) & 0xfffff) * 4 + (i ? 0 : skewed(16)) };
	}
	to[nr++] = (struct stack_frame){ leaf % 3 ? p->image : p->lib,
					 0x1000 + (uint64_t)leaf * 256 + skewed(40) * 6 };
	for (size_t i = p->depth; i-- > 0;)
		to[nr++] = p->frames[i];
	return nr;
}

static void make_ids(struct stack_store *s, struct program *programs)
{
	const struct stack_event cycles = { "CPU_CLK_UNHALTED", 100000, 0 };
	const struct stack_image vmlinux = { { .kind = IMAGE_KERNEL, .path = "kallsyms" }, "" };
	const struct stack_image libc = { { .kind = IMAGE_FILE, .path = "/lib/libc.so.6" }, "" };
	int err = stack_store_event(s, &cycles, &event) ||
		  stack_store_image(s, &vmlinux, &kernel);

	for (int i = 0; i < PROGRAMS && !err; i++) {
		char *name = xasprintf("/usr/bin/program%d", i);
		const struct stack_image image = { { .kind = IMAGE_FILE, .path = name }, "" };
		struct stack_context c = { 0, SAMPLE_ALL, SAMPLE_ALL, SAMPLE_ALL, "", "",
					   "" };

		err = stack_store_image(s, &image, &programs[i].image) ||
		      stack_store_image(s, &libc, &programs[i].lib);
		c.app = programs[i].image;
		err |= stack_store_context(s, &c, &programs[i].context);
		free(name);
	}
	if (err)
		bug("labels\n");
}

static struct stack_store *fresh(struct program *programs)
{
	struct stack_store *s;
	struct op_error e = { "" };

	unlink(path);
	if (stack_store_open(path, 0, &s, &e))
		bug("%s\n", e.text);
	make_ids(s, programs);
	return s;
}

/* The ids in it are those of every fresh store. */
static struct load *make_load(struct program *programs, size_t batch)
{
	struct load *load = xcalloc(1, sizeof(*load));
	struct program *running[CPUS];
	size_t room = 0;

	for (int i = 0; i < CPUS; i++)
		running[i] = &programs[i];
	for (size_t i = 0; i < SAMPLES; i++) {
		struct program **p = &running[i / batch % CPUS];

		if (random_u64() % 16 == 0)	/* another gets its turn */
			*p = &programs[random_u64() % PROGRAMS];
		step(*p);
		if (room - load->nr_frames < DEPTH_MAX || !room) {
			room = room * 2 + 65536;
			load->frames = xrealloc_array(load->frames, room, sizeof(*load->frames));
		}
		load->samples[i].context = (*p)->context;
		load->samples[i].nr = sample(*p, load->frames + load->nr_frames);
		load->nr_frames += load->samples[i].nr;
	}
	return load;
}

static void free_load(struct load *load)
{
	free(load->frames);
	free(load);
}

/* ns per sample. */
static double add_all(struct stack_store *s, const struct load *load)
{
	const struct stack_frame *f = load->frames;
	double start = cpu_seconds();

	for (size_t i = 0; i < SAMPLES; i++) {
		if (stack_store_add(s, load->samples[i].context, event, f, load->samples[i].nr,
				    STACK_COMPLETE, 1))
			bug("stack_store_add\n");
		f += load->samples[i].nr;
	}
	return (cpu_seconds() - start) * 1e9 / SAMPLES;
}

static void bench_adding(const struct load *load, struct program *programs, const char *order)
{
	double first[RUNS], again[RUNS];
	struct stack_store_size size;

	for (int i = 0; i < RUNS; i++) {
		struct stack_store *s = fresh(programs);

		first[i] = add_all(s, load);
		stack_store_size(s, &size);
		again[i] = add_all(s, load);
		stack_store_close(s);
	}
	printf("bench stacks_add_new%s %.0f ns\n", order, median(first, RUNS));
	printf("bench stacks_add_known%s %.0f ns\n", order, median(again, RUNS));
	if (*order)
		return;
	printf("bench stacks_frames_per_sample %.1f frames\n",
	       (double)load->nr_frames / SAMPLES);
	printf("bench stacks_bytes_per_sample %.2f bytes rival perf.data-fp %.0f\n",
	       (double)size.bytes / SAMPLES, 48 + 8 * (double)load->nr_frames / SAMPLES);
	printf("bench stacks_bytes_per_node %.1f bytes\n",
	       (double)size.bytes / (double)size.nodes);
	printf("bench stacks_memory_per_node %.1f bytes\n",
	       (double)size.memory / (double)size.nodes);
	printf("bench stacks_nodes %.0f nodes\n", (double)size.nodes);
}

static void bench_opening(void)
{
	double opening[RUNS], reading[RUNS];
	struct stack_snapshot snapshot;
	struct stack_store *s;

	for (int i = 0; i < RUNS; i++) {
		double start = cpu_seconds();

		if (stack_store_open(path, 0, &s, NULL))
			bug("stack_store_open\n");
		opening[i] = (cpu_seconds() - start) * 1e3;
		stack_store_close(s);
		start = cpu_seconds();
		if (stack_store_read(path, &snapshot, NULL))
			bug("stack_store_read\n");
		reading[i] = (cpu_seconds() - start) * 1e3;
		stack_snapshot_free(&snapshot);
	}
	printf("bench stacks_open %.1f ms\n", median(opening, RUNS));
	printf("bench stacks_read %.1f ms\n", median(reading, RUNS));
}

int main(void)
{
	static struct program programs[PROGRAMS];
	const char *dir = getenv("TMPDIR");
	struct load *load;

	snprintf(path, sizeof(path), "%s/bench-stacks.%d", dir ? dir : "/tmp", (int)getpid());
	stack_store_close(fresh(programs));
	load = make_load(programs, 1);
	bench_adding(load, programs, "_by_time");
	free_load(load);
	load = make_load(programs, BATCH);
	bench_adding(load, programs, "");
	bench_opening();
	unlink(path);
	free_load(load);
	return 0;
}
