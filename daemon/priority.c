// SPDX-License-Identifier: GPL-2.0-or-later
/* priority.c - see priority.h */
#include "daemon/priority.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "libutil/clock.h"
#include "libutil/count.h"

#ifndef sigev_notify_thread_id	/* glibc has no name for it */
#define sigev_notify_thread_id	_sigev_un._tid
#endif

static struct {
	enum priority kind;		/* PRIORITY_NORMAL: not begun */
	bool raised;			/* as of the last window's beginning */
	clockid_t clock;		/* of the CPU time that counts */
	uint64_t cap_ns;
	bool has_timer;
	timer_t timer;
	uint64_t window_at, cpu_at;	/* at its beginning: time and CPU time */
	volatile sig_atomic_t capped;	/* in this window */
	unsigned int over, patience;	/* of PRIORITY_DEADLINE: windows above the cap: so far, and
					   that it takes to lower it */
	unsigned int nr_capped;		/* windows in which the cap was reached */
} state;

#define LOWERED_NS	(PRIORITY_WINDOW_NS / 10)	/* the first look at whether that helps */
#define PATIENCE_MAX	64

/* In the thread itself, because the timer's signal is directed to it. [async-signal-safe] */
static void lower(int signal)
{
	int saved = errno;

	(void)signal;
	priority_lower(state.kind);
	state.capped = 1;
	errno = saved;
}

bool priority_allows(bool raised, uint64_t cpu_ns, uint64_t window_ns, uint64_t cap_ns)
{
	uint64_t cap = count_scale(window_ns, cap_ns, 0, PRIORITY_WINDOW_NS);

	return cpu_ns <= (raised ? cap : cap / 2);	/* or it would change in each window */
}

static void begin_window(uint64_t now)
{
	const struct itimerspec cap = {
		.it_value = { .tv_nsec = PRIORITY_CAP_NS },
	};

	state.window_at = now;
	state.cpu_at = clock_ns(state.clock);
	state.capped = 0;
	if (state.has_timer)
		(void)timer_settime(state.timer, 0, &cap, NULL);
}

static int make_timer(void)
{
	struct sigaction action = { .sa_handler = lower, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGVTALRM };

	event.sigev_notify_thread_id = gettid();
	sigemptyset(&action.sa_mask);
	if (sigaction(SIGVTALRM, &action, NULL))
		return -errno;
	return timer_create(state.clock, &event, &state.timer) ? -errno : 0;
}

static void delete_timer(void)
{
	if (state.has_timer)
		timer_delete(state.timer);
	state.has_timer = false;
}

/*
 * The kernel never gives more than the budget: whoever uses almost all of it could use more at
 * normal priority. Weight has no bound, and that of a group counts for all threads.
 */
static int set_cap(void)
{
	state.clock = CLOCK_THREAD_CPUTIME_ID;
	state.cap_ns = PRIORITY_CAP_NS;
	if (state.kind == PRIORITY_DEADLINE) {
		state.cap_ns = priority_budget_here_ns(PRIORITY_SHARE, PRIORITY_WINDOW_NS) / 10 * 9;
		return 0;
	}
	if (state.kind == PRIORITY_AUTOGROUP)
		state.clock = CLOCK_PROCESS_CPUTIME_ID;
	state.has_timer = !make_timer();
	return state.has_timer ? 0 : -errno;
}

/* What is permitted may change, and each kind has its own cap. */
static enum priority raise_it(void)
{
	enum priority kind = priority_raise_group(PRIORITY_SHARE, PRIORITY_PERIOD_NS);

	state.raised = kind > PRIORITY_CHOSEN;
	if (!state.raised || kind == state.kind)
		return kind;
	delete_timer();
	state.kind = kind;
	if (!set_cap())
		return kind;
	priority_end();
	return PRIORITY_NORMAL;
}

enum priority priority_begin(void)
{
	enum priority kind = raise_it();

	if (kind <= PRIORITY_CHOSEN) {
		state.kind = kind;
		return kind;
	}
	state.over = state.nr_capped = 0;
	state.patience = 1;
	begin_window(now_ns());
	return state.kind;
}

/*
 * Without the budget a thread gets more where CPUs are idle, and hardly anything where many threads
 * want them. If it got no more, that is tried ever more rarely. @below: the cap in this window.
 */
static bool is_budget_better(bool raised, bool below)
{
	if (!raised) {
		state.patience = below ? state.patience * 2 : 1;
		if (state.patience > PATIENCE_MAX)
			state.patience = PATIENCE_MAX;
		state.over = 0;
		return below;
	}
	state.over = below ? 0 : state.over + 1;
	return state.over < state.patience;
}

bool priority_check(uint64_t now)
{
	bool capped = state.capped, before = state.raised && !capped;
	bool has_budget = state.kind == PRIORITY_DEADLINE;
	uint64_t window = has_budget && !before ? LOWERED_NS : PRIORITY_WINDOW_NS, cpu;

	if (state.kind <= PRIORITY_CHOSEN || now - state.window_at < window)
		return false;
	cpu = clock_ns(state.clock) - state.cpu_at;
	state.raised = priority_allows(before || has_budget, cpu, now - state.window_at,
				       state.cap_ns);
	state.nr_capped += capped || (before && !state.raised);
	if (has_budget)
		state.raised = is_budget_better(before, state.raised);
	if (state.raised && !before)
		(void)raise_it();
	else if (!state.raised && before)
		priority_lower(state.kind);
	begin_window(now);
	return capped || (before && !state.raised);
}

unsigned int priority_seconds_capped(void)
{
	return state.nr_capped * (unsigned int)(PRIORITY_WINDOW_NS / NS_PER_SECOND);
}

void priority_end(void)
{
	delete_timer();
	priority_lower(state.kind);
	state.kind = PRIORITY_NORMAL;
	state.raised = false;
}

enum priority priority_now(void)
{
	return state.raised || state.kind == PRIORITY_CHOSEN ? state.kind : PRIORITY_NORMAL;
}
