/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * priority.h - run a thread before other programs, within a budget of CPU time
 *
 * By SCHED_DEADLINE: in each period the kernel gives the thread its budget before all others, and
 * no more than that, so even an endless loop cannot starve the machine. Where that is refused (to
 * users without CAP_SYS_NICE, and to threads that are bound to some CPUs) by weight.
 */
#ifndef LIBUTIL_PRIORITY_H
#define LIBUTIL_PRIORITY_H

#include <stdbool.h>
#include <stdint.h>

enum priority {
	PRIORITY_NORMAL,
	PRIORITY_CHOSEN,		/* somebody has chosen one for this thread: it stays */
	PRIORITY_NICE,			/* -PRIORITY_NICE_BY */
	PRIORITY_AUTOGROUP,		/* all threads of the session, by -20 */
	PRIORITY_DEADLINE,
};

#define PRIORITY_NICE_BY	10
/*
 * Percent of one CPU, however many there are: a CPU can go offline only if the budgets of two
 * threads fit on those that remain, and other threads of a CPU get the rest.
 */
#define PRIORITY_SHARE_MAX	40

/* The budget in each @period_ns: @share percent of one CPU for each of @nr_cpus. Pure. */
uint64_t priority_budget_ns(unsigned int share, unsigned int nr_cpus, uint64_t period_ns);
/* On this machine. */
uint64_t priority_budget_here_ns(unsigned int share, uint64_t period_ns);

/*
 * Raise the calling thread, by the first that is permitted of: deadline, nice. Threads and
 * processes that it starts have the normal priority. Returns what is in force.
 */
enum priority priority_raise(unsigned int share, uint64_t period_ns);
/* Undo it, in the same thread. [async-signal-safe] */
void priority_lower(enum priority raised);

/*
 * setsid(), in a process that goes on in a child: that does not lead the session, but may raise it.
 * Returns 0 or -errno.
 */
int priority_begin_session(void);

/*
 * The same for a thread whose process is the only one of its session and whose other threads may
 * be raised with it: the group of the session comes between deadline and nice.
 */
enum priority priority_raise_group(unsigned int share, uint64_t period_ns);

/*
 * By nice only: for a thread among those of other people's programs, which may bind their threads
 * to CPUs later. In any case the thread asks for a short slice, to which everybody has a right: who
 * runs for a short time runs soon after waking up, but not more than others (Linux 6.12).
 */
enum priority priority_raise_nice(void);

/* "deadline", "autogroup", ...: for status answers. */
const char *priority_name(enum priority p);

/* The system's calls for the calling thread: 0 or -errno. Tests have others. */
struct priority_calls {
	bool (*is_chosen)(void);
	int (*set_deadline)(uint64_t budget_ns, uint64_t period_ns);
	int (*set_autogroup)(bool raised);	/* by -20, or to 0 */
	int (*set_nice)(int nice);		/* and the normal policy */
};
enum priority priority_try(const struct priority_calls *calls, bool group, uint64_t budget_ns,
			   uint64_t period_ns);

#endif
