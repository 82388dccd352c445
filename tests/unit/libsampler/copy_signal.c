// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copy_signal.c - the signal that requests copies: shared with the program's own handlers, with
 * errno unchanged, and in the child of a fork
 */
#include <errno.h>
#include "tests/unit/libsampler/target.h"

static atomic_int theirs;

static void count(int signal)
{
	(void)signal;
	atomic_fetch_add(&theirs, 1);
}

static sigset_t mask_seen;

static void count_info(int signal, siginfo_t *info, void *ucontext)
{
	(void)ucontext;
	if (signal == SIGURG && info->si_code == SI_QUEUE && info->si_value.sival_int == 7)
		atomic_fetch_add(&theirs, 1);
	pthread_sigmask(SIG_BLOCK, NULL, &mask_seen);
}

static void send_own(void)
{
	raise(SIGURG);
	sigqueue(getpid(), SIGURG, (union sigval){ .sival_int = 7 });
}

/* The program's handler gets the signals that are not ours, and only those. */
static void share_with(const struct sigaction *their, int expected)
{
	struct target t;

	atomic_store(&theirs, 0);
	sigaction(SIGURG, their, NULL);
	target_start(&t, stay_with_sentinel);
	for (int i = 0; i < 20; i++)
		CHECK(target_copy(&t) == SAMPLER_WHOLE, "status %d", t.result.status);
	CHECK(!atomic_load(&theirs), "ours is not theirs: %d", atomic_load(&theirs));
	send_own();
	UNTIL(atomic_load(&theirs) >= expected);
	CHECK(atomic_load(&theirs) == expected, "theirs: %d", atomic_load(&theirs));
	target_end(&t);
}

TEST(a_plain_handler_gets_its_signals)
{
	share_with(&(struct sigaction){ .sa_handler = count }, 2);
}

TEST(a_handler_with_information_gets_it)
{
	struct sigaction their = { .sa_sigaction = count_info, .sa_flags = SA_SIGINFO };

	sigaddset(&their.sa_mask, SIGUSR2);
	share_with(&their, 1);
	CHECK(sigismember(&mask_seen, SIGUSR2) == 1, "what it wants blocked is");
	CHECK(sigismember(&mask_seen, SIGURG) == 1, "its own signal as well");
	CHECK(sigismember(&mask_seen, SIGTERM) == 0, "and nothing else");
}

/* Unhandled SIGURG is ignored, so later ones have no effect. */
TEST(a_one_shot_handler_is_called_once)
{
	struct sigaction their = { .sa_handler = count, .sa_flags = SA_RESETHAND };
	struct target t;

	sigaction(SIGURG, &their, NULL);
	target_start(&t, stay_with_sentinel);
	CHECK(target_copy(&t) == SAMPLER_WHOLE, "status %d", t.result.status);
	CHECK(!atomic_load(&theirs), "ours is not theirs: %d", atomic_load(&theirs));
	for (int i = 0; i < 3; i++)
		raise(SIGURG);
	CHECK(atomic_load(&theirs) == 1, "theirs: %d", atomic_load(&theirs));
	CHECK(target_copy(&t) == SAMPLER_WHOLE, "ours is there still: %d", t.result.status);
	target_end(&t);
}

TEST(a_signal_after_a_one_shot_handler_ends_the_program)
{
	struct sigaction their = { .sa_handler = count, .sa_flags = SA_RESETHAND };
	int status = 0;
	pid_t child = fork();

	if (!child) {
		sigaction(SIGUSR2, &their, NULL);
		copy_install_handler(SIGUSR2);
		raise(SIGUSR2);
		if (atomic_load(&theirs) == 1)
			raise(SIGUSR2);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
		      WTERMSIG(status) == SIGUSR2, "status %x", status);
}

TEST(ignored_signals_stay_ignored)
{
	share_with(&(struct sigaction){ .sa_handler = SIG_IGN }, 0);
}

TEST(unhandled_signals_do_nothing)
{
	share_with(&(struct sigaction){ .sa_handler = SIG_DFL }, 0);
}

TEST(a_signal_that_would_end_the_program_does)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		copy_install_handler(SIGUSR2);
		raise(SIGUSR2);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
		      WTERMSIG(status) == SIGUSR2, "status %x", status);
}

TEST(a_later_handler_has_the_signal)
{
	struct sigaction their = { .sa_handler = count };
	struct target t;

	target_start(&t, stay_with_sentinel);
	sigaction(SIGURG, &their, NULL);
	copy_stack(&t.copy, &t.buffer, false, NULL, 0, &t.result);
	CHECK(t.result.status == SAMPLER_BLOCKED, "status %d", t.result.status);
	CHECK(!atomic_load(&theirs), "and is not bothered");
	target_end(&t);
}

TEST(the_handler_is_installed_once)
{
	CHECK(copy_install_handler(SIGKILL) == -EINVAL, "no handler for that one");
	CHECK(copy_install_handler(-1) == -EINVAL, "nor that one");
	CHECK(!copy_install_handler(SIGURG), "once");
	CHECK(!copy_install_handler(SIGURG), "again");
	CHECK(copy_install_handler(SIGUSR1) == -EBUSY, "no other one");
}

static atomic_bool is_over;

/* The signal may arrive between any two instructions, also between a call and reading errno. */
static void watch_errno(struct target *t)
{
	atomic_store(&t->is_ready, 1);
	while (!atomic_load(&is_over)) {
		errno = ENOTTY;
		for (volatile int i = 0; i < 1000; i++)
			;
		t->value += errno != ENOTTY;
	}
}

static void spoil_errno(void *unused)
{
	(void)unused;
	errno = ERANGE;
}

TEST(errno_is_kept)
{
	struct copy_hook hook = { spoil_errno, NULL };
	struct target t;
	uintptr_t high;

	target_start(&t, watch_errno);
	high = t.copy.thread.stack_high;
	for (int i = 0; i < 200; i++) {
		/* both ways of copying, and a hook that overwrites it */
		t.copy.thread.stack_high = i & 1 ? high : t.copy.thread.stack_low;
		CHECK(target_copy_hooked(&t, false, &hook, 1) == SAMPLER_WHOLE, "%d",
		      t.result.status);
	}
	atomic_store(&is_over, true);
	CHECK(!t.value, "%ld times it was not", atomic_load(&t.value));
	target_end(&t);
}

static void be_cancelled(struct target *t)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	atomic_store(&t->is_ready, 1);
	for (;;)
		;
}

static void be_cancelled_where_it_asks(struct target *t)
{
	atomic_store(&t->is_ready, 1);
	for (;;)
		pthread_testcancel();
}

static atomic_bool is_copying, is_cancelled;

/* usleep() is a cancellation point, as are read() and others that a handler may call. */
static void wait_to_be_cancelled(void *unused)
{
	(void)unused;
	atomic_store(&is_copying, true);
	while (!atomic_load(&is_cancelled))
		usleep(100);
	usleep(100);
}

static void *cancel(void *target)
{
	while (!atomic_load(&is_copying))
		usleep(100);
	pthread_cancel(((struct target *)target)->thread);
	atomic_store(&is_cancelled, true);
	return NULL;
}

static void cancel_while_it_copies(void (*run)(struct target *t))
{
	struct copy_hook hook = { wait_to_be_cancelled, NULL };
	struct target t;
	pthread_t other;

	target_start(&t, run);
	pthread_create(&other, NULL, cancel, &t);
	CHECK(target_copy_hooked(&t, false, &hook, 1) == SAMPLER_WHOLE, "%d", t.result.status);
	pthread_join(other, NULL);
	target_end(&t);
}

/* The C library's signal for that is not in the sets of sigfillset(). */
TEST(a_canceled_thread_answers_first)
{
	cancel_while_it_copies(be_cancelled);
}

TEST(a_canceled_thread_answers_first_at_cancellation_points)
{
	cancel_while_it_copies(be_cancelled_where_it_asks);
}

TEST(a_child_can_copy)
{
	struct target t;
	int status = -1;
	pid_t child;

	target_start(&t, stay_with_sentinel);
	CHECK(target_copy(&t) == SAMPLER_WHOLE, "the parent");
	child = fork();
	if (!child) {
		struct target own = { .go = { -1, -1 } };

		copy_after_fork();
		if (stack_buffer_init(&own.buffer, 0) || sampler_thread_self(&own.copy.thread))
			_exit(2);
		_exit(target_copy(&own) == SAMPLER_WHOLE ? 0 : 1);
	}
	CHECK(waitpid(child, &status, 0) == child && !status, "status %x", status);
	CHECK(target_copy(&t) == SAMPLER_WHOLE, "the parent still");
	target_end(&t);
}

TEST_MAIN()
