// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * thread.c - identify threads by id and start time, because ids are reused
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "libsampler/profiler.h"

#define START_TIME_FIELD	22	/* of /proc/PID/stat, from 1 */
#define STATE_FIELD		3

/* The fields of @tid's stat from the third on, behind the name, which may hold any character. */
static int read_stat(pid_t tid, char *text, size_t size, const char **ret_fields)
{
	char path[64], *end;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	len = read(fd, text, size - 1);
	if (len < 0)
		len = -errno;
	close(fd);
	if (len < 0)
		return len;
	text[len] = '\0';
	end = strrchr(text, ')');
	if (!end || end[1] != ' ')
		return -EIO;
	*ret_fields = end + 2;
	return 0;
}

int thread_read_state(pid_t tid, struct thread_state *ret)
{
	char text[1024];
	const char *field = "";
	int err = read_stat(tid, text, sizeof(text), &field);

	if (err)
		return err;
	ret->is_dead = *field == 'Z' || *field == 'X';
	for (int n = STATE_FIELD; n < START_TIME_FIELD; n++) {
		field = strchr(field, ' ');
		if (!field)
			return -EIO;
		field++;
	}
	return sscanf(field, "%" SCNu64, &ret->start_time) == 1 ? 0 : -EIO;
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
