// SPDX-License-Identifier: GPL-2.0-or-later
/* jobs.c - the queue of the sampling thread's jobs, the lock, and the clock */
#include <errno.h>
#include <sys/random.h>
#include <time.h>
#include "libsampler/profiler.h"
#include "libutil/clock.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;		/* the thread: check the jobs */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static struct list_head jobs = LIST_HEAD_INIT(jobs);		/* by due time */
static struct sampling_job *current;
struct sampling_job *sampling_answers;
static unsigned int generation;
struct sampling_server sampling_server;

/* --- the clock --- */

/* On the bell, which handlers ring; @wake is for tests. */
static void real_wait(pthread_cond_t *unused, pthread_mutex_t *mutex, uint32_t turn, uint64_t due)
{
	(void)unused;
	pthread_mutex_unlock(mutex);
	copy_bell_wait(turn, due);
	pthread_mutex_lock(mutex);
}

static int real_cpu_time(pid_t tid, uint64_t *ret)
{
	struct timespec t;

	if (clock_gettime(copy_cpu_clock(tid), &t))
		return -errno;
	*ret = (uint64_t)t.tv_sec * NS_PER_SECOND + (uint64_t)t.tv_nsec;
	return 0;
}

static const struct sampling_clock real_clock = {
	.now = now_ns, .wait = real_wait, .cpu_time = real_cpu_time,
};
const struct sampling_clock *sampling_clock = &real_clock;

double sampling_random(void)
{
	uint64_t bits;

	if (getrandom(&bits, sizeof(bits), GRND_NONBLOCK) != sizeof(bits))
		bits = sampling_clock->now() * 0x9e3779b97f4a7c15;	/* early in the boot */
	return (double)(bits >> 11) * 0x1p-53;
}
uint64_t sampling_idle_ns = 60 * NS_PER_SECOND;

/* --- the lock --- */

void sampling_lock(void)
{
	pthread_mutex_lock(&lock);
}

bool sampling_try_lock(void)
{
	return !pthread_mutex_trylock(&lock);
}

void sampling_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void sampling_wait(void)
{
	pthread_cond_wait(&changed, &lock);
}

void sampling_changed(void)
{
	pthread_cond_broadcast(&changed);
}

/* --- jobs --- */

static struct sampling_job *first_job(void)
{
	return list_empty(&jobs) ? NULL : list_entry(jobs.next, struct sampling_job, link);
}

void sampling_unqueue(struct sampling_job *job)
{
	if (job->is_queued)
		list_del(&job->link);
	job->is_queued = false;
}

/* Repeated jobs are mostly due last, so the search begins there. */
void sampling_queue(struct sampling_job *job, uint64_t due)
{
	struct list_head *place;

	sampling_unqueue(job);
	for (place = jobs.prev; place != &jobs; place = place->prev)
		if (list_entry(place, struct sampling_job, link)->due <= due)
			break;
	job->due = due;
	job->is_queued = true;
	list_add(&job->link, place);
	if (first_job() != job || sampling_is_self())
		return;
	pthread_cond_signal(&wake);
	copy_bell_ring();
}

void sampling_set_current(struct sampling_job *job)
{
	current = job;
}

struct sampling_job *sampling_next_job(void)
{
	uint64_t idle_until = sampling_clock->now() + sampling_idle_ns;

	for (;;) {
		uint32_t turn = copy_bell_turn();
		struct sampling_job *job = first_job();
		uint64_t now = sampling_clock->now();

		if (copy_bell_take())
			return current = sampling_answers;
		if (job && job->due <= now) {
			sampling_unqueue(job);
			return current = job;
		}
		if (!job && now >= idle_until)
			return NULL;
		sampling_clock->wait(&wake, &lock, turn, job ? job->due : idle_until);
	}
}

/* --- the thread --- */

bool sampling_is_started(void)
{
	return sampling_server.is_started;
}

bool sampling_is_self(void)
{
	return sampling_server.is_started && pthread_equal(sampling_server.self, pthread_self());
}

bool sampling_owns(pid_t tid, uint64_t start_time)
{
	const struct sampler_thread *previous = &sampling_server.previous;

	return sampling_server.tid == tid ||
	       (previous->tid == tid && previous->start_time == start_time);
}

/* --- forks --- */

unsigned int sampling_generation(void)
{
	return generation;
}

/* Jobs are dropped. One that was running is half done, and its data must not be touched. */
void sampling_after_fork(void)
{
	if (current)
		current->was_interrupted = true;
	current = NULL;
	list_init(&jobs);
	sampling_server = (struct sampling_server){ 0 };
	generation++;
	wake = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}
