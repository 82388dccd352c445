// SPDX-License-Identifier: GPL-2.0-or-later
/* sandbox.c - the limits, then Landlock and the filter of system calls */
#include "libutil/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "libutil/file.h"
#include "libutil/sandbox/capabilities.h"

/* What root's reports need: read every file, write the output, see the kernel's addresses. */
#define REPORT_CAPABILITIES	(CAPABILITY(CAP_DAC_READ_SEARCH) | CAPABILITY(CAP_DAC_OVERRIDE) | \
				 CAPABILITY(CAP_SYSLOG))

static int limit(int resource, uint64_t value)
{
	const struct rlimit both = { value, value };
	struct rlimit now;

	if (getrlimit(resource, &now))
		return -errno;
	if (now.rlim_max <= value)	/* lower already: keep it */
		return 0;
	return setrlimit(resource, &both) ? -errno : 0;
}

/* RLIMIT_AS counts all that is mapped, also by a process that we were forked from. */
static int limit_memory(uint64_t more)
{
	uint64_t pages;
	char line[200];

	if (file_read_line("/proc/self/statm", line, sizeof(line)) ||
	    sscanf(line, "%" SCNu64, &pages) != 1)
		pages = 0;
	return limit(RLIMIT_AS, pages * (uint64_t)sysconf(_SC_PAGESIZE) + more);
}

static int set_limits(const struct sandbox *s)
{
	int err = s->kind == SANDBOX_COMPUTE ? limit(RLIMIT_CORE, 0) : 0;

	if (!err && s->cpu_seconds)
		err = limit(RLIMIT_CPU, s->cpu_seconds);
	if (!err && s->file_size)
		err = limit(RLIMIT_FSIZE, s->file_size);
	if (!err && s->memory)
		err = limit_memory(s->memory);
	if (s->seconds) {
		/* the filter leaves no way to block, catch or stop it */
		signal(SIGALRM, SIG_DFL);
		alarm(s->seconds);
	}
	return err;
}

int sandbox_enter(const struct sandbox *s)
{
	sigset_t alarm_only;
	int err, landlock;

	if (s->seconds) {
		sigemptyset(&alarm_only);
		sigaddset(&alarm_only, SIGALRM);
		sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
	}
	err = set_limits(s);
	if (!err && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = -errno;
	if (err)
		return err;
	landlock = sandbox_landlock(s);
	if (landlock && landlock != -ENOSYS && landlock != -EOPNOTSUPP)
		return landlock;
	err = capabilities_keep(s->kind == SANDBOX_REPORT ? REPORT_CAPABILITIES : 0);
	return err ? err : sandbox_filter(s, !landlock);
}

static int compare_ints(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void sandbox_close_others(int *fds, size_t nr)
{
	unsigned int from = 3;

	qsort(fds, nr, sizeof(*fds), compare_ints);
	for (size_t i = 0; i < nr; i++) {
		if (fds[i] < 3)
			continue;
		if ((unsigned int)fds[i] > from)
			close_range(from, (unsigned int)fds[i] - 1, 0);
		from = (unsigned int)fds[i] + 1;
	}
	close_range(from, ~0u, 0);
}

/* Standard output may be a pipe whose reader waits for its end. */
int sandbox_leave_descriptors(int socket)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return -errno;
	for (int fd = 0; fd < 3; fd++)
		if (dup2(null, fd) < 0)
			return -errno;
	sandbox_close_others(&socket, 1);	/* locks and events, too */
	return 0;
}
