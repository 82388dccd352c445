// SPDX-License-Identifier: GPL-2.0-or-later
/* priority.c - see priority.h */
#include "daemon/priority.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "libutil/clock.h"

#ifndef sigev_notify_thread_id	/* glibc has no name for it */
#define sigev_notify_thread_id	_sigev_un._tid
#endif

static struct {
	bool begun;
	bool raised;			/* as of the last window's beginning */
	timer_t cap;
	uint64_t window_at, cpu_at;	/* at its beginning: time and the thread's CPU time */
	volatile sig_atomic_t capped;	/* in this window */
} state;

/* For the calling thread: Linux has a nice value for each. */
static int set_nice(int nice)
{
	return setpriority(PRIO_PROCESS, 0, nice) ? -errno : 0;
}

/* In the thread itself, because the timer's signal is directed to it. [async-signal-safe] */
static void lower(int signal)
{
	int saved = errno;

	(void)signal;
	(void)set_nice(0);
	state.capped = 1;
	errno = saved;
}

bool priority_allows(bool raised, uint64_t cpu_ns, uint64_t window_ns)
{
	uint64_t cap = (unsigned __int128)window_ns * PRIORITY_CAP_NS / PRIORITY_WINDOW_NS;

	return cpu_ns <= (raised ? cap : cap / 2);	/* or it would change in each window */
}

static void begin_window(uint64_t now)
{
	const struct itimerspec cap = {
		.it_value = { .tv_nsec = PRIORITY_CAP_NS },
	};

	state.window_at = now;
	state.cpu_at = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	state.capped = 0;
	(void)timer_settime(state.cap, 0, &cap, NULL);
}

static int make_timer(void)
{
	struct sigaction action = { .sa_handler = lower, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGVTALRM };

	event.sigev_notify_thread_id = gettid();
	sigemptyset(&action.sa_mask);
	if (sigaction(SIGVTALRM, &action, NULL))
		return -errno;
	return timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &state.cap) ? -errno : 0;
}

/* Not if somebody has chosen a priority for us. */
static bool is_normal(void)
{
	return sched_getscheduler(0) == SCHED_OTHER && getpriority(PRIO_PROCESS, 0) == 0;
}

int priority_begin(void)
{
	const struct sched_param none = { .sched_priority = 0 };
	int err;

	if (!is_normal())
		return 0;
	err = make_timer();
	if (err)
		return err;
	if (sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none))
		err = -errno;
	if (!err)
		err = set_nice(PRIORITY_NICE);
	if (err) {
		timer_delete(state.cap);
		return err;
	}
	state.begun = state.raised = true;
	begin_window(now_ns());
	return 0;
}

bool priority_check(uint64_t now)
{
	bool capped = state.capped;
	uint64_t cpu;

	if (!state.begun || now - state.window_at < PRIORITY_WINDOW_NS)
		return false;
	cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - state.cpu_at;
	state.raised = priority_allows(state.raised && !capped, cpu, now - state.window_at);
	(void)set_nice(state.raised ? PRIORITY_NICE : 0);
	begin_window(now);
	return capped;
}

void priority_end(void)
{
	if (!state.begun)
		return;
	timer_delete(state.cap);
	(void)set_nice(0);
	state.begun = false;
}
