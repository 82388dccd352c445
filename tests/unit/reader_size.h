/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reader_size.h - how much memory reading takes, as the kernel tells it of a process of its own */
#ifndef TESTS_UNIT_READER_SIZE_H
#define TESTS_UNIT_READER_SIZE_H

#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/tap.h"

#define MOST_KIB	(64 * 1024)	/* for a file of 1 MiB [PF-7] */

/* @read answers whether it was read: in *ret_is_read. KiB, or -1. */
static long reader_size(bool (*read)(const void *what), const void *what, bool *ret_is_read)
{
	struct rusage usage;
	int status;
	pid_t pid;

	fflush(stdout);		/* or it says what has been said again */
	pid = fork();
	if (!pid) {
		prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);	/* pages of 2 MiB are not the reader's */
		_exit(!read(what));
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		return -1;
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) <= 1, "status %d", status);
	*ret_is_read = !status;
	return usage.ru_maxrss;
}

static inline bool check_reader_size(bool (*read)(const void *what), const void *what,
				     const char *name)
{
	bool is_read = false;
	long size = reader_size(read, what, &is_read);

	CHECK(size > 0, "no process for '%s'", name);
#ifndef __SANITIZE_ADDRESS__
	CHECK(size <= MOST_KIB, "%ld KiB for '%s'", size, name);
#endif
	return is_read;
}

#endif
