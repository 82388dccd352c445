// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fork.c - a child has a copy of everything but the sampling thread [SM-16]
 *
 * What the locks guard is whole in the child, for the thread that forks holds them. What the
 * sampling thread was just working on is not: that is marked, and never touched again.
 */
#include <pthread.h>
#include "libsampler/profiler.h"

static int watch_error;

static bool loader_is_stopped;		/* under the lock: several threads may fork at once */

static void prepare(void)
{
	bool is_stopped = modules_loader_stop();

	sampling_lock();
	loader_is_stopped = is_stopped;
	modules_before_fork();
}

static void in_parent(void)
{
	bool is_stopped = loader_is_stopped;

	modules_after_fork();
	sampling_unlock();
	if (is_stopped)
		modules_loader_go_on();
}

static void in_child(void)
{
	modules_after_fork();
	modules_loader_after_fork();
	copy_after_fork();
	metadata_after_fork();
	profiler_after_fork();
	sampling_after_fork();
	sampling_unlock();
}

static void watch(void)
{
	watch_error = -pthread_atfork(prepare, in_parent, in_child);
}

int fork_watch(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch);
	return watch_error;
}
