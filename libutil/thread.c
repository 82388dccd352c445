// SPDX-License-Identifier: GPL-2.0-or-later
/* thread.c - see thread.h */
#include "libutil/thread.h"

#include <signal.h>
#include "libutil/clock.h"

int thread_start(pthread_t *ret, void *(*run)(void *context), void *context)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(ret, NULL, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

void lock_init(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
}

bool lock_wait(pthread_cond_t *signal, pthread_mutex_t *lock, uint64_t until_ns)
{
	const struct timespec until = { .tv_sec = (time_t)(until_ns / NS_PER_SECOND),
					.tv_nsec = (long)(until_ns % NS_PER_SECOND) };

	return !pthread_cond_clockwait(signal, lock, CLOCK_MONOTONIC, &until);
}
