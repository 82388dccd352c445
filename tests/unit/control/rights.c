// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rights.c - what a user may profile, and the message if not [OF-5] [OF-6]
 *
 * With a fake kernel, sysctls and /proc/self/status, so that each failure can be tested on any
 * machine, as any user.
 */
#include <limits.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libutil/file.h"
#include "libutil/number.h"
#include "control/machine/rights.h"
#include "tests/tap.h"
#include "tests/unit/daemon/collect/perf/fake_perf_open.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* ---- the machine ---- */

static struct machine {
	int user, kernel;		/* errno of profiling user code only, and the kernel, too */
	const char *paranoid;		/* NULL: unreadable */
	const char *seccomp;		/* of /proc/self/status */
	const char *mlock_kb;
	const char *kptr;
	uid_t uid;
	rlim_t memlock;
} machine;
static pid_t asked_pid;
static int asked_cpu;

static int fake_perf_open(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int err = attr->exclude_kernel ? machine.user : machine.kernel;

	asked_pid = pid;
	asked_cpu = cpu;
	if (!err)
		return dup(STDERR_FILENO);
	errno = err;
	return -1;
}

int file_read_line(const char *path, char *buf, size_t size)
{
	const char *line = strstr(path, "perf_event_paranoid") ? machine.paranoid :
			   strstr(path, "perf_event_mlock_kb") ? machine.mlock_kb :
			   strstr(path, "kptr_restrict") ? machine.kptr : NULL;

	if (!line)
		return -ENOENT;
	snprintf(buf, size, "%s", line);
	return 0;
}

int file_read_u64(const char *path, uint64_t *ret)
{
	char line[32];
	int err = file_read_line(path, line, sizeof(line));

	return err ? err : number_parse_u64(line, ret);
}

int file_read_all(const char *path, size_t limit, char **ret_text, size_t *ret_len)
{
	(void)path;
	(void)limit;
	(void)ret_len;
	*ret_text = strdup(machine.seccomp ? machine.seccomp : "Name:\toperf\nSeccomp:\t0\n");
	return *ret_text ? 0 : -ENOMEM;
}

uid_t geteuid(void)
{
	return machine.uid;
}

int getrlimit(__rlimit_resource_t resource, struct rlimit *ret)
{
	if (resource != RLIMIT_MEMLOCK)
		return prlimit(0, resource, NULL, ret);
	*ret = (struct rlimit){ machine.memlock, machine.memlock };
	return 0;
}

/* ---- messages ---- */

#define OPSAMPLE	"; opsample profiles a command without perf_event_open(2)"

static const struct {
	struct machine machine;
	bool whole_machine;
	int result;
	bool kernel;
	const char *message;
} cases[] = {
	{ { .paranoid = "2" }, false, 0, true, "" },
	{ { .kernel = EACCES, .paranoid = "2" }, false, 0, false,
	  "kernel.perf_event_paranoid is 2; set it to 1, or have CAP_PERFMON" },
	{ { .user = EACCES, .kernel = EACCES, .paranoid = "3" }, false, -EACCES, false,
	  "profiling programs is not permitted: kernel.perf_event_paranoid is 3; run as root, have "
	  "CAP_PERFMON (setcap cap_perfmon+ep), or as root: sysctl kernel.perf_event_paranoid=2"
	  OPSAMPLE },
	{ { .user = EACCES, .kernel = EACCES, .paranoid = "4" }, true, -EACCES, false,
	  "profiling the whole machine is not permitted: kernel.perf_event_paranoid is 4; run as "
	  "root, have CAP_PERFMON (setcap cap_perfmon+ep), or as root: sysctl "
	  "kernel.perf_event_paranoid=0" OPSAMPLE },
	{ { .user = EACCES, .kernel = EACCES, .paranoid = "1" }, true, -EACCES, false,
	  "profiling the whole machine is not permitted: kernel.perf_event_paranoid is 1; run as "
	  "root, have CAP_PERFMON (setcap cap_perfmon+ep), or as root: sysctl "
	  "kernel.perf_event_paranoid=0" OPSAMPLE },
	{ { .user = EPERM, .kernel = EPERM, .paranoid = "2",
	    .seccomp = "Name:\toperf\nSeccomp:\t2\nSeccomp_filters:\t1\n" }, false, -EPERM, false,
	  "profiling programs is not permitted: a seccomp filter, such as a container's, forbids "
	  "perf_event_open(2); start the container with CAP_PERFMON (docker: --cap-add=PERFMON) "
	  "or a seccomp profile that allows it" OPSAMPLE },
	{ { .user = EACCES, .kernel = EACCES, .paranoid = "-1" }, false, -EACCES, false,
	  "profiling programs is not permitted (Permission denied), though "
	  "kernel.perf_event_paranoid is -1: a security module or a container forbids it; run "
	  "as root, or have CAP_PERFMON" OPSAMPLE },
	{ { .user = EACCES, .kernel = EACCES }, false, -EACCES, false,
	  "profiling programs is not permitted (Permission denied), and "
	  "kernel.perf_event_paranoid cannot be read: a security module or a container forbids "
	  "it; run as root, or have CAP_PERFMON" OPSAMPLE },
	{ { .user = ENOSYS, .kernel = ENOSYS, .paranoid = "2" }, false, -ENOSYS, false,
	  "the kernel does not support perf_event_open(2) (CONFIG_PERF_EVENTS is not set), or a "
	  "filter hides it" OPSAMPLE },
	{ { .user = EMFILE, .kernel = EMFILE, .paranoid = "2" }, false, -EMFILE, false,
	  "profiling programs: perf_event_open(2): Too many open files" },
};

TEST(who_may_profile)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rights rights;
		struct op_error e = { "" };
		int result;

		machine = cases[i].machine;
		result = rights_find(cases[i].whole_machine, &rights, &e);
		CHECK(result == cases[i].result, "%zu: %d", i, result);
		CHECK(asked_cpu == (cases[i].whole_machine ? 0 : -1) &&
		      asked_pid == (cases[i].whole_machine ? -1 : 0), "%zu: asked for", i);
		if (result)
			CHECK(!strcmp(e.text, cases[i].message), "%zu: %s", i, e.text);
		else
			CHECK(rights.kernel == cases[i].kernel &&
			      !strcmp(rights.no_kernel, cases[i].message), "%zu: %s", i,
			      rights.no_kernel);
	}
}

static pid_t ended_process(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

TEST(processes)
{
	struct op_error e = { "" };
	char expected[80];
	pid_t ended = ended_process();

	machine = (struct machine){ .paranoid = "2" };
	CHECK(!rights_check_process(getpid(), &e) && asked_pid == getpid(), "%s", e.text);
	machine.user = EACCES;
	snprintf(expected, sizeof(expected), "profiling process %d is not permitted: it belongs to "
		 "another user", (int)getpid());
	CHECK(rights_check_process(getpid(), &e) == -EACCES && strstr(e.text, expected) &&
	      strstr(e.text, "CAP_PERFMON") && strstr(e.text, "CAP_SYS_PTRACE"), "%s", e.text);
	machine.user = ESRCH;
	CHECK(rights_check_process(getpid(), &e) == -ESRCH && strstr(e.text, "has ended"), "%s",
	      e.text);
	snprintf(expected, sizeof(expected), "process %d not found", (int)ended);
	CHECK(rights_check_process(ended, &e) == -ESRCH && !strcmp(e.text, expected), "%s", e.text);
	machine.user = EMFILE;
	CHECK(rights_check_process(getpid(), &e) == -EMFILE &&
	      !strcmp(e.text, "profiling a process: perf_event_open(2): Too many open files"), "%s",
	      e.text);
}

static const struct {
	struct machine machine;
	const char *words;
} hidden[] = {
	{ { .kptr = "2", .paranoid = "1" },
	  "kernel.kptr_restrict is 2; as root: sysctl kernel.kptr_restrict=1" },
	{ { .kptr = "2", .paranoid = "1", .uid = 1000 },
	  "kernel.kptr_restrict is 2; as root: sysctl kernel.kptr_restrict=1, then run as root or "
	  "have CAP_SYSLOG" },
	{ { .kptr = "1", .paranoid = "1", .uid = 1000 },
	  "kernel.kptr_restrict is 1; run as root, have CAP_SYSLOG, or as root: sysctl "
	  "kernel.kptr_restrict=0" },
	{ { .kptr = "1", .paranoid = "4", .uid = 1000 },
	  "kernel.kptr_restrict is 1; run as root, have CAP_SYSLOG, or as root: sysctl "
	  "kernel.kptr_restrict=0 kernel.perf_event_paranoid=1" },
	{ { .kptr = "0", .paranoid = "2", .uid = 1000 },
	  "kernel.perf_event_paranoid is 2; run as root, have CAP_SYSLOG, or as root: sysctl "
	  "kernel.perf_event_paranoid=1" },
	{ { .kptr = "0", .paranoid = "1" },
	  "a security module or a container hides them; have CAP_SYSLOG" },
	{ { .paranoid = "2" },
	  "cannot read kernel.kptr_restrict; run outside the container" },
};

TEST(why_addresses_are_hidden)
{
	for (size_t i = 0; i < ARRAY_SIZE(hidden); i++) {
		char words[200];

		machine = hidden[i].machine;
		rights_explain_hidden(words, sizeof(words));
		CHECK(!strcmp(words, hidden[i].words), "%zu: %s", i, words);
	}
}

TEST(lockable_memory)
{
	size_t cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF);

	machine = (struct machine){ .paranoid = "2", .mlock_kb = "516", .uid = 1000,
				    .memlock = 8 << 20 };
	CHECK(rights_ring_bytes() == 516 * 1024 + (8 << 20) / cpus, "%zu", rights_ring_bytes());
	machine.memlock = RLIM_INFINITY;
	CHECK(!rights_ring_bytes(), "no limit");
	machine.memlock = 0;
	CHECK(rights_ring_bytes() == 516 * 1024, "the kernel's own allowance");
	machine.paranoid = "-1";
	CHECK(!rights_ring_bytes(), "no limit for anybody");
	machine.paranoid = "2";
	machine.uid = 0;
	CHECK(!rights_ring_bytes(), "no limit for root");
}

TEST_MAIN()
