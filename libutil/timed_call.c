// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timed_call.c - see timed_call.h
 *
 * On a busy machine a thread of normal priority runs late. So whoever waits for one waits for a
 * lock that it has, with priority inheritance. There are two locks, used in turns: the thread takes
 * the other one before it gives the first one back, or nobody could wait for its next call.
 * pthread has no such locks with a timeout by the monotonic clock everywhere, so they are futexes.
 */
#include "libutil/timed_call.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libutil/clock.h"
#include "libutil/priority.h"
#include "libutil/thread.h"
#include "libutil/xalloc.h"

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2	13		/* Linux 5.14 */
#endif

#define FOREVER_NS	(NS_PER_SECOND << 30)	/* nobody keeps it so long */

enum state { UNDER_WAY, DONE, LEFT };

struct runner {
	uint32_t turns[2];		/* locks, by the kernel's rules for futexes */
	unsigned int turn;		/* of the caller's next call */
	int begun_fd, wake_fd;		/* the thread has the locks; there is a call */
	bool has_begun;
	struct timed_call *call;
	enum state state;		/* atomic: whoever comes second has to clean up */
};

static struct runner *idle[2];		/* one is a spare; NULL: none */
static unsigned int nr_out;		/* atomic */
static uint64_t rest_until;
static bool is_urgent;

static void runner_free(struct runner *r)
{
	if (r->begun_fd >= 0)
		close(r->begun_fd);
	if (r->wake_fd >= 0)
		close(r->wake_fd);
	free(r);
}

static int lock_futex(uint32_t *turn, int operation, clockid_t clock, uint64_t ns)
{
	uint64_t end = clock_ns(clock) + ns;
	struct timespec until = { (time_t)(end / NS_PER_SECOND), (long)(end % NS_PER_SECOND) };
	long err;

	do
		err = syscall(SYS_futex, turn, operation | FUTEX_PRIVATE_FLAG, 0, &until);
	while (err && (errno == EINTR || errno == EAGAIN));
	return err ? -errno : 0;
}

/* False: not within @ns. The value is 0 or a thread's number, and a bit if others wait. */
static bool lock(uint32_t *turn, uint64_t ns)
{
	uint32_t none = 0;
	int err;

	if (__atomic_compare_exchange_n(turn, &none, (uint32_t)gettid(), false, __ATOMIC_ACQUIRE,
					__ATOMIC_RELAXED))
		return true;
	err = lock_futex(turn, FUTEX_LOCK_PI2, CLOCK_MONOTONIC, ns);
	if (err == -ENOSYS)
		err = lock_futex(turn, FUTEX_LOCK_PI, CLOCK_REALTIME, ns);
	return !err;
}

static void unlock(uint32_t *turn)
{
	uint32_t self = (uint32_t)gettid();

	if (!__atomic_compare_exchange_n(turn, &self, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		(void)syscall(SYS_futex, turn, FUTEX_UNLOCK_PI | FUTEX_PRIVATE_FLAG);
}

static void wake(int fd)
{
	const uint64_t one = 1;

	(void)!write(fd, &one, sizeof(one));
}

static void sleep_until_woken(int fd)
{
	uint64_t n;

	while (read(fd, &n, sizeof(n)) < 0 && errno == EINTR)
		;
}

static void *run(void *runner)
{
	struct runner *r = runner;

	(void)priority_raise_nice();
	lock(&r->turns[0], FOREVER_NS);
	lock(&r->turns[1], FOREVER_NS);
	wake(r->begun_fd);
	for (unsigned int turn = 0, nr = 0;; turn = !turn, nr++) {
		sleep_until_woken(r->wake_fd);
		if (nr)		/* the caller has given it back */
			lock(&r->turns[!turn], FOREVER_NS);
		r->call->run(r->call);
		if (__atomic_exchange_n(&r->state, DONE, __ATOMIC_ACQ_REL) == LEFT)
			break;
		unlock(&r->turns[turn]);
	}
	r->call->drop(r->call);
	unlock(&r->turns[0]);
	unlock(&r->turns[1]);
	runner_free(r);
	__atomic_sub_fetch(&nr_out, 1, __ATOMIC_RELAXED);
	return NULL;
}

static int start(struct runner **ret)
{
	struct runner *r = xcalloc(1, sizeof(*r));
	pthread_t thread;
	int err = 0;

	r->begun_fd = eventfd(0, EFD_CLOEXEC);
	r->wake_fd = eventfd(0, EFD_CLOEXEC);
	if (r->begun_fd < 0 || r->wake_fd < 0)
		err = -errno;
	if (!err)
		err = thread_start(&thread, run, r);
	if (err) {
		runner_free(r);
		return err;
	}
	pthread_detach(thread);
	*ret = r;
	return 0;
}

/* Until it has the locks nobody can wait for it with priority. */
static bool has_begun(struct runner *r, int ms)
{
	struct pollfd begun = { .fd = r->begun_fd, .events = POLLIN };

	if (!r->has_begun)
		r->has_begun = poll(&begun, 1, ms) == 1;
	return r->has_begun;
}

/* One that has begun, as a rule the one that was last there: others run late on a busy machine. */
static int find_idle(struct runner ***ret)
{
	for (int i = 0; i < 2; i++) {
		int err = idle[i] ? 0 : start(&idle[i]);

		if (err)
			return err;
	}
	for (int i = 0; i < 2; i++) {
		if (!has_begun(idle[i], is_urgent ? 0 : TIMED_CALL_PATIENT_MS))
			continue;
		*ret = &idle[i];
		return 0;
	}
	return -EAGAIN;
}

/* False: it has not come back. */
static bool has_run(struct runner *r, struct timed_call *e, int ms)
{
	uint32_t *turn = &r->turns[r->turn];
	bool has_lock;

	r->turn = !r->turn;
	r->call = e;
	__atomic_store_n(&r->state, UNDER_WAY, __ATOMIC_RELEASE);
	wake(r->wake_fd);
	has_lock = lock(turn, (uint64_t)ms * NS_PER_MS);
	if (__atomic_exchange_n(&r->state, LEFT, __ATOMIC_ACQ_REL) != DONE)
		return false;
	if (!has_lock)
		lock(turn, FOREVER_NS);	/* it is just giving it back */
	unlock(turn);
	return true;
}

void timed_call_set_urgent(bool urgent)
{
	is_urgent = urgent;
}

static int patience_ms(void)
{
	if (!is_urgent)
		return TIMED_CALL_PATIENT_MS;
	return now_ns() < rest_until ? TIMED_CALL_SOON_MS : TIMED_CALL_MS;
}

int timed_call_run(struct timed_call *e)
{
	int ms = patience_ms(), err = -EAGAIN;
	struct runner **r;

	if (__atomic_load_n(&nr_out, __ATOMIC_RELAXED) < TIMED_CALLS_MAX)
		err = find_idle(&r);
	if (err) {
		e->drop(e);
		return err;
	}
	__atomic_add_fetch(&nr_out, 1, __ATOMIC_RELAXED);
	if (has_run(*r, e, ms)) {
		__atomic_sub_fetch(&nr_out, 1, __ATOMIC_RELAXED);
		return 0;
	}
	*r = NULL;
	rest_until = now_ns() + TIMED_CALL_REST_MS * NS_PER_MS;
	return -ETIMEDOUT;
}
