// SPDX-License-Identifier: GPL-2.0-or-later
/* errand.c - a thread for each errand, which outlives it if need be */
#include "libutil/errand.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/opener/ask.h"
#include "libutil/priority.h"
#include "libutil/proc_stat.h"
#include "libutil/thread.h"

#define WAIT_NS		NS_PER_SECOND
#define LOOK_NS		(100 * NS_PER_MS)	/* between two looks at a thread that is late */

struct job {
	struct errand *errand;		/* a copy, of @size bytes */
	pid_t tids[2];			/* as of errand_look; 0: not started yet. Atomic */
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

	(void)priority_raise_nice();	/* samples wait meanwhile */
	opener_note_thread(&j->tids[1]);
	__atomic_store_n(&j->tids[0], (pid_t)syscall(SYS_gettid), __ATOMIC_RELAXED);
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

/* By a path for which no opener is asked: it may be what hangs. */
static void look_at(pid_t tid, struct errand_look *look)
{
	uint64_t running, waiting;
	struct proc_stat stat;
	char path[80], *text;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)tid, (int)tid);
	look->runs |= !proc_stat_read(path, &stat) && stat.state == 'R';
	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", (int)tid, (int)tid);
	if (file_read_all(path, 4096, &text, NULL))
		return;			/* the kernel does not count it */
	if (sscanf(text, "%" SCNu64 " %" SCNu64, &running, &waiting) == 2)
		look->spent_ns += running + waiting;
	free(text);
}

static struct errand_look look_at_threads(const struct job *j)
{
	struct errand_look look = { .at_ns = now_ns() };

	for (size_t i = 0; i < 2; i++) {
		look.tids[i] = __atomic_load_n(&j->tids[i], __ATOMIC_RELAXED);
		if (look.tids[i])
			look_at(look.tids[i], &look);
	}
	return look;
}

/* What waits for a CPU has not counted that yet. */
uint64_t errand_blocked_ns(const struct errand_look *before, const struct errand_look *now)
{
	uint64_t passed = now->at_ns - before->at_ns, spent = now->spent_ns - before->spent_ns;

	if (now->runs || !now->tids[0] || memcmp(before->tids, now->tids, sizeof(now->tids)))
		return 0;
	return spent < passed ? passed - spent : 0;
}

static void wait_for_ns(struct job *j, uint64_t ns)
{
	uint64_t until = now_ns() + ns;

	while (!j->is_done && lock_wait(&j->done, &lock, until))
		;
}

/* With the lock. Whether it is done; otherwise its thread frees it. */
static bool wait_for(struct job *j)
{
	struct errand_look before, now;
	uint64_t blocked = 0;
	int free_place;

	wait_for_ns(j, LOOK_NS);
	if (j->is_done)
		return true;
	for (before = look_at_threads(j);; before = now) {
		wait_for_ns(j, LOOK_NS);
		if (j->is_done)
			return true;
		now = look_at_threads(j);
		blocked += errand_blocked_ns(&before, &now);
		free_place = find_late(NULL);
		if (blocked >= WAIT_NS && free_place >= 0)
			break;
	}
	late[free_place] = j;
	j->is_late = true;
	return false;
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
