/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child.h - a process with a /tmp of its own, which writes files for a test and waits
 *
 * It is in a mount namespace, as in a container: its /tmp is visible only through /proc/PID/root.
 */
#ifndef TESTS_UNIT_DAEMON_JIT_CHILD_H
#define TESTS_UNIT_DAEMON_JIT_CHILD_H

#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/tap.h"
#include "tests/unit/own_mounts.h"
#include "tests/unit/tmpdir.h"

#define CHILD_UID 1234

static inline void need_namespaces(void)
{
	pid_t pid;
	int status;

	if (geteuid())
		SKIP("needs root");
	pid = fork();
	if (pid == 0)
		_exit(!own_mounts());
	if (waitpid(pid, &status, 0) != pid || status)
		SKIP("no mount namespaces");
}

/*
 * Run @prepare as user @uid in there, and return when it is done; the process ends with us or by
 * child_end(). Pages that @prepare maps stay mapped.
 */
static inline pid_t child_start(uid_t uid, void (*prepare)(void))
{
	int ends[2];
	char byte;
	pid_t pid;

	if (pipe(ends))
		exit(1);
	pid = fork();
	if (pid == 0) {
		if (!own_mounts() || mount("test", "/tmp", "tmpfs", 0, "mode=1777") ||
		    setresuid(uid, uid, uid) || prctl(PR_SET_PDEATHSIG, SIGKILL))
			_exit(1);
		if (prepare)
			prepare();
		(void)!write(ends[1], "x", 1);
		for (;;)
			pause();
	}
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1) {
		printf("# the child could not be prepared\n");
		exit(1);
	}
	close(ends[0]);
	return pid;
}

static inline void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* In the child: write its own perf map. */
static inline char *own_map(void)
{
	static char path[40];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	return path;
}

#endif
