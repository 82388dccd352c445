// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * forks.c - a child never finds the loader's lock taken by the sampling thread [SM-16]
 *
 * The loader's own lock is held too shortly to show this often. So the dl_iterate_phdr() of this
 * program holds a lock of the test's for longer, and children check that one.
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "libsampler/oprofsampler.h"
#include "libutil/clock.h"
#include "tests/tap.h"

#define NR_FORKS	2000
#define FORKS_SECONDS	3
#define HOLD_NS		50000
#define INTERVAL_NS	100000		/* 10 kHz */
#define LOADER_WAIT_NS	1000000000ull	/* at most, of a fork */

typedef int iterate(int (*each)(struct dl_phdr_info *, size_t, void *), void *context);

static pthread_mutex_t loader = PTHREAD_MUTEX_INITIALIZER;
static iterate *real_iterate;
static atomic_int calls, samples;
static atomic_bool is_over;

/*
 * Replaces the C library's, also for the sampler. AddressSanitizer calls it, too: before anything
 * is initialized, and while all threads are stopped.
 */
#ifndef __SANITIZE_ADDRESS__
int dl_iterate_phdr(int (*each)(struct dl_phdr_info *, size_t, void *), void *context)
{
	const struct timespec hold = { .tv_nsec = HOLD_NS };
	int ret;

	pthread_mutex_lock(&loader);
	calls++;
	nanosleep(&hold, NULL);
	ret = real_iterate ? real_iterate(each, context) : 0;
	pthread_mutex_unlock(&loader);
	return ret;
}
#define CAN_REPLACE true
#else
#define CAN_REPLACE false
#endif

static void count_sample(void *context, const struct sampler_sample *s)
{
	(void)context;
	(void)s;
	samples++;
}

static const struct sampler_builder_ops ops = { .size = sizeof(ops), .sample = count_sample };

/* --- one thread that is sampled; the one that forks is not: signals would end its system calls */

static void *wait_about(void *tid)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	atomic_store((atomic_int *)tid, gettid());
	while (!is_over)
		nanosleep(&ms, NULL);
	return NULL;
}

static pthread_t thread;
static struct sampler_profiler *profiler;

static void begin(void)
{
	struct sampler_builder builder = { &ops, NULL };
	struct sampler_params params = SAMPLER_PARAMS;
	struct sampler_thread target;
	atomic_int tid = 0;

	if (!CAN_REPLACE)
		SKIP("AddressSanitizer needs the loader's dl_iterate_phdr() as it is");
	real_iterate = (iterate *)dlsym(RTLD_NEXT, "dl_iterate_phdr");
	is_over = false;
	pthread_create(&thread, NULL, wait_about, &tid);
	while (!tid)
		usleep(1000);
	params.interval_ns = INTERVAL_NS;
	params.samples = 0;
	CHECK(!sampler_thread_by_tid(tid, &target), "the thread");
	CHECK(!sampler_create(&target, &params, &builder, &profiler) && !sampler_start(profiler),
	      "start");
	for (int before = samples; samples < before + 10;)
		usleep(1000);
}

static void end(void)
{
	sampler_stop(profiler);
	CHECK(!sampler_join(profiler, NULL), "join");
	sampler_destroy(profiler);
	is_over = true;
	pthread_join(thread, NULL);
}

/* --- forks --- */

static int nothing(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)info;
	(void)size;
	(void)context;
	return 1;
}

enum { FREE, TAKEN, LATE };	/* the state of the lock in the child */

/* A fork waits for the loader for at most a second; one that took longer proves nothing. */
static int look(uint64_t forked_at)
{
	if (now_ns() - forked_at >= LOADER_WAIT_NS)
		return LATE;
	if (pthread_mutex_trylock(&loader))
		return TAKEN;
	real_iterate(nothing, NULL);
	return FREE;
}

static int fork_and_look(void)
{
	uint64_t before = now_ns();
	pid_t pid = fork();
	int status;

	if (!pid) {
		alarm(60);
		_exit(look(before));
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ?
	       WEXITSTATUS(status) : -1;
}

TEST(children_find_the_loader_free)
{
	time_t until = time(NULL) + FORKS_SECONDS;
	int nr = 0, late = 0, stuck = 0;

	begin();
	while (nr < NR_FORKS && (nr < 10 || time(NULL) < until)) {
		int found = fork_and_look();

		nr += found != LATE;
		late += found == LATE;
		stuck += found != LATE && found != FREE;
	}
	CHECK(calls > 0, "the loader was asked");
	CHECK(!stuck, "%d of %d children did not, %d more took too long", stuck, nr, late);
	end();
}

static int fork_inside(struct dl_phdr_info *info, size_t size, void *context)
{
	int *status = context;
	pid_t pid;

	(void)info;
	(void)size;
	pid = fork();
	if (!pid)
		_exit(0);
	*status = -1;
	if (pid > 0)
		waitpid(pid, status, 0);
	return 1;
}

/* The sampling thread waits for the loader, and the fork must not wait for that forever. */
TEST(a_fork_with_the_loader_held)
{
	int status = -1, before;

	begin();
	dl_iterate_phdr(fork_inside, &status);
	CHECK(status == 0, "%#x", (unsigned int)status);
	for (before = samples; samples < before + 10;)
		usleep(1000);		/* until samples are taken again */
	end();
}

TEST_MAIN()
