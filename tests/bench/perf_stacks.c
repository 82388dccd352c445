// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_stacks.c - what a stack of the perf collector costs the daemon
 *
 * The stack is one of this program's own: it calls itself down to a depth, copies registers and
 * stack as the kernel does into a record, and has that turned into words again and again, by the
 * unwind tables of itself and of its libraries. Prints ns for each stack, the median of the runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "daemon/collect/perf/attribute.h"
#include "daemon/collect/perf/stacks.h"
#include "tests/bench/figures.h"

#define RUNS	7
#define STACKS	20000
#define ASKED	32768

static struct perf_emit emit;
static struct perf_cpu_state cpus[1];
static uint64_t nr_words;

static uint64_t record[4 + PERF_USER_REGS_NR + ASKED / 8];
static uint64_t pc;

static void throw_away(void *context, const op_word *words, size_t nr)
{
	(void)context;
	(void)words;
	nr_words += nr;
}

/* The registers that getcontext() saves are those that callers keep; no table needs others. */
#if defined(__x86_64__)
static uint64_t saved(const ucontext_t *u, unsigned int n)
{
	static const unsigned char greg[24] = {
		[PERF_REG_X86_BX] = REG_RBX, [PERF_REG_X86_BP] = REG_RBP,
		[PERF_REG_X86_SP] = REG_RSP, [PERF_REG_X86_IP] = REG_RIP,
		[PERF_REG_X86_R12] = REG_R12, [PERF_REG_X86_R13] = REG_R13,
		[PERF_REG_X86_R14] = REG_R14, [PERF_REG_X86_R15] = REG_R15,
	};

	return greg[n] ? (uint64_t)u->uc_mcontext.gregs[greg[n]] : 0;
}
#define SP	PERF_REG_X86_SP
#define PC	PERF_REG_X86_IP
#else
static uint64_t saved(const ucontext_t *u, unsigned int n)
{
	return n == PERF_REG_ARM64_PC ? u->uc_mcontext.pc :
	       n == PERF_REG_ARM64_SP ? u->uc_mcontext.sp : u->uc_mcontext.regs[n];
}
#define SP	PERF_REG_ARM64_SP
#define PC	PERF_REG_ARM64_PC
#endif

/* What a record has of this moment: no listed callers, registers, the stack. */
static __attribute__((noinline)) int take_record(const char *top)
{
	uint64_t *at = record;
	const char *sp;
	uint64_t size;
	ucontext_t u;

	if (getcontext(&u))
		return 0;
	sp = (const char *)(uintptr_t)saved(&u, SP);
	size = top - sp < ASKED ? (uint64_t)(top - sp) & ~UINT64_C(7) : ASKED;
	pc = saved(&u, PC);
	*at++ = 0;
	*at++ = PERF_SAMPLE_REGS_ABI_64;
	for (unsigned int n = 0; n < 64; n++)
		if (PERF_USER_REGS >> n & 1)
			*at++ = saved(&u, n);
	*at++ = ASKED;
	memcpy(at, sp, size);
	at[ASKED / 8] = size;
	return 1;
}

static int (*volatile again)(unsigned int left, const char *top);

static __attribute__((noinline)) int descend(unsigned int left, const char *top)
{
	volatile char room[40] = { 1 };

	return (left ? again(left - 1, top) : take_record(top)) + room[3];
}

static void emit_stacks(struct perf_attribute *a, unsigned int nr)
{
	struct perf_sample s = { .pc = pc, .tgid = (uint32_t)getpid(), .tid = (uint32_t)getpid(),
				 .mode = PERF_MODE_USER, .stack = record,
				 .stack_size = sizeof(record) };

	perf_emit_begin(&emit, throw_away, NULL);
	while (nr--)
		perf_attribute_samples(a, 0, &s, 1);
	perf_emit_end(&emit);
}

/* The stack has a few frames above main() and below descend(), too. */
static void measure(struct perf_attribute *a, unsigned int frames, const char *top)
{
	double ns[RUNS];

	descend(frames - 5, top);
	for (int run = 0; run < RUNS; run++) {
		double start = wall_seconds();

		nr_words = 0;
		emit_stacks(a, STACKS);
		ns[run] = (wall_seconds() - start) * 1e9 / STACKS;
	}
	printf("bench perf_stack_%u %.0f ns\n", frames, median(ns, RUNS));
	fprintf(stderr, "perf_stacks: %u frames are %.1f words\n", frames,
		(double)nr_words / STACKS);
}

int main(int argc, char **argv)
{
	struct perf_cookies *cookies = perf_cookies_new();
	struct perf_stacks stacks = { .depth = 200, .max_addresses = 127, .copies = true };
	struct perf_processes processes;
	struct perf_attribute a = { .processes = &processes, .cookies = cookies, .emit = &emit,
				    .cpus = cpus, .nr_cpus = 1, .stacks = &stacks };
	struct unwind_cache *cache;

	(void)argc;
	again = descend;
	perf_processes_init(&processes, cookies, "/proc");
	if (unwind_cache_create((size_t)64 << 20, &cache))
		return 1;
	perf_tables_init(&stacks.tables, cache, NULL, &processes);
	perf_copy_size_init(&stacks.copy_size, ASKED, (size_t)8 << 20, 1000000, 0);
	/* the tables are made meanwhile */
	for (int i = 0; i < 20; i++) {
		descend(3, (const char *)argv);
		emit_stacks(&a, 1);
		perf_tables_end_drain(&stacks.tables);
		usleep(20000);
	}
	measure(&a, 8, (const char *)argv);
	measure(&a, 32, (const char *)argv);
	measure(&a, 128, (const char *)argv);
	perf_tables_free(&stacks.tables);
	unwind_cache_destroy(cache);
	perf_processes_free(&processes);
	perf_cookies_free(cookies);
	return 0;
}
