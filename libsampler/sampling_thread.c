// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sampling_thread.c - the one thread that works for all profilers [SM-10]
 *
 * It runs jobs when they are due. It is started with the first one and ends after a while without
 * any; both are decided under one lock, so that no job is left behind.
 */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "libsampler/profiler.h"
#include "libutil/priority.h"

#define TIMER_SLACK_NS	1000		/* the default of 50 us is half of the shortest interval */

static int stop_signal = SIGURG;
static bool has_handler;

static void *serve(void *unused)
{
	struct sampling_job *job;

	own_files_begin();
	pthread_setname_np(pthread_self(), "sampler");
	prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
	/* sampling times pass while it waits for a CPU */
	(void)priority_raise_nice();
	sampling_lock();
	sampling_server.tid = gettid();
	while ((job = sampling_next_job())) {
		sampling_unlock();
		job->run(job);
		sampling_lock();
		sampling_set_current(NULL);
	}
	sample_release();
	sampling_server.is_started = false;
	sampling_server.tid = 0;
	sampler_thread_by_tid(gettid(), &sampling_server.previous);
	own_files_end();
	sampling_unlock();
	return unused;
}

/* With all signals blocked: they are for the program's threads. */
static int start_thread(void)
{
	sigset_t all, saved;
	pthread_attr_t attr;
	int err = -pthread_attr_init(&attr);

	if (err)
		return err;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	err = -pthread_create(&sampling_server.self, &attr, serve, NULL);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	pthread_attr_destroy(&attr);
	sampling_server.is_started = !err;
	return err;
}

static int install_handler(void)
{
	int err = has_handler ? 0 : copy_install_handler(stop_signal);

	if (!err)
		has_handler = true;
	return err;
}

/* Before sampling_after_fork(). */
static void after_fork(void)
{
	if (sampling_server.is_started)
		sample_release();
	own_files_end();
}

int sampling_start(void)
{
	static struct fork_hook hook = { .child = after_fork };
	int err = fork_watch(&hook);

	if (!err)
		err = install_handler();
	if (err || sampling_server.is_started)
		return err;
	err = sample_prepare();
	if (err)
		return err;
	err = start_thread();
	if (err)
		sample_release();
	return err;
}

int sampler_use_signal(int signal)
{
	static const int reserved[] = {
		SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS,
	};
	int err = 0;

	if (signal < 1 || signal > SIGRTMAX || (signal > SIGSYS && signal < SIGRTMIN))
		return -EINVAL;
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (signal == reserved[i])
			return -EINVAL;
	sampling_lock();
	if (has_handler)
		err = signal == stop_signal ? 0 : -EBUSY;
	else
		stop_signal = signal;
	sampling_unlock();
	return err;
}
