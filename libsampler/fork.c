// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fork.c - fork handlers: a child has a copy of everything but the sampling thread [SM-16]
 *
 * Data under the locks is consistent in the child because the forking thread holds them. What the
 * sampling thread was working on is not: it is marked, and never touched again.
 */
#include <pthread.h>
#include "libsampler/profiler.h"

static int watch_error;
static _Atomic(struct fork_hook *) hooks;

static bool is_loader_paused;		/* under the lock: several threads may fork at once */

static void prepare(void)
{
	bool is_paused = modules_loader_pause();

	sampling_lock();
	is_loader_paused = is_paused;
	modules_before_fork();
}

static void in_parent(void)
{
	bool is_paused = is_loader_paused;

	modules_after_fork();
	sampling_unlock();
	if (is_paused)
		modules_loader_resume();
}

static void in_child(void)
{
	modules_after_fork();
	modules_loader_after_fork();
	copy_after_fork();
	for (struct fork_hook *h = atomic_load(&hooks); h; h = h->next)
		h->child();
	sampling_after_fork();
	sampling_unlock();
}

static void watch(void)
{
	watch_error = -pthread_atfork(prepare, in_parent, in_child);
}

int fork_watch(struct fork_hook *hook)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch);
	if (watch_error || atomic_flag_test_and_set(&hook->is_added))
		return watch_error;
	hook->next = atomic_load(&hooks);
	while (!atomic_compare_exchange_weak(&hooks, &hook->next, hook))
		;
	return 0;
}
