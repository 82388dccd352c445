// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * made_code.c - runs code that it made, and says so in the way it is told
 *
 *	made-code opagent|map|late|jitdump|registered|silent MILLISECONDS
 *
 * late: the map is written just before the end. registered: by GDB's JIT interface, in memory; says
 * "done" at the end and stays.
 *
 * Of its CPU time 75 % go to "made_hot" and 25 % to "made_cool", which count down and do nothing
 * else.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "libagent/opagent.h"
#include "tests/registered_elf.h"

#define ROOM	65536
#define TURNS	200000

#if defined(__x86_64__)
static const unsigned char count_down[] = { 0x89, 0xf9,	/* mov %edi, %ecx */
	0xff, 0xc9,		/* 1: dec %ecx */
	0x75, 0xfc,		/* jnz 1b */
	0xc3 };			/* ret */
#elif defined(__aarch64__)
static const uint32_t count_down[] = { 0x71000400,	/* 1: subs w0, w0, #1 */
	0x54ffffe1,		/* b.ne 1b */
	0xd65f03c0 };		/* ret */
#else
#error "no code for this machine"
#endif

typedef void made_fn(unsigned int turns);

static unsigned char *hot, *cool;

static void tell_agent(void)
{
	op_agent_t agent = op_open_agent();
	struct debug_line_info hot_line = { (uintptr_t)hot, 42, "hot.txt" };

	if (!agent ||
	    op_write_native_code(agent, "made_hot", (uintptr_t)hot, hot, sizeof(count_down)) ||
	    op_write_native_code(agent, "made_cool", (uintptr_t)cool, cool, sizeof(count_down)) ||
	    op_write_debug_line_info(agent, hot, 1, &hot_line)) {
		perror("made-code: libopagent");
		exit(1);
	}
}

static void tell_map(void)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "w");
	if (!f || fprintf(f, "%" PRIxPTR " %zx made_hot\n%" PRIxPTR " %zx made_cool\n",
			  (uintptr_t)hot, sizeof(count_down), (uintptr_t)cool,
			  sizeof(count_down)) < 0 || fclose(f)) {
		perror(path);
		exit(1);
	}
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void write_load(FILE *f, const char *name, const unsigned char *code)
{
	struct {
		uint32_t id, size;
		uint64_t timestamp;
		uint32_t pid, tid;
		uint64_t vma, address, code_size, index;
	} load = { .timestamp = now_ns(CLOCK_MONOTONIC), .pid = (uint32_t)getpid(),
		   .tid = (uint32_t)getpid(), .vma = (uintptr_t)code, .address = (uintptr_t)code,
		   .code_size = sizeof(count_down) };

	load.size = (uint32_t)(sizeof(load) + strlen(name) + 1 + sizeof(count_down));
	fwrite(&load, sizeof(load), 1, f);
	fwrite(name, strlen(name) + 1, 1, f);
	fwrite(code, sizeof(count_down), 1, f);
}

/* In the current folder, of which a mapping tells, and removed at once. */
static void tell_jitdump(void)
{
	struct {
		uint32_t magic, version, size, machine, pad, pid;
		uint64_t timestamp, flags;
	} head = { 0x4a695444, 1, sizeof(head), 0, 0, (uint32_t)getpid(), 1, 0 };
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "jit-%d.dump", getpid());
	f = fopen(path, "w+");
	if (f)
		fwrite(&head, sizeof(head), 1, f);
	if (!f || fflush(f) ||
	    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0) == MAP_FAILED) {
		perror(path);
		exit(1);
	}
	unlink(path);
	write_load(f, "made_hot", hot);
	write_load(f, "made_cool", cool);
	fclose(f);
}

struct jit_descriptor __jit_debug_descriptor = { 1, 0, NULL, NULL };

static void tell_debuggers(void)
{
	static struct jit_entry entry;
	const struct made_function functions[] = {
		{ .name = "made_hot", .size = sizeof(count_down) },
		{ .name = "made_cool", .at = (uint64_t)(cool - hot), .size = sizeof(count_down) },
	};
	struct made_bytes image = made_elf(functions, 2, (uintptr_t)hot, ROOM, MADE_NO_FRAMES);

	entry = (struct jit_entry){ .image = image.bytes, .size = image.size };
	__jit_debug_descriptor.first = __jit_debug_descriptor.relevant = &entry;
}

static unsigned char *make_code(void *where)
{
	memcpy(where, count_down, sizeof(count_down));
	__builtin___clear_cache((char *)where, (char *)where + sizeof(count_down));
	return where;
}

static made_fn *function(const unsigned char *code)
{
	made_fn *f;

	memcpy(&f, &code, sizeof(f));
	return f;
}

int main(int argc, char **argv)
{
	unsigned char *memory = mmap(NULL, ROOM, PROT_READ | PROT_WRITE | PROT_EXEC,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t end;

	if (argc != 3 || memory == MAP_FAILED) {
		fprintf(stderr, "made-code: usage: made-code opagent|map|late|jitdump|"
			"registered|silent MILLISECONDS\n");
		return 2;
	}
	hot = make_code(memory);
	cool = make_code(memory + ROOM / 2);
	if (!strcmp(argv[1], "opagent"))
		tell_agent();
	else if (!strcmp(argv[1], "map"))
		tell_map();
	else if (!strcmp(argv[1], "jitdump"))
		tell_jitdump();
	else if (!strcmp(argv[1], "registered"))
		tell_debuggers();
	end = strtoul(argv[2], NULL, 10) * UINT64_C(1000000);
	while (now_ns(CLOCK_PROCESS_CPUTIME_ID) < end) {
		function(hot)(3 * TURNS);
		function(cool)(TURNS);
	}
	if (!strcmp(argv[1], "late"))
		tell_map();
	if (!strcmp(argv[1], "registered")) {
		puts("done");
		fflush(stdout);
		pause();
	}
	return 0;
}
