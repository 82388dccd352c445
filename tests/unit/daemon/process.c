// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * process.c - oprofiled as a program: ready when it returns, one per session, robust
 *
 * Runs build/bin/oprofiled with the perf collector, so most tests need root.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "daemon/process.h"
#include "libdb/odb/odb.h"
#include "libdb/session/header.h"
#include "libdb/session/session.h"
#include "tests/unit/daemon/collect/bpf/need_bpf.h"
#include "tests/unit/daemon/program.h"
#include "tests/unit/forbid_call.h"

static pid_t pid_of_lock(void)
{
	char text[32];

	return file_read_line(tmpdir_path("sd/lock"), text, sizeof(text)) ? 0 : atoi(text);
}

static bool is_alive(pid_t pid)
{
	char path[64], *text;
	bool yes;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (file_read_all(path, 10000, &text, NULL))
		return false;
	yes = !strstr(text, ") Z ");
	free(text);
	return yes;
}

static bool wait_until_gone(pid_t pid)
{
	for (int i = 0; i < 6000; i++) {
		if (!is_alive(pid))
			return true;
		usleep(10000);
	}
	return false;
}

TEST(bad_starts)
{
	tmpdir_make();
	CHECK(run(tmpdir_path("sd"), "") == 1 && has_one_line() && strstr(output, "--events="),
	      "%s", output);
	CHECK(run(tmpdir_path("sd"), "--wrong") == 1 && has_one_line(), "%s", output);
	put_text(tmpdir_path("file"), "");
	CHECK(start(tmpdir_path("file")) == 1 && has_one_line() &&
		      strstr(output, "session directory"),
	      "%s", output);
	CHECK(start(tmpdir_path("file/below")) == 1 && has_one_line() &&
		      strstr(output, "session directory"),
	      "%s", output);
	CHECK(strstr(output, "choose another with --session-dir="), "%s", output);
	CHECK(run(tmpdir_path("sd"), "--help") == 0 &&
		      strstr(output, "  -k, --vmlinux=FILE               the kernel's image\n"),
	      "%s", output);
	CHECK(run(tmpdir_path("sd"), "--version") == 0 &&
		      !strncmp(output, "oprofiled: oprofile ", 20),
	      "%s", output);
}

TEST(an_unknown_event)
{
	need_perf();
	tmpdir_make();
	CHECK(run(tmpdir_path("sd"), "--collector=perf --events=NOSUCH:0:0:2000000:0:1:1") == 1 &&
		      has_one_line() && strstr(output, "'NOSUCH'"),
	      "%s", output);
	CHECK(!file_exists(tmpdir_path("sd/lock")), "lock left behind");
}

/* Another user's folder, without root's rights. */
TEST(a_read_only_folder)
{
	tmpdir_make();
	if (getuid() || chmod(tmpdir, 0755) || setgid(65534) || setuid(65534))
		SKIP("needs root, to become another user");
	if (run(tmpdir_path("sd"), "--version"))
		SKIP("the build folder cannot be read by other users");
	CHECK(start(tmpdir_path("sd")) == 1 && has_one_line() &&
		      strstr(output, "Permission denied") && strstr(output, "--session-dir="),
	      "%s", output);
}

TEST(a_second_daemon)
{
	struct op_error e = { "" };
	int fd;

	tmpdir_make();
	fd = lock_take(tmpdir, &e);
	CHECK(fd >= 0 && !lock_sign(fd, tmpdir, &e), "%s", e.text);
	CHECK(lock_take(tmpdir, &e) == -EBUSY && strstr(e.text, "another oprofiled (pid "), "%s",
	      e.text);
	close(fd);
}

/* Wait until the log contains @words: a signal takes a while. */
static bool wait_for_log(const char *words)
{
	bool there = false;

	for (int i = 0; i < 6000 && !there; i++) {
		char *text;

		if (!file_read_all(tmpdir_path("sd/samples/oprofiled.log"), 100000, &text, NULL)) {
			there = strstr(text, words);
			free(text);
		}
		if (!there)
			usleep(10000);
	}
	return there;
}

static bool has_cwd(pid_t pid, const char *dir)
{
	struct stat cwd, want;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/cwd", pid);
	return !stat(path, &cwd) && !stat(dir, &want) && cwd.st_dev == want.st_dev &&
	       cwd.st_ino == want.st_ino;
}

TEST(start_to_end)
{
	char *text;
	pid_t pid;

	need_perf();
	tmpdir_make();
	CHECK(start(tmpdir_path("sd")) == 0 && !output[0], "%s", output);
	pid = pid_of_lock();
	CHECK(is_alive(pid), "pid %d", pid);
	CHECK(has_cwd(pid, tmpdir_path("sd")), "it keeps the folder busy that it was started in");
	CHECK(!ask("ping"), "not ready");
	CHECK(start(tmpdir_path("sd")) == 1 && has_one_line() &&
		      strstr(output, "another oprofiled (pid "),
	      "%s", output);
	CHECK(is_alive(pid) && pid_of_lock() == pid, "the second one disturbed the first");
	CHECK(!ask("start"), "start");
	kill(pid, SIGUSR1);
	kill(pid, SIGUSR2);
	rename(tmpdir_path("sd/samples/oprofiled.log"), tmpdir_path("old.log"));
	kill(pid, SIGHUP);
	CHECK(wait_for_log("Received SIGHUP."), "no new log");
	kill(pid, SIGALRM);
	CHECK(wait_for_log("-- OProfile Statistics --"), "no statistics");
	CHECK(!ask("dump"), "dump");
	kill(pid, SIGTERM);
	CHECK(wait_until_gone(pid), "still there");
	CHECK(!file_exists(tmpdir_path("sd/lock")) && !file_exists(tmpdir_path("sd/control")),
	      "lock or socket left");
	CHECK(!file_read_all(tmpdir_path("old.log"), 100000, &text, NULL) &&
		      !strncmp(text, "oprofiled started ", 18) &&
		      strstr(text, "\nkernel pointer size: 8\n"),
	      "the log");
	free(text);
}

static int nice_of_session(pid_t pid)
{
	char path[64], text[64];
	int group, nice;

	snprintf(path, sizeof(path), "/proc/%d/autogroup", pid);
	if (access(path, W_OK) || file_read_line(path, text, sizeof(text)) ||
	    sscanf(text, "/autogroup-%d nice %d", &group, &nice) != 2)
		SKIP("the kernel has no automatic groups");
	return nice;
}

/* The nice value of a thread alone means nothing to the other sessions. [CC-60] */
TEST(in_the_background_it_raises_its_session)
{
	cpu_set_t cpus;
	pid_t pid;

	need_perf();
	tmpdir_make();
	if (getpriority(PRIO_PROCESS, 0))
		SKIP("it keeps the priority that this test has");
	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	CHECK(!sched_setaffinity(0, sizeof(cpus), &cpus), "bind to a CPU: no SCHED_DEADLINE");
	/* the kernel refuses a value in the tenth of a second after another one, of anybody */
	for (int i = 0; i < 5; i++) {
		CHECK(start(tmpdir_path("sd")) == 0 && !ask("start"), "%s", output);
		pid = pid_of_lock();
		if (nice_of_session(pid) == -20)
			break;
		CHECK(i < 4, "nice value %d", nice_of_session(pid));
		CHECK(!ask("shutdown") && wait_until_gone(pid), "shutdown");
	}
	CHECK(!ask("shutdown"), "shutdown");
}

/* Start with the collector "auto" and @options, end, and return the status in between. */
static const char *status_of_auto(const char *options)
{
	static struct strbuf status = STRBUF_INIT;
	char *all = xasprintf("--collector=auto %s " EVENT, options);
	struct op_error e = { "" };

	strbuf_reset(&status);
	CHECK(!run(tmpdir_path("sd"), all) && !output[0], "%s", output);
	CHECK(!channel_ask(tmpdir_path("sd/control"), "status", 20000, &status, &e), "%s", e.text);
	CHECK(!ask("shutdown"), "shutdown");
	free(all);
	return status.text;
}

/* BPF where there are stacks to walk and it works, else perf, and why. */
TEST(auto_is_bpf_or_perf)
{
	const char *status;

	need_bpf();
	tmpdir_make();
	status = status_of_auto("--callgraph-depth=8");
	CHECK(strstr(status, "\ncollector bpf\n") && !strstr(status, "no_bpf"), "%s", status);
	status = status_of_auto("--callgraph-depth=8 --unwind=fp");
	CHECK(strstr(status, "\ncollector perf\n") && !strstr(status, "no_bpf"), "%s", status);
	if (!forbid_call_of(SYS_bpf, BPF_LINK_CREATE, EINVAL))
		SKIP("filters of system calls are not supported");
	status = status_of_auto("--callgraph-depth=8");
	CHECK(strstr(status, "\ncollector perf\nno_bpf cannot run the BPF program on CPU "), "%s",
	      status);
	CHECK(forbid_call(SYS_bpf, EPERM), "filter");
	status = status_of_auto("--callgraph-depth=8");
	CHECK(strstr(status, "\ncollector perf\nno_bpf cannot load the BPF program: "), "%s",
	      status);
}

/* The old daemon, which may still be exiting, does not disturb the new one. */
TEST(shutdown_is_complete_when_answered)
{
	pid_t pid = 0;

	need_perf();
	tmpdir_make();
	for (int i = 0; i < 10; i++) {
		CHECK(start(tmpdir_path("sd")) == 0, "%s", output);
		pid = pid_of_lock();
		CHECK(!ask("start"), "start");
		CHECK(!ask("shutdown"), "shutdown");
		CHECK(!file_exists(tmpdir_path("sd/lock")),
		      "the lock existed when the answer came");
	}
	CHECK(wait_until_gone(pid), "still there");
	CHECK(!file_exists(tmpdir_path("sd/control")), "the socket was left");
}

/* The number of samples in all sample files, which must be valid. */
static uint64_t samples_below(const char *dir)
{
	char *command = xasprintf("find '%s' -name 'TIMER.*' -print0", dir), *path = NULL;
	FILE *list = popen(command, "r");
	uint64_t sum = 0;
	size_t size = 0;

	/* a folder's name may have a newline: other tests run such programs meanwhile */
	while (list && getdelim(&path, &size, '\0', list) > 0) {
		struct odb_snapshot s;
		struct op_error e = { "" };
		int err;

		err = odb_read(path, SAMPLE_HEADER_SIZE, &s, &e);
		CHECK(!err || err == -ENODATA, "%s", e.text);
		if (err)
			continue;
		for (uint32_t i = 0; i < s.nr_nodes; i++)
			sum += s.nodes[i].count;
		odb_snapshot_free(&s);
	}
	if (list)
		pclose(list);
	free(path);
	free(command);
	return sum;
}

/* The number of recorded samples in stats/counts; each CPU's counts must balance. */
static uint64_t recorded(void)
{
	struct session_counts counts = { 0, NULL };
	struct op_error e = { "" };
	uint64_t sum = 0;

	if (session_counts_read_e(tmpdir_path("sd/samples/current/stats"), &counts, &e))
		CHECK(false, "%s", e.text);
	for (unsigned int i = 0; i < counts.nr_cpus; i++) {
		const struct cpu_counts *c = &counts.cpu[i];
		uint64_t accounted = c->recorded + c->filtered + c->idle;

		for (int r = 0; r < NR_LOSS_REASONS; r++)
			accounted += c->lost[r];
		CHECK(c->received == accounted, "cpu %u: received %llu, accounted for %llu", i,
		      (unsigned long long)c->received, (unsigned long long)accounted);
		sum += c->recorded;
	}
	free(counts.cpu);
	return sum;
}

/* The daemon must exit, because another one may write there. */
TEST(a_session_that_is_removed)
{
	pid_t pid;

	need_perf();
	tmpdir_make();
	CHECK(start(tmpdir_path("sd")) == 0, "%s", output);
	pid = pid_of_lock();
	CHECK(pid > 0 && !ask("start"), "sampling");
	CHECK(!file_remove_tree(tmpdir_path("sd")) || !file_exists(tmpdir_path("sd/lock")),
	      "the session was not removed");
	CHECK(wait_until_gone(pid), "its daemon still runs");
	CHECK(start(tmpdir_path("sd")) == 0 && !ask("shutdown"), "%s", output);
}

TEST(killed_at_50_moments)
{
	uint64_t sum = 0, before;
	pid_t pid, busy;

	need_perf();
	tmpdir_make();
	busy = busy_child();
	for (int i = 0; i < 50; i++) {
		CHECK(start(tmpdir_path("sd")) == 0, "start %d: %s", i, output);
		pid = pid_of_lock();
		CHECK(!sum || recorded() == sum, "start %d: %llu recorded, %llu in the files", i,
		      (unsigned long long)recorded(), (unsigned long long)sum);
		CHECK(!ask("start"), "start sampling");
		if (i % 3 == 1)
			CHECK(!ask("dump"), "dump");
		usleep(test_random() % 100000);
		if (i % 3 == 0)
			CHECK(!ask("dump"), "dump");
		kill(pid, SIGKILL);
		CHECK(wait_until_gone(pid), "kill -9 did not end it");
		before = sum;
		sum = samples_below(tmpdir_path("sd/samples/current"));
		CHECK(sum >= before, "kill %d: %llu samples, %llu before", i,
		      (unsigned long long)sum, (unsigned long long)before);
	}
	kill(busy, SIGKILL);
	waitpid(busy, NULL, 0);
	CHECK(sum > 50, "%llu samples in all", (unsigned long long)sum);
	CHECK(start(tmpdir_path("sd")) == 0 && !ask("shutdown"), "start after that: %s", output);
	CHECK(recorded() == sum, "%llu recorded, %llu in the files",
	      (unsigned long long)recorded(), (unsigned long long)sum);
}

TEST_MAIN()
