// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_collector.c - the perf collector on this machine, end to end
 *
 * Runs the real thing as root on programs whose truth is known (this one, copied and started
 * as "spin MILLISECONDS") and decodes its words with a small decoder of its own.
 */
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "build_id.h"
#include "collector.h"
#include "file.h"
#include "list.h"
#include "strbuf.h"
#include "xalloc.h"

/* --- the busy program: this one again --- */

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
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

static int spin_for(double ms)
{
	double end = now_s() + ms / 1e3;

	while (now_s() < end)
		spin(rounds);
	return 0;
}

/* --- a decoder of words, the simplest that can be --- */

struct seen {
	op_word word[4];
	int need; /* words until the note is whole */
	op_word code, payload[16];
	int nr;
	bool escaped, have_pc;
	op_word pc, cookie, program, tid, tgid, cpu;
	bool user;
	uint64_t samples;
	bool wrong;
	char anon[33];
};

struct tally {
	struct seen state;
	void (*sample)(struct tally *t, const struct seen *s);
	struct collector *collector;
	uint64_t in, out, other;
	uint64_t cpu[64];
	uint32_t tgid; /* of interest */
	const char *path;
	uint64_t from, to;
};

static int payload_of(op_word code)
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

static void take_note(struct seen *s)
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

static void take_words(void *context, const op_word *words, size_t nr)
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
			s->escaped = false;
			s->code = w;
			s->nr = 0;
			s->need = payload_of(w);
			if (s->need < 0) {
				s->wrong = true;
				s->need = 0;
			} else if (s->need == 0) {
				take_note(s);
			}
		} else if (s->have_pc) {
			s->have_pc = false;
			s->samples++;
			if (s->cpu < 64)
				t->cpu[s->cpu]++;
			if (t->sample)
				t->sample(t, s);
		} else if (w == OP_ESCAPE) {
			s->escaped = true;
		} else {
			s->pc = w;
			s->have_pc = true;
		}
	}
}

/* --- running the collector --- */

static void open_or_skip(struct collector *c, uint64_t period_ns, size_t buffer_words)
{
	struct collector_config config = {.count = period_ns,
					  .clock_khz = 1000000,
					  .kernel = true,
					  .user = true,
					  .buffer_words = buffer_words};
	struct op_error e = {""};

	if (geteuid())
		SKIP("needs root");
	if (c->open(c, &config, &e)) {
		printf("# %s\n", e.text);
		SKIP("perf events are not to be had here");
	}
}

static char *self_path(void)
{
	static char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[len < 0 ? 0 : len] = 0;
	return path;
}

static pid_t start_spinning(const char *program, const char *ms)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl(program, program, "spin", ms, (char *)NULL);
		_exit(127);
	}
	return pid;
}

static void drain_for(struct collector *c, struct tally *t, double seconds)
{
	double end = now_s() + seconds;

	while (now_s() < end) {
		usleep(50000);
		CHECK(!c->drain(c, false, take_words, t, NULL), "drain failed");
	}
}

static void check_counts(struct collector *c, const struct tally *t)
{
	struct session_counts counts = {0};
	struct cpu_counts total;

	CHECK(!c->counts(c, &counts), "counts failed");
	for (unsigned int cpu = 0; cpu < counts.nr_cpus; cpu++) {
		const struct cpu_counts *n = &counts.cpu[cpu];
		uint64_t lost = 0;

		for (int reason = 0; reason < NR_LOSS_REASONS; reason++)
			lost += n->lost[reason];
		CHECK(cpu >= 64 || n->received == t->cpu[cpu] + lost,
		      "CPU %u: received %llu, in words %llu, lost %llu", cpu,
		      (unsigned long long)n->received, (unsigned long long)t->cpu[cpu],
		      (unsigned long long)lost);
	}
	session_counts_total(&counts, &total);
	printf("# received %llu, ring %llu, no mm %llu, no mapping %llu, throttled %llu\n",
	       (unsigned long long)total.received, (unsigned long long)total.lost[LOST_RING],
	       (unsigned long long)total.lost[LOST_NO_MM],
	       (unsigned long long)total.lost[LOST_NO_MAPPING],
	       (unsigned long long)total.throttled);
	free(counts.cpu);
}

static void finish(struct collector *c, struct tally *t)
{
	struct op_error e = {""};

	CHECK(!c->stop(c, &e), "stop: %s", e.text);
	CHECK(!c->drain(c, true, take_words, t, &e), "flush: %s", e.text);
	CHECK(!t->state.wrong, "the words don't follow op_abi.h");
	check_counts(c, t);
}

/* User samples of one process: those between two offsets of one file are "in". */
static void tally_process(struct tally *t, const struct seen *s)
{
	char *path = NULL;

	if (!s->user || s->tgid != t->tgid)
		return;
	if (s->cookie == OP_NO_COOKIE) {
		t->other++;
		return;
	}
	if (t->collector->cookie_path(t->collector, s->cookie, &path)) {
		t->other++;
	} else if (strcmp(path, t->path) || s->pc < t->from || s->pc >= t->to) {
		t->out++;
	} else {
		t->in++;
	}
	free(path);
}

/* Offset in the file of an address of ours. */
static uint64_t file_offset(const void *address)
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
static void look_for_spin(struct tally *t)
{
	t->from = file_offset(spin_start);
	t->to = file_offset(spin_end);
}

TEST(busy_child_is_seen_at_its_function)
{
	struct tally t = {.sample = tally_process, .collector = collector_perf()};
	struct collector *c = t.collector;
	struct op_error e = {""};
	int status;

	open_or_skip(c, 1000000, 0);
	t.path = self_path();
	look_for_spin(&t);
	CHECK(!c->start(c, &e), "start: %s", e.text);
	t.tgid = (uint32_t)start_spinning(self_path(), "1500");
	drain_for(c, &t, 1.6);
	waitpid((pid_t)t.tgid, &status, 0);
	finish(c, &t);
	CHECK(t.in > 300, "%llu samples", (unsigned long long)t.in);
	CHECK((double)t.in >= 0.99 * (double)(t.in + t.out + t.other),
	      "%llu in, %llu out, %llu other", (unsigned long long)t.in, (unsigned long long)t.out,
	      (unsigned long long)t.other);
	c->close(c);
}

TEST(process_from_before_is_known)
{
	struct tally t = {.sample = tally_process, .collector = collector_perf()};
	struct collector *c = t.collector;
	struct op_error e = {""};
	int status;

	t.tgid = (uint32_t)start_spinning(self_path(), "1500");
	usleep(200000);
	open_or_skip(c, 1000000, 0);
	t.path = self_path();
	look_for_spin(&t);
	CHECK(!c->start(c, &e), "start: %s", e.text);
	drain_for(c, &t, 1.2);
	waitpid((pid_t)t.tgid, &status, 0);
	finish(c, &t);
	CHECK(t.in > 200, "%llu samples", (unsigned long long)t.in);
	CHECK((double)t.in >= 0.99 * (double)(t.in + t.out + t.other),
	      "%llu in, %llu out, %llu other", (unsigned long long)t.in, (unsigned long long)t.out,
	      (unsigned long long)t.other);
	c->close(c);
}

/* --- many short-lived processes of a program of its own name --- */

static char storm_dir[] = "/tmp/perf-collector-XXXXXX";

static char *copy_self(const char *name)
{
	char *path = xasprintf("%s/%s", storm_dir, name), *bytes = NULL;
	size_t size = 0;

	CHECK(!file_read_all(self_path(), 64 << 20, &bytes, &size), "cannot read %s", self_path());
	CHECK(!file_write_atomic(path, bytes, size, 0755), "cannot write %s", path);
	free(bytes);
	return path;
}

/* Samples of any process whose program is @path: in the file's loop, or anywhere else in user mode.
 */
static void tally_program(struct tally *t, const struct seen *s)
{
	char *program = NULL, *image = NULL;

	if (!s->user || t->collector->cookie_path(t->collector, s->program, &program))
		return;
	if (!strcmp(program, t->path)) {
		t->collector->cookie_path(t->collector, s->cookie, &image);
		if (image && !strcmp(image, t->path))
			t->in += s->pc >= t->from && s->pc < t->to;
		else if (!image && strcmp(s->anon, "[vdso]") && strcmp(s->anon, "[vsyscall]"))
			t->other++;
	}
	free(image);
	free(program);
}

#define SHORT_ONES 500

static pid_t short_ones[SHORT_ONES];
static int nr_short_ones;

static bool is_short_one(op_word tgid)
{
	for (int i = 0; i < nr_short_ones; i++)
		if ((op_word)short_ones[i] == tgid)
			return true;
	return false;
}

/* All user samples of the short processes: "in" where they may be, "out" anywhere else. */
static void tally_short_ones(struct tally *t, const struct seen *s)
{
	char *program = NULL, *image = NULL;
	bool in_loop;

	if (!s->user || !is_short_one(s->tgid))
		return;
	t->collector->cookie_path(t->collector, s->program, &program);
	t->collector->cookie_path(t->collector, s->cookie, &image);
	in_loop = s->pc >= t->from && s->pc < t->to;
	if (program && image && !strcmp(program, t->path))
		*(in_loop && !strcmp(image, t->path) ? &t->in : &t->other) += 1;
	else if (program && !image && !strcmp(s->anon, "[vdso]"))
		t->other++;
	else if (program && image && !strcmp(program, self_path()) && !in_loop)
		t->other++; /* between fork and exec */
	else
		t->out++;
	free(image);
	free(program);
}

TEST(short_lived_processes_keep_their_samples)
{
	struct tally t = {.sample = tally_short_ones, .collector = collector_perf()};
	struct collector *c = t.collector;
	struct session_counts counts = {0};
	struct cpu_counts total;
	struct op_error e = {""};
	uint64_t lost;
	char *path;

	open_or_skip(c, 200000, 0);
	CHECK(mkdtemp(storm_dir), "mkdtemp");
	path = copy_self("short");
	t.path = path;
	look_for_spin(&t);
	CHECK(!c->start(c, &e), "start: %s", e.text);
	while (nr_short_ones < SHORT_ONES) {
		int status;
		pid_t pid = start_spinning(path, "3");

		short_ones[nr_short_ones++] = pid;
		if (nr_short_ones % 20 == 0)
			c->drain(c, false, take_words, &t, NULL);
		waitpid(pid, &status, 0);
	}
	finish(c, &t);
	c->counts(c, &counts);
	session_counts_total(&counts, &total);
	lost = total.lost[LOST_NO_MM] + total.lost[LOST_NO_MAPPING];
	printf("# in their loop %llu, outside it %llu, unknown %llu, lost %llu\n",
	       (unsigned long long)t.in, (unsigned long long)t.other, (unsigned long long)t.out,
	       (unsigned long long)lost);
	CHECK(t.in > 1000, "%llu samples", (unsigned long long)t.in);
	CHECK((double)(t.out + lost) <= 0.005 * (double)(t.in + t.other), "unattributed");
	free(counts.cpu);
	c->close(c);
	file_remove_tree(storm_dir);
	free(path);
}

TEST(deleted_program_is_found_again)
{
	struct tally t = {.sample = tally_program, .collector = collector_perf()};
	struct collector *c = t.collector;
	struct build_id want, got;
	struct op_error e = {""};
	char *path;
	int status, fd;
	pid_t pid;

	open_or_skip(c, 1000000, 0);
	CHECK(mkdtemp(storm_dir), "mkdtemp");
	path = copy_self("gone");
	t.path = path;
	look_for_spin(&t);
	CHECK(!c->start(c, &e), "start: %s", e.text);
	pid = start_spinning(path, "1000");
	usleep(100000);
	unlink(path);
	drain_for(c, &t, 0.6);
	CHECK(t.in > 50, "%llu samples", (unsigned long long)t.in);
	for (op_word cookie = 1; cookie < 1000; cookie++) {
		char *name = NULL;

		if (c->cookie_path(c, cookie, &name) || strcmp(name, path)) {
			free(name);
			continue;
		}
		free(name);
		fd = c->cookie_fd(c, cookie);
		CHECK(fd >= 0, "cookie_fd: %d", fd);
		CHECK(!build_id_read(self_path(), &want) && !build_id_read_fd(fd, &got) &&
			      want.len == got.len && !memcmp(want.bytes, got.bytes, want.len),
		      "another file");
		close(fd);
	}
	CHECK(c->cookie_fd(c, 1 << 30) == -ENOENT, "an unknown cookie");
	waitpid(pid, &status, 0);
	finish(c, &t);
	c->close(c);
	file_remove_tree(storm_dir);
	free(path);
}

TEST(nothing_is_sampled_while_stopped)
{
	struct tally t = {.collector = collector_perf()};
	struct collector *c = t.collector;
	struct op_error e = {""};
	uint64_t before;

	open_or_skip(c, 1000000, 0);
	c->drain(c, true, take_words, &t, NULL);
	CHECK(t.state.samples == 0, "samples before start");
	CHECK(!c->start(c, &e), "start: %s", e.text);
	spin_for(200);
	CHECK(!c->stop(c, &e), "stop: %s", e.text);
	c->drain(c, true, take_words, &t, NULL);
	before = t.state.samples;
	CHECK(before > 100, "%llu samples", (unsigned long long)before);
	spin_for(200);
	c->drain(c, true, take_words, &t, NULL);
	CHECK(t.state.samples == before, "samples while stopped");
	CHECK(!c->start(c, &e), "start: %s", e.text);
	spin_for(200);
	finish(c, &t);
	CHECK(t.state.samples > before + 100, "none after the second start");
	c->close(c);
}

TEST(full_rings_are_counted)
{
	struct tally t = {.collector = collector_perf()};
	struct collector *c = t.collector;
	struct session_counts counts = {0};
	struct cpu_counts total;
	struct op_error e = {""};

	open_or_skip(c, 100000, 1); /* a page: some 80 samples */
	CHECK(!c->start(c, &e), "start: %s", e.text);
	for (int i = 0; i < 5; i++) {
		spin_for(100);
		c->drain(c, false, take_words, &t, NULL);
	}
	finish(c, &t);
	c->counts(c, &counts);
	session_counts_total(&counts, &total);
	CHECK(total.lost[LOST_RING] > 1000, "lost %llu", (unsigned long long)total.lost[LOST_RING]);
	CHECK(total.received > 4500, "received %llu", (unsigned long long)total.received);
	free(counts.cpu);
	c->close(c);
}

TEST(bad_rates_are_refused)
{
	struct collector *c = collector_perf();
	struct collector_config config = {
		.count = 14999, .clock_khz = 1000000, .kernel = true, .user = true};
	struct op_error e = {""};

	CHECK(c->open(c, &config, &e) == -EINVAL && strstr(e.text, "the smallest is"), "%s",
	      e.text);
	config.count = 100000;
	config.kernel = config.user = false;
	CHECK(c->open(c, &config, &e) == -EINVAL, "%s", e.text);
}

static int run_tests(int argc, char **argv);
#define main run_tests
static TEST_MAIN()
#undef main

	int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "spin"))
		return spin_for(atof(argv[2]));
	return run_tests(argc, argv);
}
