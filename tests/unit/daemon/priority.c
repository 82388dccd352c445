// SPDX-License-Identifier: GPL-2.0-or-later
/* priority.c - a raised priority, and the cap on the CPU time that it may be used for */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include "daemon/priority.c"
#include "libutil/clock.h"
#include "tests/tap.h"

#define WINDOW	PRIORITY_WINDOW_NS
#define CAP	PRIORITY_CAP_NS

TEST(allows)
{
	CHECK(priority_allows(true, 0, WINDOW, CAP) && priority_allows(true, CAP, WINDOW, CAP),
	      "below");
	CHECK(!priority_allows(true, CAP + 1, WINDOW, CAP), "above");
	/* once lowered, half of it, or it would change all the time */
	CHECK(!priority_allows(false, CAP / 2 + 1, WINDOW, CAP), "between");
	CHECK(priority_allows(false, CAP / 2, WINDOW, CAP), "below half");
	CHECK(priority_allows(true, 3 * CAP, 3 * WINDOW, CAP), "a late check");
	CHECK(!priority_allows(true, 3 * CAP + 3, 3 * WINDOW, CAP), "a late check, above");
}

static int policy_now(void)
{
	return sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
}

static bool is_raised(void)
{
	return policy_now() != SCHED_OTHER || getpriority(PRIO_PROCESS, 0) < 0;
}

static enum priority begin(void)
{
	enum priority p;

	if (getpriority(PRIO_PROCESS, 0) && setpriority(PRIO_PROCESS, 0, 0))
		SKIP("no permission to raise the priority");
	p = priority_begin();
	if (p == PRIORITY_NORMAL || p == PRIORITY_AUTOGROUP)
		SKIP("no permission to raise the priority of a thread");
	CHECK(is_raised() && priority_now() == p, "%s", priority_name(p));
	return p;
}

static void burn(uint64_t ns)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

/* It is lowered when the thread does nothing but burn, and raised when it has calmed down. */
TEST(is_lowered_and_raised)
{
	enum priority p = begin();
	uint64_t now = now_ns();

	CHECK(!priority_check(now + WINDOW) && is_raised(), "idle");
	burn(2 * CAP);
	CHECK(p != PRIORITY_NICE || !is_raised(), "nothing else bounds it");
	CHECK(priority_check(now + 2 * WINDOW) && !is_raised(), "the cap was reached");
	CHECK(priority_now() == PRIORITY_NORMAL, "%s", priority_name(priority_now()));
	burn(CAP * 3 / 4);
	CHECK(!priority_check(now + 3 * WINDOW) && !is_raised(), "still busy");
	CHECK(!priority_check(now + 4 * WINDOW) && is_raised(), "calm");
	/* another kind than before if others have begun or ceased to use budgets */
	CHECK(priority_now() != PRIORITY_NORMAL, "%s", priority_name(priority_now()));
	priority_end();
	CHECK(!is_raised(), "at the end");
}

static uint64_t checked_at;

/* Check after @window, in which @cpu_ns more than what this test needs was used. */
static bool check_after(uint64_t window, uint64_t cpu_ns)
{
	state.cpu_at -= cpu_ns;
	return priority_check(checked_at += window);
}

/* Where all CPUs are busy a thread gets less at normal priority than within its budget. */
TEST(a_budget_that_is_better_than_none_is_kept)
{
	if (begin() != PRIORITY_DEADLINE)
		SKIP("no permission for SCHED_DEADLINE");
	checked_at = now_ns();
	CHECK(check_after(WINDOW, CAP) && !is_raised(), "the cap was reached");
	CHECK(!check_after(WINDOW / 10, CAP / 100) && is_raised(), "it got no more: soon again");
	CHECK(!check_after(WINDOW, CAP) && is_raised(), "not lowered at once");
	CHECK(!check_after(WINDOW, 0) && !check_after(WINDOW, CAP) && is_raised(), "nor in turns");
	CHECK(check_after(WINDOW, CAP) && !is_raised(), "but tried again");
	CHECK(!check_after(WINDOW / 10, CAP) && !is_raised(), "it gets more");
	CHECK(!check_after(WINDOW, 0) && is_raised(), "calm");
	for (int i = 0; i < 10; i++) {
		while (!check_after(WINDOW, CAP))
			CHECK(is_raised(), "%d", i);
		CHECK(!check_after(WINDOW / 10, 0) && is_raised(), "%d: again", i);
	}
	for (int i = 1; i < PATIENCE_MAX; i++)
		CHECK(!check_after(WINDOW, CAP), "%d windows above it", i);
	CHECK(check_after(WINDOW, CAP), "no more than that");
	CHECK(priority_seconds_capped() == 4 + 62 + 6 * 64, "%u s", priority_seconds_capped());
	priority_end();
}

/* A thread that somebody has bound to a CPU gets no budget, but a weight, within its own cap. */
TEST(another_kind_has_its_own_cap)
{
	cpu_set_t all, one;

	CHECK(!sched_getaffinity(0, sizeof(all), &all), "affinity");
	if (CPU_COUNT(&all) < 2 || begin() != PRIORITY_DEADLINE)
		SKIP("no permission for SCHED_DEADLINE, or one CPU only");
	checked_at = now_ns();
	CHECK(check_after(WINDOW, CAP) && !is_raised(), "the cap was reached");
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	CHECK(!sched_setaffinity(0, sizeof(one), &one), "bind");
	CHECK(!check_after(WINDOW, 0) && is_raised(), "not raised");
	CHECK(priority_now() != PRIORITY_DEADLINE, "%s", priority_name(priority_now()));
	burn(2 * CAP);
	CHECK(!getpriority(PRIO_PROCESS, 0), "nothing bounds it");
	CHECK(!sched_setaffinity(0, sizeof(all), &all), "unbind");
	priority_end();
}

static void *read_priority(void *raised)
{
	*(bool *)raised = is_raised();
	return NULL;
}

/* What makes unwind tables or reads the files of other users is no more urgent than they are. */
TEST(children_are_normal)
{
	bool raised = true;
	pthread_t thread;
	int status;
	pid_t pid;

	begin();
	CHECK(!pthread_create(&thread, NULL, read_priority, &raised) &&
	      !pthread_join(thread, NULL) && !raised, "thread");
	pid = fork();
	if (!pid)
		_exit(is_raised() ? 1 : 0);
	CHECK(waitpid(pid, &status, 0) == pid && !status, "process: %d", status);
	CHECK(is_raised(), "the thread itself");
	priority_end();
}

/* Who has chosen a priority for the daemon gets it. */
TEST(chosen_priority_stays)
{
	CHECK(!setpriority(PRIO_PROCESS, 0, 19), "nice 19");
	CHECK(priority_begin() == PRIORITY_CHOSEN, "raised");
	CHECK(!priority_check(now_ns() + 2 * WINDOW), "checked");
	priority_end();
	CHECK(getpriority(PRIO_PROCESS, 0) == 19 && policy_now() == SCHED_OTHER, "lost");
}

TEST_MAIN()
