// SPDX-License-Identifier: GPL-2.0-or-later
/* thread.c - see thread.h */
#include "libutil/thread.h"

#include <signal.h>

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
