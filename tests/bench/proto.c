// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto.c - what it costs to write and read profile.proto
 *
 *	proto		figures
 *	proto FILE	the made-up profile into FILE, for other tools to read
 *
 * A million samples of 16 made-up programs, 45 frames each on average, each with the labels pid,
 * tid, comm and cpu; nearly every stack is another. Programs walk up and down a graph of calls
 * whose ways are skewed, as those of real programs are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/all_formats.h"
#include "libutil/hash.h"
#include "libutil/message.h"
#include "tests/bench/figures.h"

#define RUNS		5
#define SAMPLES		1000000
#define PROGRAMS	16
#define FUNCTIONS	3000
#define CPUS		4
#define DEPTH_MAX	120

struct program {
	uint32_t image, lib;
	uint32_t labels[CPUS];
	uint32_t nodes[DEPTH_MAX];	/* outermost first */
	uint32_t functions[DEPTH_MAX];
	uint32_t depth;
};

/* 0, 1, 2, ... with falling likelihood. */
static uint64_t skewed(uint64_t of)
{
	uint64_t n = 0;

	while (n + 1 < of && random_u64() % 100 < 35)
		n++;
	return n;
}

static uint32_t image(struct profile *p, const char *path, uint64_t start)
{
	struct profile_image i = { .start = start, .limit = start + (1 << 24) };

	i.path = profile_string(p, path);
	i.build_id = profile_string(p, "0123456789abcdef0123456789abcdef01234567");
	return profile_add_image(p, &i);
}

static uint32_t place(struct profile *p, uint32_t in, uint32_t function, uint64_t offset)
{
	struct profile_function f = { .start_line = function % 5000 };
	struct profile_line line;
	char name[64];

	snprintf(name, sizeof(name), "function_%u_of_image_%u", function, in);
	f.name = f.system_name = profile_string(p, name);
	snprintf(name, sizeof(name), "/src/image_%u/file_%u.c", in, function / 50);
	f.file = profile_string(p, name);
	line = (struct profile_line){ profile_function(p, &f), f.start_line + offset / 8 };
	return profile_place(p, in, p->images[in].start + function * 256 + offset, &line, 1);
}

static void make_program(struct profile *p, struct program *g, uint32_t number, uint32_t lib)
{
	char name[32];

	snprintf(name, sizeof(name), "/usr/bin/program%u", number);
	g->image = image(p, name, UINT64_C(0x555500000000) + ((uint64_t)number << 28));
	g->lib = lib;
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		struct profile_label labels[] = {
			{ .key = profile_string(p, "pid"), .number = 1000 + number },
			{ .key = profile_string(p, "tid"), .number = 1000 + number },
			{ .key = profile_string(p, "comm"), .text = profile_string(p, name + 9) },
			{ .key = profile_string(p, "cpu"), .number = cpu },
		};

		g->labels[cpu] = profile_label_set(p, labels, 4);
	}
}

/* Up by some calls, down by some others. */
static void step(struct profile *p, struct program *g)
{
	uint32_t up = (uint32_t)skewed(12), down = up + (uint32_t)skewed(3);

	g->depth = g->depth > up ? g->depth - up : 0;
	if (g->depth > 40 && random_u64() % 4)
		down = up / 2;
	for (; down && g->depth < DEPTH_MAX - 1; down--) {
		uint32_t d = g->depth++, caller = d ? g->functions[d - 1] : 0;
		uint64_t site = skewed(6);

		g->functions[d] = (uint32_t)(hash_mix(caller, site) % FUNCTIONS);
		g->nodes[d] = profile_node(p, d ? g->nodes[d - 1] : PROFILE_NONE,
					   place(p, caller % 3 ? g->image : g->lib, caller,
						 site * 20 + 4));
	}
}

static void sample(struct profile *p, struct program *g)
{
	uint32_t leaf = g->depth ? g->functions[g->depth - 1] : 0;
	uint32_t at = place(p, leaf % 3 ? g->image : g->lib, leaf, skewed(40) * 6);
	uint32_t parent = g->depth ? g->nodes[g->depth - 1] : PROFILE_NONE;

	*profile_add_sample(p, profile_node(p, parent, at), g->labels[random_u64() % CPUS]) = 1;
}

static struct profile *make_profile(void)
{
	static struct program programs[PROGRAMS];
	struct profile *p = profile_new();
	struct profile_event cpu = { .period = 1000000 };
	struct program *running = programs;
	uint32_t lib;

	cpu.name = profile_string(p, "cpu");
	cpu.unit = profile_string(p, "nanoseconds");
	profile_add_event(p, &cpu);
	lib = image(p, "/usr/lib/libc.so.6", UINT64_C(0x7f0000000000));
	for (uint32_t i = 0; i < PROGRAMS; i++)
		make_program(p, &programs[i], i, lib);
	for (uint32_t i = 0; i < SAMPLES; i++) {
		if (random_u64() % 16 == 0)	/* another gets its turn */
			running = &programs[random_u64() % PROGRAMS];
		step(p, running);
		sample(p, running);
	}
	return p;
}

static long write_profile(const struct profile *p, const char *path)
{
	struct format_write_options options = { .pid = "" };
	struct op_error e = { "" };
	FILE *f = fopen(path, "w");
	long size;

	if (!f || format_pprof.write(p, &options, f, &e))
		bug("%s: %s", path, e.text);
	size = ftell(f);
	fclose(f);
	return size;
}

static void read_profile(const char *path)
{
	struct format_read_options options = { .strict = true };
	struct op_error e = { "" };
	struct profile *p;

	if (profile_read_file(path, &format_pprof, &options, &p, &e))
		bug("%s: %s", path, e.text);
	if (p->nr_samples != SAMPLES || profile_total(p, 0) != SAMPLES)
		bug("%u samples came back", p->nr_samples);
	profile_free(p);
}

static uint64_t frames_of(const struct profile *p)
{
	uint64_t frames = 0;

	for (uint32_t i = 0; i < p->nr_samples; i++)
		for (uint32_t n = p->samples[i].node; n != PROFILE_NONE;
		     n = p->tree.nodes[n].parent)
			frames++;
	return frames;
}

int main(int argc, char **argv)
{
	struct profile *p = make_profile();
	double writing[RUNS], reading[RUNS];
	const char *dir = getenv("TMPDIR");
	char path[4096];
	long size = 0;

	if (argc > 1) {
		write_profile(p, argv[1]);
		profile_free(p);
		return 0;
	}
	snprintf(path, sizeof(path), "%s/bench-proto.%d", dir ? dir : "/tmp", (int)getpid());
	for (int i = 0; i < RUNS; i++) {
		double start = cpu_seconds();

		size = write_profile(p, path);
		writing[i] = cpu_seconds() - start;
		start = cpu_seconds();
		read_profile(path);
		reading[i] = cpu_seconds() - start;
	}
	printf("bench proto_frames_per_sample %.1f frames\n", (double)frames_of(p) / SAMPLES);
	printf("bench proto_nodes %zu nodes\n", p->tree.nr);
	printf("bench proto_bytes_per_sample %.1f bytes\n", (double)size / SAMPLES);
	printf("bench proto_write_1000000 %.2f s\n", median(writing, RUNS));
	printf("bench proto_read_1000000 %.2f s\n", median(reading, RUNS));
	unlink(path);
	profile_free(p);
	return 0;
}
