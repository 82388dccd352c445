// SPDX-License-Identifier: GPL-2.0-or-later
/* priority.c - which priority a thread gets, and its budget; with calls of our own */
#include "tests/tap.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include "libutil/priority.h"

#define MS	UINT64_C(1000000)

TEST(the_budget_grows_with_the_cpus_up_to_a_bound)
{
	CHECK(priority_budget_ns(10, 1, 10 * MS) == MS, "one CPU");
	CHECK(priority_budget_ns(10, 2, 10 * MS) == 2 * MS, "two");
	CHECK(priority_budget_ns(10, 4, 10 * MS) == 4 * MS, "four");
	CHECK(priority_budget_ns(10, 1024, 10 * MS) == 4 * MS, "many");
	CHECK(priority_budget_ns(25, 0, 20 * MS) == 5 * MS, "an unknown number");
}

static struct {
	bool chosen, no_deadline, no_group, no_nice;
	uint64_t budget, period;
	unsigned int deadlines, groups, nices;
	bool group;
	int nice;
} machine;

static bool is_chosen(void)
{
	return machine.chosen;
}

static int set_deadline(uint64_t budget, uint64_t period)
{
	machine.deadlines++;
	machine.budget = budget;
	machine.period = period;
	return machine.no_deadline ? -EBUSY : 0;
}

static int set_autogroup(bool raised)
{
	machine.groups++;
	machine.group = raised;
	return machine.no_group ? -EPERM : 0;
}

static int set_nice(int nice)
{
	machine.nices++;
	machine.nice = nice;
	return machine.no_nice ? -EPERM : 0;
}

static const struct priority_calls calls = { is_chosen, set_deadline, set_autogroup, set_nice };

static enum priority try(bool group)
{
	machine.deadlines = machine.groups = machine.nices = 0;
	return priority_try(&calls, group, MS, 10 * MS);
}

TEST(the_first_that_is_permitted)
{
	CHECK(try(true) == PRIORITY_DEADLINE && machine.budget == MS && machine.period == 10 * MS,
	      "deadline");
	CHECK(!machine.groups && !machine.nices, "nothing else is changed");
	machine.no_deadline = true;
	CHECK(try(true) == PRIORITY_AUTOGROUP && machine.group && !machine.nices, "group");
	CHECK(try(false) == PRIORITY_NICE && !machine.groups, "a group that is not ours");
	machine.no_group = true;
	CHECK(try(true) == PRIORITY_NICE && machine.nice == -PRIORITY_NICE_BY, "nice");
	machine.no_nice = true;
	CHECK(try(true) == PRIORITY_NORMAL, "nothing");
	machine.chosen = true;
	CHECK(try(true) == PRIORITY_CHOSEN && !machine.deadlines && !machine.nices, "chosen");
}

/* --- the system's calls --- */

struct attr {			/* of sched_setattr(2) */
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t rt_priority;
	uint64_t runtime, deadline, period;
};

static uint64_t slice(void)
{
	struct attr attr = { 0 };

	CHECK(!syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0), "sched_getattr");
	return attr.runtime;
}

/* Also for who may not raise anything, and for who has chosen a nice value. */
TEST(short_slice)
{
	struct attr plain = { .size = sizeof(plain), .flags = 1, .runtime = 2 * MS };
	enum priority p;

	if (setpriority(PRIO_PROCESS, 0, 0) || syscall(SYS_sched_setattr, 0, &plain, 0) ||
	    slice() != 2 * MS)
		SKIP("no slices, before Linux 6.12");
	p = priority_raise_nice();
	CHECK(p == PRIORITY_NICE || p == PRIORITY_NORMAL, "%s", priority_name(p));
	CHECK(slice() == MS / 10, "%s", priority_name(p));
	CHECK(!syscall(SYS_sched_setattr, 0, &plain, 0) && !setpriority(PRIO_PROCESS, 0, 5),
	      "nice 5");
	CHECK(priority_raise_nice() == PRIORITY_CHOSEN && slice() == MS / 10 &&
	      getpriority(PRIO_PROCESS, 0) == 5, "chosen");
}

TEST_MAIN()
