// SPDX-License-Identifier: GPL-2.0-or-later
/* priority.c - see priority.h */
#include "libutil/priority.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libutil/cpus.h"
#include "libutil/opener/ask.h"

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE	6
#endif
#define RESET_ON_FORK	1	/* SCHED_FLAG_RESET_ON_FORK */
#define SHORT_SLICE_NS	100000	/* the kernel takes none that is shorter */

/* Older glibc has no sched_setattr(), nor this. */
struct attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t rt_priority;
	uint64_t runtime, deadline, period;
};

static bool is_policy_chosen(void)
{
	return (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) != SCHED_OTHER;
}

static bool is_chosen(void)
{
	return is_policy_chosen() || getpriority(PRIO_PROCESS, 0) != 0;
}

static int set(const struct attr *attr)
{
	return syscall(SYS_sched_setattr, 0, attr, 0) ? -errno : 0;
}

static int set_deadline(uint64_t budget_ns, uint64_t period_ns)
{
	struct attr attr = { .size = sizeof(attr), .policy = SCHED_DEADLINE, .flags = RESET_ON_FORK,
			     .runtime = budget_ns, .deadline = period_ns, .period = period_ns };

	return set(&attr);
}

/* @slice_ns: of CPU time at a time, 0 for what is usual; without effect before Linux 6.12. */
static int set_normal(int nice, uint64_t slice_ns)
{
	struct attr attr = { .size = sizeof(attr), .policy = SCHED_OTHER, .flags = RESET_ON_FORK,
			     .nice = nice, .runtime = slice_ns };

	return set(&attr);
}

static int set_nice(int nice)
{
	return set_normal(nice, 0);
}

static pid_t own_session = -1;

int priority_begin_session(void)
{
	own_session = setsid();
	return own_session < 0 ? -errno : 0;
}

/*
 * Only of a session that this process leads or began: others are not ours to raise. It stays open,
 * so that a signal handler can lower it.
 */
static int open_autogroup(void)
{
	static pid_t opened_by;
	static int fd = -1;
	char path[40];

	if (getsid(0) != getpid() && getsid(0) != own_session)
		return -EPERM;
	if (opened_by == getpid())
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/autogroup", (int)getpid());
	fd = opener_open(path, O_WRONLY);
	opened_by = getpid();
	return fd;
}

/* With false after true: [async-signal-safe]. */
static int set_autogroup(bool raised)
{
	const char *nice = raised ? "-20" : "0";
	int fd = open_autogroup();

	if (fd < 0)
		return fd;
	return write(fd, nice, strlen(nice)) < 0 ? -errno : 0;
}

uint64_t priority_budget_ns(unsigned int share, unsigned int nr_cpus, uint64_t period_ns)
{
	uint64_t percent = (uint64_t)share * (nr_cpus ? nr_cpus : 1);

	if (percent > PRIORITY_SHARE_MAX)
		percent = PRIORITY_SHARE_MAX;
	return period_ns * percent / 100;
}

enum priority priority_try(const struct priority_calls *calls, bool group, uint64_t budget_ns,
			   uint64_t period_ns)
{
	if (calls->is_chosen())
		return PRIORITY_CHOSEN;
	if (!calls->set_deadline(budget_ns, period_ns))
		return PRIORITY_DEADLINE;
	if (group && !calls->set_autogroup(true))
		return PRIORITY_AUTOGROUP;
	if (!calls->set_nice(-PRIORITY_NICE_BY))
		return PRIORITY_NICE;
	return PRIORITY_NORMAL;
}

static const struct priority_calls calls = { is_chosen, set_deadline, set_autogroup, set_nice };

uint64_t priority_budget_here_ns(unsigned int share, uint64_t period_ns)
{
	return priority_budget_ns(share, nr_cpus_online(), period_ns);
}

enum priority priority_raise(unsigned int share, uint64_t period_ns)
{
	return priority_try(&calls, false, priority_budget_here_ns(share, period_ns), period_ns);
}

enum priority priority_raise_group(unsigned int share, uint64_t period_ns)
{
	return priority_try(&calls, true, priority_budget_here_ns(share, period_ns), period_ns);
}

enum priority priority_raise_nice(void)
{
	int nice = getpriority(PRIO_PROCESS, 0);

	if (is_policy_chosen())
		return PRIORITY_CHOSEN;
	if (!nice && !set_normal(-PRIORITY_NICE_BY, SHORT_SLICE_NS))
		return PRIORITY_NICE;
	(void)set_normal(nice, SHORT_SLICE_NS);
	return nice ? PRIORITY_CHOSEN : PRIORITY_NORMAL;
}

void priority_lower(enum priority raised)
{
	if (raised == PRIORITY_AUTOGROUP)
		(void)set_autogroup(false);
	else if (raised == PRIORITY_DEADLINE || raised == PRIORITY_NICE)
		(void)set_nice(0);
}

const char *priority_name(enum priority p)
{
	static const char *const names[] = {
		[PRIORITY_NORMAL] = "normal", [PRIORITY_CHOSEN] = "chosen",
		[PRIORITY_NICE] = "nice", [PRIORITY_AUTOGROUP] = "autogroup",
		[PRIORITY_DEADLINE] = "deadline",
	};

	return names[p];
}
