/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program.h - run build/bin/oprofiled with the perf collector, below tmpdir/sd */
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

static char output[5000];
static char *program_dir;

/* In a chroot /proc/self/exe is invalid once the test has a mount namespace of its own. */
__attribute__((constructor)) static void find_program_dir(void)
{
	program_dir = path_program_dir();
}

/* Run oprofiled with @options. Returns the exit status; output[] is its output. */
static inline int run(const char *session_dir, const char *options)
{
	char *command = xasprintf("%s/../bin/oprofiled --session-dir='%s' %s 2>&1", program_dir,
				  session_dir, options);
	FILE *f = popen(command, "r");
	size_t n = f ? fread(output, 1, sizeof(output) - 1, f) : 0;
	int status = f ? pclose(f) : -1;

	output[n] = '\0';
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

/* A child to sample, which ends with the test, however that ends. */
static inline pid_t busy_child(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		;
}

/* Whether the output is one line with the program's name. */
static inline bool has_one_line(void)
{
	char *end = strchr(output, '\n');

	return end && !end[1] && !strncmp(output, "oprofiled: ", 11);
}

#endif
