// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * collector.c - the perf collector on this machine, end to end
 *
 * Runs it as root on programs with known results; short-lived ones are in
 * short_lived.c.
 */
#include <sched.h>
#include <sys/personality.h>
#include "libutil/build_id.h"
#include "tests/unit/daemon/collect/perf/truth.h"
#include "tests/unit/tmpdir.h"

#define PERIOD_NS 200000

/* User samples of one process: those between two offsets of one file are "in". */
static void tally_process(struct tally *t, const struct seen *s)
{
	char *path = NULL;

	if (!s->user || s->tgid != t->tgid)
		return;
	if (s->cookie == OP_NO_COOKIE || t->collector->cookie_path(t->collector, s->cookie, &path))
		t->other++;
	else if (strcmp(path, t->path) || s->pc < t->from || s->pc >= t->to)
		t->out++;
	else
		t->in++;
	free(path);
}

/* From now on every sample of the process is in its loop. */
static void check_all_in_loop(struct tally *t)
{
	struct collector *c = t->collector;

	CHECK(!c->drain(c, true, take_words, t, NULL), "flush");
	t->in = t->out = t->other = 0;
	drain_until(c, t, &t->in, 200);
	stop_spinning((pid_t)t->tgid);
	finish(c, t);
	CHECK((double)(t->out + t->other) <= 0.01 * (double)t->in, "%llu in, %llu out, %llu other",
	      (unsigned long long)t->in, (unsigned long long)t->out, (unsigned long long)t->other);
}

TEST(busy_child_is_seen_at_its_function)
{
	struct tally t = {.sample = tally_process, .collector = collector_perf()};
	struct collector *c = t.collector;
	struct op_error e = {""};

	open_or_skip(c, PERIOD_NS, 0);
	t.path = self_path();
	look_for_spin(&t);
	CHECK(!c->start(c, &e), "start: %s", e.text);
	t.tgid = (uint32_t)start_spinning(self_path());
	check_all_in_loop(&t);
	c->close(c);
}

TEST(process_from_before_is_known)
{
	struct tally t = {.sample = tally_process, .collector = collector_perf()};
	struct collector *c = t.collector;
	struct op_error e = {""};

	t.tgid = (uint32_t)start_spinning(self_path());
	open_or_skip(c, PERIOD_NS, 0);
	t.path = self_path();
	look_for_spin(&t);
	CHECK(!c->start(c, &e), "start: %s", e.text);
	check_all_in_loop(&t);
	c->close(c);
}

TEST(nothing_is_sampled_while_stopped)
{
	struct tally t = {.collector = collector_perf()};
	struct collector *c = t.collector;
	struct op_error e = {""};
	uint64_t before;
	pid_t pid;

	open_or_skip(c, PERIOD_NS, 0);
	pid = start_spinning(self_path());
	burn_ms(20);
	c->drain(c, true, take_words, &t, NULL);
	CHECK(t.state.samples == 0, "samples before start");
	CHECK(!c->start(c, &e), "start: %s", e.text);
	drain_until(c, &t, &t.state.samples, 100);
	CHECK(!c->stop(c, &e), "stop: %s", e.text);
	c->drain(c, true, take_words, &t, NULL);
	before = t.state.samples;
	burn_ms(20);
	c->drain(c, true, take_words, &t, NULL);
	CHECK(t.state.samples == before, "samples while stopped");
	CHECK(!c->start(c, &e), "start: %s", e.text);
	drain_until(c, &t, &t.state.samples, before + 100);
	finish(c, &t);
	stop_spinning(pid);
	c->close(c);
}

/* Nobody reads: the queue fills, and the ring, that also earlier while the drain is late. */
TEST(losses_of_full_rings_are_counted)
{
	struct tally t = {.collector = collector_perf()};
	struct collector_status status;
	struct collector *c = t.collector;
	double end = now_s() + DEADLINE_S;
	struct op_error e = {""};
	pid_t pid;

	open_or_skip(c, 100000, 1); /* a page: some 80 samples */
	pid = start_spinning(self_path());
	CHECK(!c->start(c, &e), "start: %s", e.text);
	do {	/* on a busy machine the ring may be full long before the queue */
		usleep(100000);
		c->status(c, &status);
	} while ((totals(c).lost[LOST_RING] < 1000 || !status.queues_full) && now_s() < end);
	CHECK(status.queues_full, "the queue was not full");
	finish(c, &t);
	CHECK(totals(c).lost[LOST_RING] >= 1000, "lost %llu in %d s",
	      (unsigned long long)totals(c).lost[LOST_RING], DEADLINE_S);
	stop_spinning(pid);
	c->close(c);
}

TEST(bad_rates_are_refused)
{
	struct collector *c = collector_perf();
	struct collector_event event = {.count = 14999, .kernel = true, .user = true};
	struct collector_config config = {.events = &event, .nr_events = 1, .clock_khz = 1000000};
	struct op_error e = {""};

	CHECK(c->open(c, &config, &e) == -EINVAL && strstr(e.text, "expected at least"), "%s",
	      e.text);
	event = (struct collector_event){.count = 100000};
	CHECK(c->open(c, &config, &e) == -EINVAL, "%s", e.text);
}

/* ---- a binary that is replaced while records are lost ---- */

extern char other_start[], other_end[];

/* Like spin(), at another place: what the replaced program runs. */
__attribute__((noinline)) static void spin_otherwise(unsigned long n)
{
	__asm__ volatile(".globl other_start\nother_start:\n"
#if defined(__x86_64__)
			 "1: dec %0\n\tjnz 1b\n"
#else
			 "1: subs %0, %0, #1\n\tb.ne 1b\n"
#endif
			 ".globl other_end\nother_end:\n"
			 : "+r"(n)
			 :
			 : "cc");
}

static const char *replaced_path;	/* in the busy program */
static char *replaced_fd;

static void execute_replacement(int signal)
{
	(void)signal;
	execl(replaced_path, replaced_path, "replaced", "otherwise", replaced_fd, (char *)NULL);
	_exit(127);
}

/* "replaced first READY-FD", and after a signal "replaced otherwise READY-FD". */
static int replaced_main(char **argv)
{
	bool first = !strcmp(argv[2], "first");

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	replaced_path = argv[0];
	replaced_fd = argv[3];
	signal(SIGUSR1, execute_replacement);
	if (write(atoi(replaced_fd), "", 1) != 1)
		return 1;
	for (;;)
		first ? spin(rounds) : spin_otherwise(rounds);
}

static void run_on(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK(!sched_setaffinity(pid, sizeof(set), &set), "setaffinity");
}

/* Each build is at the same addresses, where the mappings of the other are remembered. */
static pid_t start_replaceable(const char *path, int cpu, int ready[2])
{
	char number[12], c;
	pid_t pid;

	CHECK(!pipe(ready), "pipe");
	snprintf(number, sizeof(number), "%d", ready[1]);
	pid = fork();
	if (pid == 0) {
		run_on(0, cpu);
		personality(ADDR_NO_RANDOMIZE);
		execl(path, path, "replaced", "first", number, (char *)NULL);
		_exit(127);
	}
	CHECK(read(ready[0], &c, 1) == 1, "%s does not run", path);
	return pid;
}

/* A copy of this program, as one of another build if @id is in it. */
static void put_copy(const char *path, const struct build_id *id, struct build_id *ret)
{
	size_t size;
	char *bytes, *at;

	CHECK(!file_read_all(self_path(), 1 << 30, &bytes, &size), "read");
	at = id ? memmem(bytes, size, id->bytes, id->len) : NULL;
	if (at)
		*at ^= 1;
	CHECK(!file_write_atomic(path, bytes, size, 0755), "write %s", path);
	CHECK(!build_id_read(path, ret), "%s has no build ID", path);
	free(bytes);
}

static struct {
	struct build_id first, other;
	uint64_t other_from, other_to;
} builds;

/* In: the replacement's samples with its build ID. Other: a sample of one with the other's. */
static void tally_builds(struct tally *t, const struct seen *s)
{
	bool otherwise = s->pc >= builds.other_from && s->pc < builds.other_to;
	const struct build_id *want = otherwise ? &builds.other : &builds.first;
	struct build_id id;

	if (!s->user || s->tgid != t->tgid || (!otherwise && (s->pc < t->from || s->pc >= t->to)))
		return;
	id.len = sizeof(id.bytes);
	if (t->collector->cookie_build_id(t->collector, s->cookie, id.bytes, &id.len) ||
	    memcmp(id.bytes, want->bytes, want->len))
		t->other++;
	else if (otherwise)
		t->in++;
	else
		t->out++;
}

/* Fill the queue of this CPU, and its ring, with records of mappings. */
static void fill_ring(struct collector *c)
{
	struct collector_status status = { .queues_full = 0 };
	int fd = open(self_path(), O_RDONLY | O_CLOEXEC), left = 1000;
	double end = now_s() + DEADLINE_S;

	while (left && now_s() < end) {
		for (int i = 0; i < 100; i++)
			munmap(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0), 4096);
		c->status(c, &status);
		left -= status.queues_full != 0;
	}
	CHECK(!left, "the ring is not full after %d s", DEADLINE_S);
	close(fd);
}

static double cpu_seconds(pid_t pid)
{
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) ? 0 : seconds_of(clock);
}

static void run_for(pid_t pid, double seconds)
{
	double end = now_s() + DEADLINE_S, until = cpu_seconds(pid) + seconds;

	while (cpu_seconds(pid) < until && now_s() < end)
		usleep(10000);
}

/*
 * The records of its exec find no room on one CPU, while its samples do on another. None is for the
 * build that it ran before.
 */
TEST(a_binary_replaced_while_records_are_lost)
{
	struct tally t = {.sample = tally_builds, .collector = collector_perf()};
	struct collector *c = t.collector;
	struct op_error e = {""};
	int ready[2], first, last;
	char path[TMPDIR_SIZE], end;
	cpu_set_t cpus;
	pid_t pid;

	CHECK(!sched_getaffinity(0, sizeof(cpus), &cpus), "getaffinity");
	for (first = 0; !CPU_ISSET(first, &cpus); first++)
		;
	for (last = CPU_SETSIZE - 1; !CPU_ISSET(last, &cpus); last--)
		;
	tmpdir_make();
	snprintf(path, sizeof(path), "%s", tmpdir_path("program"));
	put_copy(path, NULL, &builds.first);
	open_or_skip(c, 1000000, 1);
	look_for_spin(&t);
	builds.other_from = file_offset(other_start);
	builds.other_to = file_offset(other_end);
	CHECK(!c->start(c, &e), "start: %s", e.text);
	pid = start_replaceable(path, first, ready);
	t.tgid = (uint32_t)pid;
	drain_until(c, &t, &t.out, 20);

	run_on(0, first);
	fill_ring(c);
	put_copy(path, &builds.first, &builds.other);
	kill(pid, SIGUSR1);
	CHECK(read(ready[0], &end, 1) == 1, "the replacement does not run");
	run_on(pid, last);
	run_for(pid, 0.05);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	drain_until(c, &t, &t.in, 20);
	stop_spinning(pid);
	finish(c, &t);
	printf("# right %llu and %llu, wrong %llu, uncertain %llu\n", (unsigned long long)t.out,
	       (unsigned long long)t.in, (unsigned long long)t.other,
	       (unsigned long long)totals(c).lost[LOST_STALE_MAPPINGS]);
	CHECK(!t.other, "%llu samples for the wrong build", (unsigned long long)t.other);
	CHECK(first == last || totals(c).lost[LOST_STALE_MAPPINGS], "none was uncertain");
	c->close(c);
	tmpdir_remove();
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "replaced"))
		return replaced_main(argv);
	return truth_main(argc, argv);
}
