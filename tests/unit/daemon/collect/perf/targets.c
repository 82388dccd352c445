// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * targets.c - sampling one process: all its threads, whenever they started, and each once
 *
 * The reference is the process's CPU time according to the kernel: samples by time must add up to
 * it, so a thread that was missed or counted twice is seen.
 */
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include "daemon/collect/perf/rings.h"
#include "daemon/collect/perf/targets.h"
#include "tests/unit/daemon/collect/perf/truth.h"

#define PERIOD_NS	1000000

static struct tally tally;

static void count_it(struct tally *t, const struct seen *s)
{
	if ((uint32_t)s->tgid == t->tgid)
		t->in++;
	else if (s->user)
		t->other++;	/* the last ones in the kernel have lost their process */
}

static void open_it(struct collector *c, pid_t pid, bool on_exec)
{
	static const struct collector_event event = { .count = PERIOD_NS, .kernel = true,
						      .user = true };
	static pid_t the_pid;
	static struct collector_targets targets = { .pids = &the_pid, .nr = 1 };
	static struct collector_config config = { .events = &event, .nr_events = 1,
						  .clock_khz = 1000000, .targets = &targets };
	struct op_error e = { "" };

	need_perf();
	the_pid = pid;
	targets.on_exec = on_exec;
	if (c->open(c, &config, &e)) {
		CHECK(false, "open: %s", e.text);
		exit(1);
	}
}

static double cpu_ns(pid_t pid)
{
	struct timespec t = { 0, 0 };
	clockid_t clock;

	if (!clock_getcpuclockid(pid, &clock))
		clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ---- a process that starts threads all the time ---- */

/* Much longer than a period: each thread's first sample comes only after a whole one. */
static void *burn_a_bit(void *unused)
{
	double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + 0.02;

	(void)unused;
	while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end)
		spin(rounds);
	return NULL;
}

static void *start_some(void *unused)
{
	pthread_t thread;

	(void)unused;
	for (;;) {
		if (!pthread_create(&thread, NULL, burn_a_bit, NULL))
			pthread_join(thread, NULL);
	}
	return NULL;
}

static void *burn_on(void *unused)
{
	(void)unused;
	for (;;)
		spin(rounds);
	return NULL;
}

/* Alternate between threads that stay and threads that start others. */
static pid_t start_threads(int nr)
{
	int ready = eventfd(0, EFD_CLOEXEC);
	uint64_t one = 1;
	pid_t pid = fork();

	if (pid) {
		CHECK(read(ready, &one, sizeof(one)) == sizeof(one), "it does not run");
		close(ready);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < nr; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, i % 2 ? burn_on : start_some, NULL);
		if (i == 1)
			(void)!write(ready, &one, sizeof(one));
	}
	start_some(NULL);
	return 0;
}

/*
 * Half of the threads come while events are being opened. The process goes on while events are
 * enabled and disabled, on a busy machine for long: at most all of that is sampled, at least what
 * lies between.
 */
TEST(all_threads_are_sampled_once)
{
	struct collector *c = collector_perf();
	struct op_error e = { "" };
	double starting, started, stopping, stopped, end;
	pid_t pid;

	need_perf();
	pid = start_threads(40);
	tally.tgid = (uint32_t)pid;
	tally.sample = count_it;
	open_it(c, pid, false);
	starting = cpu_ns(pid);
	CHECK(!c->start(c, &e), "start: %s", e.text);
	started = cpu_ns(pid);
	end = started + 1.5e9;
	for (double give_up = now_s() + DEADLINE_S; cpu_ns(pid) < end && now_s() < give_up;) {
		usleep(20000);
		CHECK(!c->drain(c, false, take_words, &tally, &e), "drain: %s", e.text);
	}
	stopping = cpu_ns(pid);
	CHECK(!c->stop(c, &e), "stop: %s", e.text);
	stopped = cpu_ns(pid);
	CHECK(!c->drain(c, true, take_words, &tally, &e), "flush: %s", e.text);
	printf("# %llu samples in %.0f to %.0f ms of CPU time, %llu of others\n",
	       (unsigned long long)tally.in, (stopping - started) / 1e6,
	       (stopped - starting) / 1e6, (unsigned long long)tally.other);
	CHECK(!tally.other, "samples of other processes");
	CHECK((double)tally.in > (stopping - started) / PERIOD_NS * 0.9 &&
	      (double)tally.in < (stopped - starting) / PERIOD_NS * 1.07,
	      "samples missing or taken twice");
	c->close(c);
	stop_spinning(pid);
}

TEST(no_such_process)
{
	static pid_t pid = 0x3ffffff;
	struct collector_targets targets = { .pids = &pid, .nr = 1 };
	struct perf_event_setup setup = { .tid = 0 };
	struct perf_targets t;
	struct op_error e = { "" };

	CHECK(perf_targets_init(&t, &targets, "/proc", &setup, &e) == -ESRCH, "%s", e.text);
	CHECK(strstr(e.text, "process 67108863 not found"), "%s", e.text);
}

/* ---- threads with two sets of events ---- */

TEST(duplicates_are_dropped)
{
	struct perf_targets t = { .nr_tasks = 0 };

	perf_targets_fork(&t, 20, 10);
	CHECK(!perf_targets_is_duplicate(&t, 20, 0), "nobody has two sets");
	t.late = calloc(1, sizeof(*t.late));
	t.room_late = t.nr_late = 1;
	t.late[0] = (struct perf_late){ 10, 3, 0 };
	perf_targets_fork(&t, 30, 10);	/* by the one with two */
	perf_targets_fork(&t, 5, 30);
	perf_targets_fork(&t, 40, 11);	/* by one with its own only */
	for (uint32_t tid = 0; tid < 50; tid++)
		for (unsigned int task = 0; task < 5; task++) {
			bool two = tid == 10 || tid == 30 || tid == 5;

			CHECK(perf_targets_is_duplicate(&t, tid, task) == (two && task != 3),
			      "tid %u, task %u", tid, task);
		}
	perf_targets_begin_reading(&t);
	perf_targets_exit(&t, 10);
	perf_targets_begin_reading(&t);
	CHECK(perf_targets_is_duplicate(&t, 10, 0), "its last samples are to come");
	perf_targets_begin_reading(&t);
	CHECK(!perf_targets_is_duplicate(&t, 10, 0), "it is gone");
	CHECK(perf_targets_is_duplicate(&t, 30, 0), "its children go on");
	perf_targets_exit(&t, 30);
	perf_targets_fork(&t, 30, 11);
	CHECK(!perf_targets_is_duplicate(&t, 30, 0), "its number is another's");
	perf_targets_exit(&t, 30);
	perf_targets_exit(&t, 5);
	perf_targets_begin_reading(&t);
	perf_targets_begin_reading(&t);
	CHECK(!t.nr_late, "%zu are left", t.nr_late);
	perf_targets_free(&t);
}

/* ---- from exec on ---- */

TEST(a_program_is_sampled_from_its_exec_on)
{
	struct collector *c = collector_perf();
	int go[2], status;
	struct op_error e = { "" };
	struct rusage usage;
	double used;
	pid_t pid;

	need_perf();
	CHECK(!pipe(go), "pipe");
	pid = fork();
	if (!pid) {
		char byte;

		burn_ms(20);
		(void)!read(go[0], &byte, 1);
		burn_ms(100);	/* enabled by nothing but exec */
		execl(self_path(), self_path(), "spin", "-1", "300", (char *)NULL);
		_exit(127);
	}
	tally.tgid = (uint32_t)pid;
	tally.sample = count_it;
	open_it(c, pid, true);
	CHECK(!c->start(c, &e), "start: %s", e.text);
	CHECK(write(go[1], "", 1) == 1, "go");
	CHECK(wait4(pid, &status, 0, &usage) == pid && !status, "status %d", status);
	CHECK(!c->stop(c, &e), "stop: %s", e.text);
	CHECK(!c->drain(c, true, take_words, &tally, &e), "flush: %s", e.text);
	used = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
	printf("# %llu samples of %.0f ms\n", (unsigned long long)tally.in, used);
	CHECK(tally.in > 270 && tally.in < 330 + used - 420, "not those of 300 ms");
	CHECK(!tally.other, "others");
	c->close(c);
}

int main(int argc, char **argv)
{
	return truth_main(argc, argv);
}
