// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * thread.c - identify threads by id and start time, because ids are reused
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include "libsampler/profiler.h"
#include "libutil/proc_stat.h"

int thread_read_state(pid_t tid, struct thread_state *ret)
{
	struct proc_stat stat;
	char path[64];
	int err;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	err = proc_stat_read(path, &stat);
	if (err)
		return err;
	ret->start_time = stat.start_time;
	ret->is_dead = stat.state == 'Z' || stat.state == 'X';
	return 0;
}

bool thread_is_gone(const struct sampler_thread *thread)
{
	struct thread_state state;
	int err = thread_read_state(thread->tid, &state);

	if (err)
		return err == -ESRCH;
	return state.is_dead || (thread->start_time && state.start_time != thread->start_time);
}

int sampler_thread_by_tid(pid_t tid, struct sampler_thread *ret)
{
	struct thread_state state;
	int err = tid > 0 ? thread_read_state(tid, &state) : -ESRCH;

	if (!err && state.is_dead)
		err = -ESRCH;
	if (!err)
		*ret = (struct sampler_thread){ .tid = tid, .start_time = state.start_time };
	return err;
}

static int own_stack(uintptr_t *ret_low, uintptr_t *ret_high)
{
	pthread_attr_t attr;
	void *low;
	size_t size;
	int err = -pthread_getattr_np(pthread_self(), &attr);

	if (err)
		return err;
	err = -pthread_attr_getstack(&attr, &low, &size);
	pthread_attr_destroy(&attr);
	if (!err) {
		*ret_low = (uintptr_t)low;
		*ret_high = (uintptr_t)low + size;
	}
	return err;
}

int sampler_thread_self(struct sampler_thread *ret)
{
	struct sampler_thread self;
	int err = sampler_thread_by_tid(gettid(), &self);

	if (!err)
		err = own_stack(&self.stack_low, &self.stack_high);
	if (!err)
		*ret = self;
	return err;
}
