// SPDX-License-Identifier: GPL-2.0-or-later
/* privileges.c - the daemon keeps what it needs to sample everybody, and nothing else */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/stat.h>
#include "libdb/session/lock.h"
#include "libutil/file.h"
#include "libutil/sandbox/capabilities.h"
#include "tests/unit/children.h"
#include "tests/unit/daemon/program.h"

#define OTHER	65534
#define NEEDED	(CAPABILITY(CAP_PERFMON) | CAPABILITY(CAP_SYSLOG) | CAPABILITY(CAP_SYS_PTRACE) | \
		 CAPABILITY(CAP_DAC_READ_SEARCH) | CAPABILITY(CAP_IPC_LOCK) | \
		 CAPABILITY(CAP_SYS_NICE) | CAPABILITY(CAP_SYS_RESOURCE) | CAPABILITY(40) | \
		 CAPABILITY(CAP_CHOWN) | CAPABILITY(CAP_FOWNER))

static void need_root(void)
{
	need_perf();
	if (geteuid())
		SKIP("needs root");
}

static char *status_of(const char *process)
{
	char *path = xasprintf("/proc/%s/status", process), *text;

	if (file_read_all(path, 65536, &text, NULL))
		text = xstrdup("");
	free(path);
	return text;
}

static uint64_t field(const char *status, const char *name, int base)
{
	const char *p = strstr(status, name);

	return p ? strtoull(p + strlen(name), NULL, base) : UINT64_MAX;
}

/* Runs @check for the status of each thread of @pid; returns their number. */
static int each_thread(pid_t pid, void (*check)(const char *status))
{
	char *path = xasprintf("/proc/%d/task", pid);
	DIR *dir = opendir(path);
	struct dirent *entry;
	int nr = 0;

	while (dir && (entry = readdir(dir))) {
		char *status;

		if (entry->d_name[0] == '.')
			continue;
		status = status_of(entry->d_name);
		check(status);
		free(status);
		nr++;
	}
	if (dir)
		closedir(dir);
	free(path);
	return nr;
}

static void check_daemon(const char *status)
{
	uint64_t now = field(status, "\nCapEff:", 16);

	CHECK(!(now & ~NEEDED), "too many: %" PRIx64, now & ~NEEDED);
	CHECK(now & CAPABILITY(CAP_SYS_PTRACE), "too few: %" PRIx64, now);
	CHECK(!(field(status, "\nCapPrm:", 16) & ~NEEDED), "permitted");
	CHECK(!field(status, "\nCapBnd:", 16), "of what it would execute");
	CHECK(!field(status, "\nCapInh:", 16) && !field(status, "\nCapAmb:", 16), "inherited");
	CHECK(field(status, "\nNoNewPrivs:", 10) == 1, "new privileges");
}

static void check_helper(const char *status)
{
	CHECK(field(status, "\nUid:", 10) && field(status, "\nGid:", 10), "another user");
	CHECK(!field(status, "\nCapPrm:", 16) && !field(status, "\nCapBnd:", 16), "no rights");
}

/* It replaces the helper, which then has to become another user. */
static void check_keeper(const char *status)
{
	uint64_t needed = CAPABILITY(CAP_SETUID) | CAPABILITY(CAP_SETGID);

	CHECK(field(status, "\nCapPrm:", 16) == needed && !field(status, "\nCapBnd:", 16), "%s",
	      status);
}

static bool has_file(const char *dir, const char *part)
{
	char *command = xasprintf("find '%s' -path '*%s*' -type f | grep -q .", dir, part);
	bool found = !system(command);

	free(command);
	return found;
}

TEST(of_all_its_threads)
{
	pid_t pid;

	need_root();
	tmpdir_make();
	CHECK(!run(tmpdir_path("sd"), "--collector=perf --callgraph-depth=8 " EVENT) &&
	      !output[0], "%s", output);
	pid = session_lock_pid(tmpdir_path("sd"));
	if (!pid)
		return;
	CHECK(each_thread(pid, check_daemon) >= 2, "the one that waits for tables, too");
	CHECK(each_thread(first_child(pid), check_keeper) == 1, "what keeps the helper");
	CHECK(worker_helper(pid) && each_thread(worker_helper(pid), check_helper) == 1,
	      "the helper");
	CHECK(!ask("shutdown"), "shutdown");
}

/* Its folders and its binary may not be read by others than its owner, and then by nobody. */
static pid_t other_users_program(void)
{
	char *copy = xstrdup(tmpdir_path("private/program"));
	char *command = xasprintf("mkdir -m 700 '%s' && cp /bin/sh '%s' && chmod 500 '%s' && "
				  "chown -R %d '%s'", tmpdir_path("private"), copy, copy, OTHER,
				  tmpdir_path("private"));
	pid_t pid;

	CHECK(!system(command), "%s", command);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (chmod(tmpdir, 0711) || setresgid(OTHER, OTHER, OTHER) ||
		    setresuid(OTHER, OTHER, OTHER))
			_exit(1);
		execl(copy, "sh", "-c", "while :; do :; done", NULL);
		_exit(1);
	}
	free(command);
	free(copy);
	return pid;
}

TEST(samples_everybody)
{
	pid_t other;

	need_root();
	tmpdir_make();
	other = other_users_program();
	CHECK(!start(tmpdir_path("sd")) && !output[0], "%s", output);
	CHECK(!ask("start"), "start");
	for (int i = 0; i < 200 && !has_file(tmpdir_path("sd/samples"), "private/program"); i++) {
		poll(NULL, 0, 100);
		CHECK(!ask("dump"), "dump");
	}
	CHECK(has_file(tmpdir_path("sd/samples/current"), "private/program"), "its samples");
	CHECK(has_file(tmpdir_path("sd/samples/current"), "kallsyms") ||
	      has_file(tmpdir_path("sd/samples/current"), "kernel-symbols"), "kernel symbols");
	kill(other, SIGKILL);
	CHECK(!ask("shutdown"), "shutdown");
}

TEST(log_names_them)
{
	char *text;

	need_root();
	tmpdir_make();
	CHECK(!start(tmpdir_path("sd")) && !output[0], "%s", output);
	CHECK(!ask("shutdown"), "shutdown");
	CHECK(!file_read_all(tmpdir_path("sd/samples/oprofiled.log"), 100000, &text, NULL) &&
		      strstr(text, "capabilities: perfmon, syslog, sys_ptrace"), "the log");
	free(text);
}

TEST_MAIN()
