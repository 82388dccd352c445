/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * truth.h - programs with known results, for tests of the perf collector on this machine
 *
 * The busy program is the test's own, started again as "spin": it says when it is ready, and from
 * then on runs one loop whose place in the file is known. What the collector says of it is decoded
 * by a small decoder of its own, the simplest that can be.
 *
 * Nothing here depends on how fast or how busy the machine is: work is measured in CPU time, and
 * what must be seen is waited for, up to DEADLINE_S.
 */
#ifndef TESTS_UNIT_DAEMON_COLLECT_PERF_TRUTH_H
#define TESTS_UNIT_DAEMON_COLLECT_PERF_TRUTH_H

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <time.h>

#include "daemon/collect/collector.h"
#include "tests/tap.h"
#include "tests/unit/daemon/collect/perf/need_perf.h"

#define DEADLINE_S 500

/* --- the busy program: this one again --- */

static inline double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static inline double now_s(void)
{
	return seconds_of(CLOCK_MONOTONIC);
}

extern char spin_start[], spin_end[];

/* Burn some time between two labels, so that its place in the file is known. */
__attribute__((noinline)) static void spin(unsigned long n)
{
	__asm__ volatile(".globl spin_start\nspin_start:\n"
#if defined(__x86_64__)
			 "1: dec %0\n\tjnz 1b\n"
#elif defined(__aarch64__)
			 "1: subs %0, %0, #1\n\tb.ne 1b\n"
#else
#error "no loop for this CPU"
#endif
			 ".globl spin_end\nspin_end:\n"
			 : "+r"(n)
			 :
			 : "cc");
}

static volatile unsigned long rounds = 100000; /* unknown, or a copy of spin() be made for it */

/* Of this process's own CPU time. */
static inline void burn_ms(double ms)
{
	double end = seconds_of(CLOCK_PROCESS_CPUTIME_ID) + ms / 1e3;

	while (seconds_of(CLOCK_PROCESS_CPUTIME_ID) < end)
		spin(rounds);
}

/* "spin READY-FD": for ever. "spin -1 MS": so much CPU time. */
static inline int spin_main(int argc, char **argv)
{
	int ready = atoi(argv[2]);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (argc > 3) {
		burn_ms(atof(argv[3]));
		_exit(0);	/* a search for leaks would be a process of its own */
	}
	if (write(ready, "", 1) != 1)
		return 1;
	for (;;)
		spin(~rounds);
}

static inline char *self_path(void)
{
	static char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[len < 0 ? 0 : len] = 0;
	return path;
}

/* Work of @ms of CPU time by @program, a copy of this one. */
static inline pid_t start_working(const char *program, const char *ms)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl(program, program, "spin", "-1", ms, (char *)NULL);
		_exit(127);
	}
	return pid;
}

/* Returns when it is in its loop, where it stays until stop_spinning(). */
static inline pid_t start_spinning(const char *program)
{
	char number[12], ready;
	int ends[2];
	pid_t pid;

	CHECK(!pipe(ends), "pipe");
	snprintf(number, sizeof(number), "%d", ends[1]);
	pid = fork();
	if (pid == 0) {
		execl(program, program, "spin", number, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	CHECK(read(ends[0], &ready, 1) == 1, "%s does not run", program);
	close(ends[0]);
	return pid;
}

static inline void stop_spinning(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* --- a decoder of words --- */

struct seen {
	int need; /* words until the note is whole */
	op_word code, payload[16];
	int nr;
	bool escaped, have_pc;
	op_word pc, counter, cookie, program, tid, tgid, cpu;
	bool user;
	uint64_t samples;
	bool wrong; /* a word that op_abi.h does not allow there */
	char anon[33];
};

struct tally {
	struct seen state;
	void (*sample)(struct tally *t, const struct seen *s);
	struct collector *collector;
	uint64_t in, out, other; /* what sample() makes of them */
	uint64_t cpu[64];
	uint32_t tgid;		 /* of interest */
	const char *path;	 /* of interest */
	uint64_t from, to;	 /* where its loop is in the file */
};

static inline int payload_of(op_word code)
{
	switch (code) {
	case OP_CTX_SWITCH:
		return 5;
	case OP_CPU_SWITCH:
	case OP_COOKIE_SWITCH:
		return 1;
	case OP_ANON_MAP:
		return OP_ANON_MAP_WORDS;
	case OP_MODULE_RANGE:
		return OP_MODULE_RANGE_WORDS;
	case OP_KERNEL_ENTER:
	case OP_USER_ENTER:
	case OP_MODULE_LOADED:
		return 0;
	default:
		return -1;
	}
}

static inline void take_note(struct seen *s)
{
	switch (s->code) {
	case OP_CTX_SWITCH:
		s->tid = s->payload[0];
		s->program = s->payload[1];
		s->wrong |= s->payload[2] != OP_ESCAPE || s->payload[3] != OP_CTX_TGID;
		s->tgid = s->payload[4];
		break;
	case OP_CPU_SWITCH:
		s->cpu = s->payload[0];
		break;
	case OP_COOKIE_SWITCH:
		s->cookie = s->payload[0];
		break;
	case OP_KERNEL_ENTER:
	case OP_USER_ENTER:
		s->user = s->code == OP_USER_ENTER;
		break;
	case OP_ANON_MAP:
		memcpy(s->anon, s->payload + 2, 32);
		break;
	default:
		break;
	}
}

static inline void take_code(struct seen *s, op_word code)
{
	s->escaped = false;
	s->code = code;
	s->nr = 0;
	s->need = payload_of(code);
	if (s->need < 0) {
		s->wrong = true;
		s->need = 0;
	} else if (s->need == 0) {
		take_note(s);
	}
}

static inline void take_sample(struct tally *t)
{
	struct seen *s = &t->state;

	s->have_pc = false;
	s->samples++;
	if (s->cpu < 64)
		t->cpu[s->cpu]++;
	if (t->sample)
		t->sample(t, s);
}

/* A words_fn; @context is the tally. */
static inline void take_words(void *context, const op_word *words, size_t nr)
{
	struct tally *t = context;
	struct seen *s = &t->state;

	for (size_t i = 0; i < nr; i++) {
		op_word w = words[i];

		if (s->need) {
			s->payload[s->nr++] = w;
			if (!--s->need)
				take_note(s);
		} else if (s->escaped) {
			take_code(s, w);
		} else if (s->have_pc) {
			s->counter = w;
			take_sample(t);
		} else if (w == OP_ESCAPE) {
			s->escaped = true;
		} else {
			s->pc = w;
			s->have_pc = true;
		}
	}
}

/* Offset in the file of an address of ours. */
static inline uint64_t file_offset(const void *address)
{
	uint64_t at = (uintptr_t)address, offset = 0;
	FILE *f = fopen("/proc/self/maps", "re");
	char line[PATH_MAX + 100];

	while (f && fgets(line, sizeof(line), f)) {
		unsigned long long start, end, from;

		if (sscanf(line, "%llx-%llx %*s %llx", &start, &end, &from) == 3 && start <= at &&
		    at < end)
			offset = at - start + from;
	}
	if (f)
		fclose(f);
	return offset;
}

/* Where a sample inside the loop can be: the last instruction ends where spin_end is. */
static inline void look_for_spin(struct tally *t)
{
	t->from = file_offset(spin_start);
	t->to = file_offset(spin_end);
}

/* --- running the collector --- */

static inline void open_or_skip(struct collector *c, uint64_t period_ns, size_t buffer_words)
{
	const struct collector_event event = {.count = period_ns, .kernel = true, .user = true};
	struct collector_config config = {.events = &event,
					  .nr_events = 1,
					  .clock_khz = 1000000,
					  .buffer_words = buffer_words};
	struct op_error e = {""};

	need_perf();
	if (c->open(c, &config, &e)) {
		CHECK(false, "open: %s", e.text);
		exit(1);
	}
}

/* Until *@count is @goal at least. */
static inline void drain_until(struct collector *c, struct tally *t, const uint64_t *count,
			       uint64_t goal)
{
	double end = now_s() + DEADLINE_S;

	while (*count < goal && now_s() < end) {
		usleep(20000);
		CHECK(!c->drain(c, false, take_words, t, NULL), "drain failed");
	}
	CHECK(*count >= goal, "%llu of %llu samples in %d s", (unsigned long long)*count,
	      (unsigned long long)goal, DEADLINE_S);
}

/* Since open. */
static inline struct cpu_counts totals(struct collector *c)
{
	struct session_counts counts = {0};
	struct cpu_counts total;

	CHECK(!c->counts(c, &counts), "counts failed");
	session_counts_total(&counts, &total);
	free(counts.cpu);
	return total;
}

/* What was received on each CPU is in the words, or lost under a reason. */
static inline void check_counts(struct collector *c, const struct tally *t)
{
	struct session_counts counts = {0};

	CHECK(!c->counts(c, &counts), "counts failed");
	for (unsigned int cpu = 0; cpu < counts.nr_cpus; cpu++) {
		const struct cpu_counts *n = &counts.cpu[cpu];
		uint64_t lost = 0;

		for (int reason = 0; reason < NR_LOSS_REASONS; reason++)
			lost += n->lost[reason];
		CHECK(cpu >= 64 || n->received == t->cpu[cpu] + n->idle + lost,
		      "CPU %u: received %llu, in words %llu, lost %llu", cpu,
		      (unsigned long long)n->received, (unsigned long long)t->cpu[cpu],
		      (unsigned long long)lost);
	}
	free(counts.cpu);
}

static inline void finish(struct collector *c, struct tally *t)
{
	struct op_error e = {""};

	CHECK(!c->stop(c, &e), "stop: %s", e.text);
	CHECK(!c->drain(c, true, take_words, t, &e), "flush: %s", e.text);
	CHECK(!t->state.wrong, "the words don't follow op_abi.h");
	check_counts(c, t);
}

/* main(): the busy program, or the tests. */
static inline int truth_main(int argc, char **argv)
{
	if (argc >= 3 && !strcmp(argv[1], "spin"))
		return spin_main(argc, argv);
	return tap_main(argc, argv);
}

#endif
