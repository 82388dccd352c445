// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copy_sleepers.c - threads that are blocked in a system call, read without a signal; and systems
 * that forbid it
 */
#include <errno.h>
#include <linux/audit.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include "libsampler/copy/registers.h"
#include "tests/unit/forbid_call.h"
#include "tests/unit/libsampler/target.h"

/* Interrupted system calls are counted in t->value. */
static void sleep_in_nanosleep(struct target *t)
{
	atomic_store(&t->is_ready, 1);
	while (atomic_load(&t->is_ready) == 1) {
		struct timespec day = { 86400, 0 };

		if (nanosleep(&day, NULL) && errno == EINTR)
			atomic_fetch_add(&t->value, 1);
	}
}

static void sleep_in_poll(struct target *t)
{
	struct pollfd end = { .fd = t->go[0], .events = POLLIN };

	atomic_store(&t->is_ready, 1);
	while (poll(&end, 1, -1) < 0)
		atomic_fetch_add(&t->value, 1);
}

static char state_of(pid_t tid)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "r");
	if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	if (f)
		fclose(f);
	return state;
}

static bool can_read_calls(void)
{
	char text[256];
	FILE *f = fopen("/proc/thread-self/syscall", "r");
	bool can = f && fgets(text, sizeof(text), f);

	if (f)
		fclose(f);
	return can;
}

static void take_samples(struct target *t, bool spare)
{
	for (int i = 0; i < 50; i++) {
		UNTIL(state_of(t->copy.thread.tid) == 'S');
		CHECK(target_copy_hooked(t, spare, NULL, 0) == SAMPLER_WHOLE, "status %d",
		      t->result.status);
		CHECK(t->result.stack.high > t->result.stack.low, "a stack");
	}
}

static void is_spared(void (*sleeper)(struct target *t))
{
	struct target t;

	if (!can_read_calls())
		SKIP("/proc/PID/syscall cannot be read here");
	target_start(&t, sleeper);
	take_samples(&t, true);
	CHECK(!atomic_load(&t.value), "EINTR %ld times", atomic_load(&t.value));
	CHECK(t.result.regs.known == (1ull << REGISTER_SP | 1ull << REGISTER_PC),
	      "sp and pc alone");
	CHECK(t.result.stack.low == t.result.regs.sp - RED_ZONE, "from sp on, or a little below");
	/* with the signal it is interrupted */
	take_samples(&t, false);
	CHECK(atomic_load(&t.value), "EINTR %ld times", atomic_load(&t.value));
	atomic_store(&t.is_ready, 2);
	pthread_kill(t.thread, SIGURG);
	target_end(&t);
}

TEST(a_nanosleep_is_not_interrupted)
{
	is_spared(sleep_in_nanosleep);
}

TEST(a_poll_is_not_interrupted)
{
	is_spared(sleep_in_poll);
}

/* --- with the signal, in calls that the system restarts --- */

static void sleep_in_read(struct target *t)
{
	char byte;

	atomic_store(&t->is_ready, 1);
	while (read(t->go[0], &byte, 1) < 0)
		atomic_fetch_add(&t->value, 1);
}

static sem_t semaphore;
static pid_t sleeping_child;

static void sleep_in_sem_wait(struct target *t)
{
	atomic_store(&t->is_ready, 1);
	while (sem_wait(&semaphore))
		atomic_fetch_add(&t->value, 1);
}

static void sleep_in_waitid(struct target *t)
{
	siginfo_t info;

	atomic_store(&t->is_ready, 1);
	while (waitid(P_PID, (id_t)sleeping_child, &info, WEXITED))
		atomic_fetch_add(&t->value, 1);
}

static void is_taken_up_again(void (*sleeper)(struct target *t))
{
	struct target t;

	target_start(&t, sleeper);
	take_samples(&t, false);
	CHECK(!atomic_load(&t.value), "EINTR %ld times", atomic_load(&t.value));
	sem_post(&semaphore);
	if (sleeping_child)
		kill(sleeping_child, SIGKILL);
	target_end(&t);
}

TEST(a_read_is_restarted)
{
	is_taken_up_again(sleep_in_read);
}

TEST(a_wait_for_a_semaphore_is_restarted)
{
	sem_init(&semaphore, 0, 0);
	is_taken_up_again(sleep_in_sem_wait);
}

TEST(a_wait_for_a_child_is_restarted)
{
	sleeping_child = fork();
	if (!sleeping_child) {
		alarm(TEST_SECONDS / 2);
		for (;;)
			pause();
	}
	is_taken_up_again(sleep_in_waitid);
}

static void is_its_pc(void *context)
{
	++*(int *)context;
}

TEST(both_ways_lead_to_the_same_stack)
{
	int nr_hooks = 0;
	struct copy_hook hook = { is_its_pc, &nr_hooks };
	struct stack_copy with;
	uintptr_t end;
	char *bytes;
	size_t size;
	struct target t;

	if (!can_read_calls())
		SKIP("/proc/PID/syscall cannot be read here");
	target_start(&t, target_stay);
	UNTIL(state_of(t.copy.thread.tid) == 'S');
	CHECK(target_copy_hooked(&t, false, &hook, 1) == SAMPLER_WHOLE, "with a signal");
	with = t.result;
	/* above the frames are the C library's data, which cancellation being disabled changes */
	end = (uintptr_t)t.thread;
	CHECK(end > with.regs.sp && end < with.stack.high, "the thread's descriptor is in there");
	size = end - with.stack.low;
	bytes = malloc(size);
	memcpy(bytes, with.stack.copy, size);
	/* wait until it sleeps again */
	UNTIL(state_of(t.copy.thread.tid) == 'S');
	CHECK(target_copy_hooked(&t, true, &hook, 1) == SAMPLER_WHOLE, "without one");
	CHECK(t.result.regs.sp == with.regs.sp, "sp");
	CHECK(t.result.stack.high == with.stack.high && !memcmp(bytes, t.result.stack.copy, size),
	      "%zu bytes", size);
	CHECK(nr_hooks == 2, "%d hooks", nr_hooks);
	/* only by its id; the signal has found its stack */
	t.copy.thread.stack_low = t.copy.thread.stack_high = 0;
	CHECK(target_copy_hooked(&t, true, NULL, 0) == SAMPLER_WHOLE &&
		      t.result.stack.low == with.stack.low &&
		      t.result.stack.high <= with.stack.high, "found by its place");
	free(bytes);
	target_end(&t);
}

static atomic_bool is_over;

static void spin(struct target *t)
{
	atomic_store(&t->is_ready, 1);
	while (!atomic_load(&is_over))
		;
}

TEST(a_running_thread_gets_the_signal)
{
	struct target t;

	target_start(&t, spin);
	for (int i = 0; i < 20; i++) {
		CHECK(target_copy_hooked(&t, true, NULL, 0) == SAMPLER_WHOLE, "status %d",
		      t.result.status);
		CHECK(t.result.regs.known >> 3 & 1, "all registers");
	}
	atomic_store(&is_over, true);
	target_end(&t);
}

/* As some containers do. */
static void forbid(long call)
{
	if (!forbid_call(call, EPERM))
		SKIP("no seccomp here");
}

TEST(own_stacks_are_copied_without_process_vm_readv)
{
	struct target t;

	forbid(SYS_process_vm_readv);
	target_start(&t, target_stay);
	CHECK(target_copy_hooked(&t, true, NULL, 0) == SAMPLER_WHOLE, "%d", t.result.status);
	CHECK(target_copy(&t) == SAMPLER_WHOLE, "%d", t.result.status);
	t.copy.thread.stack_low = t.copy.thread.stack_high = 0;
	CHECK(target_copy(&t) == SAMPLER_FOREIGN_STACK, "%d", t.result.status);
	CHECK(t.result.regs.pc && t.result.stack.low == t.result.stack.high, "registers alone");
	target_end(&t);
}

TEST(fails_without_the_right_to_send_signals)
{
	struct target t;

	forbid(SYS_rt_tgsigqueueinfo);
	target_start(&t, target_stay);
	CHECK(target_copy(&t) == SAMPLER_FAILED, "%d", t.result.status);
	target_end(&t);
}

TEST_MAIN()
