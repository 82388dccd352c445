// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * errand.c - a few threads for all errands; one that hangs is replaced
 *
 * On a busy machine a thread of normal priority runs late. So whoever waits for one waits for a
 * lock that it has, with priority inheritance. The caller takes the lock for the thread before it
 * wakes it: the lock is a futex, whose value is the thread's id. The thread has only to give it
 * back.
 */
#include "libutil/errand.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libutil/clock.h"
#include "libutil/hash.h"
#include "libutil/opener/ask.h"
#include "libutil/priority.h"
#include "libutil/proc_stat.h"
#include "libutil/thread.h"

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2	13		/* Linux 5.14 */
#endif

#define WAIT_NS		NS_PER_SECOND
#define LOOK_NS		(100 * NS_PER_MS)	/* between two looks at a thread that is late */
#define FOREVER_NS	(NS_PER_SECOND << 30)	/* nobody keeps it so long */
#define IDLE_MAX	4		/* threads that are kept */

enum state { UNDER_WAY, DONE, LEFT };

struct job {
	struct errand *errand;		/* a copy */
	int err;			/* of run() */
	enum state state;		/* atomic: whoever comes second has to clean up */
	struct job *next;		/* late, too */
};

struct worker {
	pid_t tid;
	pid_t opener_tid;		/* atomic; of opener_note_thread() */
	uint32_t held;			/* a lock, by the kernel's rules for futexes */
	sem_t has_job;
	struct job *job;		/* NULL: end */
	struct worker *next;		/* idle, too */
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t has_begun;
	struct worker *idle;		/* the one that ran last is first: others run late */
	unsigned int nr_idle, nr_starting;
	struct job *late;
	unsigned int nr_late[ERRAND_KINDS];
} pool;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_urgent;			/* atomic */
static uint64_t rest_until;		/* atomic */

static void init_pool(void)
{
	memset(&pool, 0, sizeof(pool));
	lock_init(&pool.lock);
	pthread_cond_init(&pool.has_begun, NULL);
}

static void init(void)
{
	init_pool();
	pthread_atfork(NULL, NULL, init_pool);	/* a child has none of the threads */
}

uint64_t errand_place(int fd)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, 0, &st))
		return 0;
	return hash_mix(st.stx_dev_major, st.stx_dev_minor);
}

/* ---- locks ---- */

static int lock_futex(uint32_t *held, int operation, clockid_t clock, uint64_t ns)
{
	uint64_t end = clock_ns(clock) + ns;
	struct timespec until = { (time_t)(end / NS_PER_SECOND), (long)(end % NS_PER_SECOND) };
	long err;

	do
		err = syscall(SYS_futex, held, operation | FUTEX_PRIVATE_FLAG, 0, &until);
	while (err && (errno == EINTR || errno == EAGAIN));
	return err ? -errno : 0;
}

/* False: not within @ns. The value is 0 or a thread's number, and a bit if others wait. */
static bool lock(uint32_t *held, uint64_t ns)
{
	uint32_t none = 0;
	int err;

	if (__atomic_compare_exchange_n(held, &none, (uint32_t)gettid(), false, __ATOMIC_ACQUIRE,
					__ATOMIC_RELAXED))
		return true;
	err = lock_futex(held, FUTEX_LOCK_PI2, CLOCK_MONOTONIC, ns);
	if (err == -ENOSYS)
		err = lock_futex(held, FUTEX_LOCK_PI, CLOCK_REALTIME, ns);
	return !err;
}

static void unlock(uint32_t *held)
{
	uint32_t self = (uint32_t)gettid();

	if (!__atomic_compare_exchange_n(held, &self, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		(void)syscall(SYS_futex, held, FUTEX_UNLOCK_PI | FUTEX_PRIVATE_FLAG);
}

/* ---- the threads ---- */

static void job_free(struct job *j)
{
	if (j->errand->fd >= 0)
		close(j->errand->fd);
	free(j->errand);
	free(j);
}

static void job_drop(struct job *j)
{
	if (j->errand->opened >= 0)
		close(j->errand->opened);
	if (j->errand->drop)
		j->errand->drop(j->errand);
	job_free(j);
}

/* With the lock. */
static void remove_late(struct job *j)
{
	struct job **at = &pool.late;

	while (*at != j)
		at = &(*at)->next;
	*at = j->next;
	pool.nr_late[j->errand->kind]--;
}

/* With the lock. False: enough are idle, it has to end. */
static bool put_idle(struct worker *w)
{
	if (pool.nr_idle >= IDLE_MAX)
		return false;
	w->next = pool.idle;
	pool.idle = w;
	pool.nr_idle++;
	return true;
}

static bool keep(struct worker *w)
{
	bool is_kept;

	pthread_mutex_lock(&pool.lock);
	is_kept = put_idle(w);
	pthread_mutex_unlock(&pool.lock);
	return is_kept;
}

/* False: it has to end. */
static bool do_job(struct worker *w)
{
	struct job *j = w->job;

	j->err = j->errand->run(j->errand);
	if (__atomic_exchange_n(&j->state, DONE, __ATOMIC_ACQ_REL) != LEFT) {
		unlock(&w->held);	/* from here on both are the caller's */
		return true;
	}
	unlock(&w->held);
	pthread_mutex_lock(&pool.lock);
	remove_late(j);
	pthread_mutex_unlock(&pool.lock);
	job_drop(j);			/* which may hang, too */
	return keep(w);
}

static void *work(void *worker)
{
	struct worker *w = worker;
	bool is_kept;

	(void)priority_raise_nice();	/* samples wait meanwhile */
	opener_note_thread(&w->opener_tid);
	w->tid = gettid();
	pthread_mutex_lock(&pool.lock);
	is_kept = put_idle(w);
	pool.nr_starting--;
	pthread_cond_broadcast(&pool.has_begun);
	pthread_mutex_unlock(&pool.lock);
	while (is_kept) {
		while (sem_wait(&w->has_job))
			;
		is_kept = w->job && do_job(w);
	}
	sem_destroy(&w->has_job);
	free(w);
	return NULL;
}

/* With the lock. It is idle when it has begun. */
static int start_one(void)
{
	struct worker *w = calloc(1, sizeof(*w));
	pthread_t thread;
	int err;

	if (!w)
		return -ENOMEM;
	sem_init(&w->has_job, 0, 0);
	err = thread_start(&thread, work, w);
	if (err) {
		sem_destroy(&w->has_job);
		free(w);
		return err;
	}
	pthread_detach(thread);
	pool.nr_starting++;
	return 0;
}

/* With the lock. NULL: none has begun. One more is kept in reserve, should this one hang. */
static struct worker *take_idle(bool may_wait)
{
	struct worker *w;

	while (!pool.idle) {
		if ((!pool.nr_starting && start_one()) || !may_wait)
			return NULL;
		pthread_cond_wait(&pool.has_begun, &pool.lock);
	}
	w = pool.idle;
	pool.idle = w->next;
	pool.nr_idle--;
	if (!pool.idle && !pool.nr_starting)
		(void)start_one();
	return w;
}

static void give_back(struct worker *w)
{
	if (keep(w))
		return;
	w->job = NULL;
	sem_post(&w->has_job);
}

/* ---- waiting for one ---- */

/* If the opener is asked for these, another thread of it answers than the one that is looked at. */
static void look_at(pid_t tid, struct errand_look *look)
{
	uint64_t running, waiting;
	struct proc_stat stat;
	char path[40];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	look->runs |= !proc_stat_read(path, &stat) && stat.state == 'R';
	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)tid);
	f = opener_fopen(path);
	if (!f)
		return;			/* the kernel does not count it */
	if (fscanf(f, "%" SCNu64 " %" SCNu64, &running, &waiting) == 2)
		look->spent_ns += running + waiting;
	fclose(f);
}

static struct errand_look look_at_threads(const struct worker *w)
{
	struct errand_look look = {
		.at_ns = now_ns(),
		.tids = { w->tid, __atomic_load_n(&w->opener_tid, __ATOMIC_RELAXED) },
	};

	for (size_t i = 0; i < 2; i++)
		if (look.tids[i] > 0)
			look_at(look.tids[i], &look);
	return look;
}

/* What waits for a CPU has not counted that yet. */
uint64_t errand_blocked_ns(const struct errand_look *before, const struct errand_look *now)
{
	uint64_t passed = now->at_ns - before->at_ns, spent = now->spent_ns - before->spent_ns;

	if (now->runs || now->tids[1] < 0 || memcmp(before->tids, now->tids, sizeof(now->tids)))
		return 0;
	return spent < passed ? passed - spent : 0;
}

/* Whether it is done; false: it hangs. */
static bool wait_blocked(struct worker *w)
{
	struct errand_look before, now;
	uint64_t blocked = 0;

	if (lock(&w->held, LOOK_NS))
		return true;
	for (before = look_at_threads(w); blocked < WAIT_NS; before = now) {
		if (lock(&w->held, LOOK_NS))
			return true;
		now = look_at_threads(w);
		blocked += errand_blocked_ns(&before, &now);
	}
	return false;
}

static bool wait_briefly(struct worker *w)
{
	bool rests = now_ns() < __atomic_load_n(&rest_until, __ATOMIC_RELAXED);

	if (lock(&w->held, (rests ? ERRAND_SOON_MS : ERRAND_BRIEF_MS) * NS_PER_MS))
		return true;
	__atomic_store_n(&rest_until, now_ns() + ERRAND_REST_MS * NS_PER_MS, __ATOMIC_RELAXED);
	return false;
}

/* False: its thread has to clean up. */
static bool leave(struct worker *w, struct job *j)
{
	bool is_left;

	pthread_mutex_lock(&pool.lock);
	is_left = __atomic_exchange_n(&j->state, LEFT, __ATOMIC_ACQ_REL) != DONE;
	if (is_left) {
		j->next = pool.late;
		pool.late = j;
		pool.nr_late[j->errand->kind]++;
	}
	pthread_mutex_unlock(&pool.lock);
	return is_left || !lock(&w->held, FOREVER_NS);	/* it is just giving it back */
}

/* Whether it is done; otherwise its thread frees it. */
static bool run_job(struct worker *w, struct job *j, bool briefly)
{
	bool has_lock;

	w->job = j;
	__atomic_store_n(&w->held, (uint32_t)w->tid, __ATOMIC_RELAXED);
	sem_post(&w->has_job);
	has_lock = briefly ? wait_briefly(w) : wait_blocked(w);
	if (!has_lock && leave(w, j))
		return false;
	(void)__atomic_load_n(&j->state, __ATOMIC_ACQUIRE);	/* the compiler knows no futexes */
	unlock(&w->held);
	give_back(w);
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
	return j;
}

/* With the lock. */
static bool hangs_at(uint64_t place)
{
	for (const struct job *j = pool.late; j; j = j->next)
		if (j->errand->place == place)
			return true;
	return false;
}

static int take_worker(const struct errand *errand, bool briefly, struct worker **ret)
{
	const unsigned int max = errand->kind == ERRAND_BRIEF ? ERRANDS_BRIEF_LATE_MAX :
							       ERRANDS_LATE_MAX;
	int err = -ETIMEDOUT;

	pthread_once(&once, init);
	pthread_mutex_lock(&pool.lock);
	if (pool.nr_late[errand->kind] < max && !hangs_at(errand->place)) {
		*ret = take_idle(!briefly);
		err = *ret ? 0 : -EAGAIN;
	}
	pthread_mutex_unlock(&pool.lock);
	return err;
}

void errand_set_urgent(bool urgent)
{
	__atomic_store_n(&is_urgent, urgent, __ATOMIC_RELAXED);
}

int errand_run(struct errand *errand, size_t size)
{
	const bool briefly = errand->kind == ERRAND_BRIEF &&
			     __atomic_load_n(&is_urgent, __ATOMIC_RELAXED);
	const int fd = errand->fd;
	struct worker *w;
	struct job *j;
	int err = take_worker(errand, briefly, &w);

	if (err)
		return err;
	j = job_new(errand, size);
	if (!j) {
		give_back(w);
		return -ENOMEM;
	}
	if (!run_job(w, j, briefly))
		return -ETIMEDOUT;
	memcpy(errand, j->errand, size);
	errand->fd = fd;
	err = j->err;
	job_free(j);
	return err;
}
