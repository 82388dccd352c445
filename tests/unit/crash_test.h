/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crash_test.h - a writer that is killed at any instant
 *
 * It adds samples that follow from their number alone, and tells in shared memory how many of its
 * calls have returned: these must be found in what it wrote.
 */
#ifndef TESTS_UNIT_CRASH_TEST_H
#define TESTS_UNIT_CRASH_TEST_H

#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

static struct crash_shared {
	uint64_t added;		/* samples whose call has returned */
} *shared;

static inline void crash_share(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
}

static inline void crash_tell(uint64_t added)
{
	__atomic_store_n(&shared->added, added, __ATOMIC_RELEASE);
}

/* Let @child go on writing to @path from sample @from, for a random time. It must not end. */
static inline void crash_run(void (*child)(const char *path, uint64_t from), const char *path,
			     uint64_t from)
{
	struct timespec pause = { .tv_nsec = (long)(test_random() % 700000) };
	int status;
	pid_t pid = fork();

	if (!pid)
		child(path, from);
	/* half of the time, the moment after something was added: more adding than opening */
	if (test_random() % 2)
		while (__atomic_load_n(&shared->added, __ATOMIC_ACQUIRE) == from &&
		       !waitpid(pid, &status, WNOHANG))
			sched_yield();	/* there may be but one CPU for both */
	nanosleep(&pause, NULL);
	kill(pid, SIGKILL);
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status), "child ended by itself: %d",
	      status);
}

#endif
