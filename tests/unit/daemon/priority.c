// SPDX-License-Identifier: GPL-2.0-or-later
/* priority.c - a raised priority, and the cap on the CPU time that it may be used for */
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include "daemon/priority.h"
#include "libutil/clock.h"
#include "tests/tap.h"

#define WINDOW	PRIORITY_WINDOW_NS
#define CAP	PRIORITY_CAP_NS

TEST(allows)
{
	CHECK(priority_allows(true, 0, WINDOW) && priority_allows(true, CAP, WINDOW), "below");
	CHECK(!priority_allows(true, CAP + 1, WINDOW), "above");
	/* once lowered, half of it, or it would change all the time */
	CHECK(!priority_allows(false, CAP / 2 + 1, WINDOW), "between");
	CHECK(priority_allows(false, CAP / 2, WINDOW), "below half");
	CHECK(priority_allows(true, 3 * CAP, 3 * WINDOW), "a late check");
	CHECK(!priority_allows(true, 3 * CAP + 3, 3 * WINDOW), "a late check, above");
}

static int nice_now(void) { return getpriority(PRIO_PROCESS, 0); }

static void begin(void)
{
	int err;

	if (nice_now() && setpriority(PRIO_PROCESS, 0, 0))
		SKIP("no permission to raise the priority");
	err = priority_begin();
	if (err == -EPERM || err == -EACCES)
		SKIP("no permission to raise the priority");
	CHECK(!err && nice_now() == PRIORITY_NICE, "%d, nice %d", err, nice_now());
}

static void burn(uint64_t ns)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

/* It is lowered while the thread does nothing but burn, and raised when it has calmed down. */
TEST(is_lowered_and_raised)
{
	uint64_t now;

	begin();
	now = now_ns();
	CHECK(!priority_check(now + WINDOW) && nice_now() == PRIORITY_NICE, "idle");
	burn(2 * CAP);
	CHECK(nice_now() == 0, "nice %d after the cap was reached", nice_now());
	CHECK(priority_check(now + 2 * WINDOW) && nice_now() == 0, "nice %d", nice_now());
	burn(CAP * 3 / 4);
	CHECK(!priority_check(now + 3 * WINDOW) && nice_now() == 0, "still busy: nice %d",
	      nice_now());
	CHECK(!priority_check(now + 4 * WINDOW) && nice_now() == PRIORITY_NICE, "calm: nice %d",
	      nice_now());
	priority_end();
	CHECK(nice_now() == 0, "nice %d at the end", nice_now());
}

static void *read_nice(void *nice)
{
	*(int *)nice = nice_now();
	return NULL;
}

/* What makes unwind tables or reads the files of other users is no more urgent than they are. */
TEST(children_are_normal)
{
	pthread_t thread;
	int nice = 1, status;
	pid_t pid;

	begin();
	CHECK(!pthread_create(&thread, NULL, read_nice, &nice) && !pthread_join(thread, NULL) &&
		      !nice, "thread: %d", nice);
	pid = fork();
	if (!pid)
		_exit(nice_now() ? 1 : 0);
	CHECK(waitpid(pid, &status, 0) == pid && !status, "process: %d", status);
	CHECK(nice_now() == PRIORITY_NICE, "%d", nice_now());
	priority_end();
}

/* Who has chosen a priority for the daemon gets it. */
TEST(chosen_priority_stays)
{
	CHECK(!setpriority(PRIO_PROCESS, 0, 19), "nice 19");
	CHECK(!priority_begin() && nice_now() == 19, "%d", nice_now());
	CHECK(!priority_check(now_ns() + 2 * WINDOW) && nice_now() == 19, "%d", nice_now());
	priority_end();
	CHECK(nice_now() == 19, "%d", nice_now());
}

TEST_MAIN()
