/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program.h - build/bin/oprofiled run by a test, with the perf collector below tmpdir/sd */
#ifndef TESTS_UNIT_DAEMON_PROGRAM_H
#define TESTS_UNIT_DAEMON_PROGRAM_H

#include <signal.h>
#include <sys/prctl.h>
#include "libutil/channel.h"
#include "libutil/xalloc.h"
#include "tests/tap.h"
#include "tests/unit/daemon/collect/perf/need_perf.h"
#include "tests/unit/tmpdir.h"

#define EVENT "--events=CPU_CLK_UNHALTED:0:0:2000000:0:1:1"

static char said[5000];
static char *program_dir;

/* In a chroot /proc/self/exe leads nowhere once the test has a mount namespace of its own. */
__attribute__((constructor)) static void find_program_dir(void)
{
	program_dir = path_program_dir();
}

/* Run oprofiled with @options; its exit status, and in said[] what it wrote. */
static inline int run(const char *session_dir, const char *options)
{
	char *command = xasprintf("%s/../bin/oprofiled --session-dir='%s' %s 2>&1", program_dir,
				  session_dir, options);
	FILE *f = popen(command, "r");
	size_t n = f ? fread(said, 1, sizeof(said) - 1, f) : 0;
	int status = f ? pclose(f) : -1;

	said[n] = '\0';
	free(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline int start(const char *session_dir)
{
	return run(session_dir, "--collector=perf " EVENT);
}

static inline int ask(const char *request)
{
	return channel_ask(tmpdir_path("sd/control"), request, 20000, NULL, NULL);
}

/* Something to sample, which ends with the test however that ends. */
static inline pid_t busy_child(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		;
}

/* What it said is one line, with its name. */
static inline bool one_line(void)
{
	char *end = strchr(said, '\n');

	return end && !end[1] && !strncmp(said, "oprofiled: ", 11);
}

#endif
