// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sampling_thread.c - the one thread that works for all profilers [SM-10]
 *
 * It runs jobs when they are due. It is started with the first one and ends after a while without
 * any; both are decided under one lock, so that no job is left behind.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include "libsampler/profiler.h"
#include "libutil/clock.h"

#define TIMER_SLACK_NS	1000		/* the default of 50 us is half of the shortest interval */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;		/* the thread: check the jobs */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static struct list_head jobs = LIST_HEAD_INIT(jobs);		/* by due time */
static struct sampling_job *current;
static bool is_started;
static pthread_t self;
static pid_t own;				/* the thread's id */
static struct sampler_thread previous;		/* the thread before it */
static unsigned int generation;
static int stop_signal = SIGURG;
static bool has_handler;

static void real_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t due)
{
	struct timespec t = {
		.tv_sec = (time_t)(due / NS_PER_SECOND), .tv_nsec = (long)(due % NS_PER_SECOND),
	};

	pthread_cond_clockwait(cond, mutex, CLOCK_MONOTONIC, &t);
}

/* By the kernel's encoding: pthread_getcpuclockid() needs a pthread_t, which may be gone. */
static int real_cpu_time(pid_t tid, uint64_t *ret)
{
	clockid_t id = (clockid_t)(~(unsigned int)tid << 3 | 6);
	struct timespec t;

	if (clock_gettime(id, &t))
		return -errno;
	*ret = (uint64_t)t.tv_sec * NS_PER_SECOND + (uint64_t)t.tv_nsec;
	return 0;
}

static const struct sampling_clock real_clock = {
	.now = now_ns, .wait = real_wait, .cpu_time = real_cpu_time,
};
const struct sampling_clock *sampling_clock = &real_clock;
uint64_t sampling_idle_ns = 60 * NS_PER_SECOND;

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
	if (first_job() == job && !sampling_is_self())
		pthread_cond_signal(&wake);
}

void sampling_set_current(struct sampling_job *job)
{
	current = job;
}

/* Under the lock, which is released while waiting. NULL: there was no job for sampling_idle_ns. */
static struct sampling_job *next_job(void)
{
	uint64_t idle_until = sampling_clock->now() + sampling_idle_ns;

	for (;;) {
		struct sampling_job *job = first_job();
		uint64_t now = sampling_clock->now();

		if (job && job->due <= now) {
			sampling_unqueue(job);
			return job;
		}
		if (!job && now >= idle_until)
			return NULL;
		sampling_clock->wait(&wake, &lock, job ? job->due : idle_until);
	}
}

static void *serve(void *unused)
{
	struct sampling_job *job;

	own_files_begin();
	pthread_setname_np(pthread_self(), "sampler");
	prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
	sampling_lock();
	own = gettid();
	while ((job = next_job())) {
		current = job;
		sampling_unlock();
		job->run(job);
		sampling_lock();
		current = NULL;
	}
	sample_release();
	is_started = false;
	own = 0;
	sampler_thread_by_tid(gettid(), &previous);
	own_files_end();
	sampling_unlock();
	return unused;
}

/* With all signals blocked: they are for the program's threads. */
static int start_thread(void)
{
	sigset_t all, saved;
	pthread_attr_t attr;
	int err = -pthread_attr_init(&attr);

	if (err)
		return err;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	err = -pthread_create(&self, &attr, serve, NULL);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	pthread_attr_destroy(&attr);
	is_started = !err;
	return err;
}

static int install_handler(void)
{
	int err = has_handler ? 0 : copy_install_handler(stop_signal);

	if (!err)
		has_handler = true;
	return err;
}

int sampling_start(void)
{
	int err = fork_watch();

	if (!err)
		err = install_handler();
	if (err || is_started)
		return err;
	err = sample_prepare();
	if (err)
		return err;
	err = start_thread();
	if (err)
		sample_release();
	return err;
}

bool sampling_is_started(void)
{
	return is_started;
}

bool sampling_is_self(void)
{
	return is_started && pthread_equal(self, pthread_self());
}

bool sampling_owns(pid_t tid, uint64_t start_time)
{
	return own == tid ||
	       (previous.tid == tid && previous.start_time == start_time);
}

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
	if (is_started)
		sample_release();
	is_started = false;
	own_files_end();
	own = 0;
	previous = (struct sampler_thread){ 0 };
	generation++;
	wake = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

int sampler_use_signal(int signal)
{
	static const int reserved[] = {
		SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS,
	};
	int err = 0;

	if (signal < 1 || signal > SIGRTMAX || (signal > SIGSYS && signal < SIGRTMIN))
		return -EINVAL;
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (signal == reserved[i])
			return -EINVAL;
	sampling_lock();
	if (has_handler)
		err = signal == stop_signal ? 0 : -EBUSY;
	else
		stop_signal = signal;
	sampling_unlock();
	return err;
}
