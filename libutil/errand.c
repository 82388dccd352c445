// SPDX-License-Identifier: GPL-2.0-or-later
/* errand.c - a thread for each errand, which outlives it if need be */
#include "libutil/errand.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libutil/clock.h"
#include "libutil/hash.h"
#include "libutil/proc_stat.h"
#include "libutil/thread.h"

#define WAIT_MS		1000
#define LOOK_MS		100	/* between two looks at a thread that is late */

struct job {
	struct errand *errand;		/* a copy, of @size bytes */
	pid_t tid;			/* 0: not started yet */
	int err;			/* of run() */
	bool is_done, is_late;		/* late: nobody waits for it any more */
	pthread_cond_t done;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct job *late[ERRANDS_LATE_MAX];	/* NULL: none; all under the lock */

uint64_t errand_place(int fd)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, 0, &st))
		return 0;
	return hash_mix(st.stx_dev_major, st.stx_dev_minor);
}

static void job_free(struct job *j)
{
	if (j->errand->fd >= 0)
		close(j->errand->fd);
	pthread_cond_destroy(&j->done);
	free(j->errand);
	free(j);
}

/* The place of @j in late[], or of nothing. -1: none. */
static int find_late(const struct job *j)
{
	for (int i = 0; i < ERRANDS_LATE_MAX; i++)
		if (late[i] == j)
			return i;
	return -1;
}

static bool hangs_at(uint64_t place)
{
	for (int i = 0; i < ERRANDS_LATE_MAX; i++)
		if (late[i] && late[i]->errand->place == place)
			return true;
	return false;
}

static void *work(void *context)
{
	struct job *j = context;
	bool is_late;

	pthread_mutex_lock(&lock);
	j->tid = (pid_t)syscall(SYS_gettid);
	pthread_mutex_unlock(&lock);
	j->err = j->errand->run(j->errand);
	pthread_mutex_lock(&lock);
	j->is_done = true;
	is_late = j->is_late;
	if (is_late)
		late[find_late(j)] = NULL;
	else
		pthread_cond_signal(&j->done);
	pthread_mutex_unlock(&lock);
	if (is_late) {
		if (j->errand->opened >= 0)
			close(j->errand->opened);
		job_free(j);
	}
	return NULL;
}

/* Not if it only waits for a CPU. */
static bool is_blocked(pid_t tid)
{
	struct proc_stat stat;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	return tid && (proc_stat_read(path, &stat) || stat.state != 'R');
}

static void wait_for_ms(struct job *j, unsigned int ms)
{
	uint64_t until = now_ns() + ms * NS_PER_MS;

	while (!j->is_done && lock_wait(&j->done, &lock, until))
		;
}

/* With the lock. Whether it is done; otherwise its thread frees it. */
static bool wait_for(struct job *j)
{
	int free_place;

	wait_for_ms(j, WAIT_MS);
	while (!j->is_done) {
		free_place = find_late(NULL);
		if (is_blocked(j->tid) && free_place >= 0) {
			late[free_place] = j;
			j->is_late = true;
			return false;
		}
		wait_for_ms(j, LOOK_MS);
	}
	return true;
}

static struct job *job_new(const struct errand *errand, size_t size)
{
	struct job *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->errand = malloc(size);
	if (!j->errand) {
		free(j);
		return NULL;
	}
	memcpy(j->errand, errand, size);
	j->errand->opened = -1;
	if (errand->fd >= 0)
		j->errand->fd = fcntl(errand->fd, F_DUPFD_CLOEXEC, 0);
	pthread_cond_init(&j->done, NULL);
	return j;
}

static bool run_job(struct job *j)
{
	pthread_t thread;
	bool is_done;

	if (thread_start(&thread, work, j)) {
		j->err = j->errand->run(j->errand);	/* out of memory: better late than never */
		return true;
	}
	pthread_detach(thread);
	pthread_mutex_lock(&lock);
	is_done = wait_for(j);
	pthread_mutex_unlock(&lock);
	return is_done;
}

int errand_run(struct errand *errand, size_t size)
{
	const int fd = errand->fd;
	struct job *j;
	bool hangs;
	int err;

	pthread_mutex_lock(&lock);
	hangs = hangs_at(errand->place) || find_late(NULL) < 0;
	pthread_mutex_unlock(&lock);
	if (hangs)
		return -ETIMEDOUT;
	j = job_new(errand, size);
	if (!j)
		return -ENOMEM;
	if (!run_job(j))
		return -ETIMEDOUT;
	memcpy(errand, j->errand, size);
	errand->fd = fd;
	err = j->err;
	job_free(j);
	return err;
}
