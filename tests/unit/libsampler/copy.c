// SPDX-License-Identifier: GPL-2.0-or-later
/* copy.c - copies of stacks: their contents, unusual stacks, threads that do not answer */
#include <errno.h>
#include <sys/mman.h>
#include <ucontext.h>
#include "libsampler/copy/registers.h"
#include "tests/unit/libsampler/target.h"

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

TEST(another_threads_stack_is_in_the_copy)
{
	struct target t;
	uint64_t before = clock_ns();

	target_start(&t, stay_with_sentinel);
	CHECK(target_copy(&t) == SAMPLER_WHOLE, "status %d", t.result.status);
	CHECK(has_sentinel(&t.result), "what stands on it");
	CHECK(t.result.stack.low == t.result.regs.sp - RED_ZONE, "from sp on, or a little below");
	CHECK(t.result.stack.high == t.copy.thread.stack_high, "to the top");
	CHECK((uintptr_t)t.result.stack.copy % 16 == t.result.stack.low % 16, "offset");
	CHECK(t.result.time_ns >= before && t.result.time_ns <= clock_ns(), "the time");
	target_end(&t);
}

static void copy_itself(struct target *t)
{
	CHECK(target_copy(t) == SAMPLER_WHOLE && has_sentinel(&t->result), "its own");
}

TEST(a_threads_own_stack_is_in_the_copy)
{
	struct target t = { .go = { -1, -1 } };

	CHECK(!copy_install_handler(SIGURG) && !stack_buffer_init(&t.buffer, 0), "ready");
	CHECK(!sampler_thread_self(&t.copy.thread), "itself");
	with_sentinel(&t, copy_itself);
	stack_buffer_free(&t.buffer);
}

/* The bounds of its stack are unknown, and found by its stack pointer. */
TEST(a_thread_known_only_by_its_id)
{
	struct target t;

	target_start(&t, stay_with_sentinel);
	t.copy.thread.stack_low = t.copy.thread.stack_high = 0;
	CHECK(target_copy(&t) == SAMPLER_WHOLE, "status %d", t.result.status);
	CHECK(has_sentinel(&t.result), "what stands on it");
	CHECK(t.result.stack.high == t.copy.thread_pointer,
	      "up to what the C library keeps there");
	CHECK(target_copy(&t) == SAMPLER_WHOLE && has_sentinel(&t.result), "and again");
	target_end(&t);
}

struct order {
	char text[8];
	size_t n;
};

static void first(void *context)
{
	struct order *o = context;

	o->text[o->n++] = 'a';
	errno = ERANGE;
}

static void second(void *context)
{
	struct order *o = context;

	o->text[o->n++] = 'b';
}

TEST(hooks_run_in_order_and_once)
{
	struct order o = { .n = 0 };
	struct copy_hook hooks[] = { { first, &o }, { second, &o } };
	struct target t;

	target_start(&t, stay_with_sentinel);
	CHECK(target_copy_hooked(&t, false, hooks, 2) == SAMPLER_WHOLE, "%d", t.result.status);
	CHECK(!strcmp(o.text, "ab"), "%s", o.text);
	/* also if its stack has to be found first */
	t.copy.thread.stack_low = t.copy.thread.stack_high = 0;
	CHECK(target_copy_hooked(&t, false, hooks, 2) == SAMPLER_WHOLE, "%d", t.result.status);
	CHECK(!strcmp(o.text, "abab"), "%s", o.text);
	target_end(&t);
}

TEST(a_small_buffer_gets_the_innermost_part)
{
	struct stack_buffer small;
	struct target t;
	size_t touched = 0;

	target_start(&t, stay_with_sentinel);
	CHECK(!stack_buffer_init(&small, 4096), "a page");
	stack_buffer_free(&t.buffer);
	t.buffer = small;
	t.buffer.size = RED_ZONE + 320;
	memset(small.bytes, 0x5a, small.size);
	CHECK(target_copy(&t) == SAMPLER_BUFFER, "status %d", t.result.status);
	for (size_t i = t.buffer.size; i < small.size; i++)
		touched += small.bytes[i] != 0x5a;
	CHECK(!touched, "%zu bytes behind it", touched);
	CHECK(t.result.stack.low == t.result.regs.sp - RED_ZONE, "from sp on, or a little below");
	CHECK(t.result.stack.high - t.result.stack.low >= RED_ZONE + 300, "as much as has room");
	t.buffer.size = 64;
	CHECK(target_copy(&t) == SAMPLER_BUFFER && t.result.regs.pc, "registers all the same");
	t.buffer.size = small.size;
	target_end(&t);
}

/* --- other stacks --- */

static void stay_in_handler(int signal)
{
	extern struct target *in_handler;

	(void)signal;
	with_sentinel(in_handler, target_stay);
}
struct target *in_handler;

static void on_alternate_stack(struct target *t)
{
	static _Alignas(16) char bytes[64 << 10];
	stack_t stack = { .ss_sp = bytes, .ss_size = sizeof(bytes) };
	struct sigaction action = { .sa_handler = stay_in_handler, .sa_flags = SA_ONSTACK };

	in_handler = t;
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
}

TEST(on_an_alternate_signal_stack)
{
	struct target t;

	target_start(&t, on_alternate_stack);
	CHECK(target_copy(&t) == SAMPLER_WHOLE, "status %d", t.result.status);
	CHECK(t.result.regs.sp < t.copy.thread.stack_low ||
		      t.result.regs.sp >= t.copy.thread.stack_high, "another stack");
	CHECK(has_sentinel(&t.result), "what stands on it");
	CHECK(t.result.stack.outer_low >= t.copy.thread.stack_low &&
	      t.result.stack.outer_high == t.copy.thread.stack_high &&
	      t.result.stack.outer_high - t.result.stack.outer_low > 2 * RED_ZONE,
	      "and the one that was interrupted: %#lx to %#lx", t.result.stack.outer_low,
	      t.result.stack.outer_high);
	target_end(&t);
}

static struct target *in_coroutine;
static ucontext_t outside, inside;

static void coroutine(void)
{
	stay_with_sentinel(in_coroutine);
}

#define COROUTINE_STACK (1 << 20)
static void *coroutine_stack;

static void run_coroutine(struct target *t)
{
	in_coroutine = t;
	coroutine_stack = mmap(NULL, COROUTINE_STACK, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	getcontext(&inside);
	inside.uc_stack.ss_sp = coroutine_stack;
	inside.uc_stack.ss_size = COROUTINE_STACK;
	inside.uc_link = &outside;
	makecontext(&inside, coroutine, 0);
	swapcontext(&outside, &inside);
	munmap(coroutine_stack, COROUTINE_STACK);
}

TEST(on_a_coroutines_stack)
{
	struct target t;
	uintptr_t low;

	target_start(&t, run_coroutine);
	low = (uintptr_t)coroutine_stack;
	CHECK(target_copy(&t) == SAMPLER_WHOLE, "status %d", t.result.status);
	CHECK(t.result.regs.sp >= low && t.result.regs.sp < low + COROUTINE_STACK, "on it");
	CHECK(has_sentinel(&t.result), "what stands on it");
	CHECK(t.result.stack.high - t.result.stack.low <= 64 << 10, "not all of the mapping");
	target_end(&t);
}

/* The stack of the last copy does not exist any more. */
TEST(an_unmapped_stack_is_not_touched)
{
	void *gone = mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct target t;

	target_start(&t, run_coroutine);
	t.copy.other_low = (uintptr_t)gone;
	t.copy.other_high = (uintptr_t)gone + (1 << 20);
	munmap(gone, 1 << 20);
	CHECK(target_copy(&t) == SAMPLER_WHOLE && has_sentinel(&t.result), "found anew: %d",
	      t.result.status);
	/* bounds that are far too wide: up to unreadable memory */
	t.copy.other_high = UINTPTR_MAX / 2;
	CHECK(target_copy(&t) == SAMPLER_WHOLE && has_sentinel(&t.result), "as much as there is");
	target_end(&t);
}

/* --- threads that do not answer --- */

static void stay_deaf(struct target *t)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGURG);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	target_stay(t);
	atomic_store(&t->is_ready, 0);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	CHECK(!pipe(t->go), "pipe");
	atomic_store(&t->value, 1);
	target_stay(t);
}

static void fill(struct target *t)
{
	memset(t->buffer.bytes, 0x5a, 65536);
}

static bool is_filled(const struct target *t)
{
	for (size_t i = 0; i < 65536; i++)
		if (t->buffer.bytes[i] != 0x5a)
			return false;
	return true;
}

TEST(a_thread_that_blocks_the_signal_does_not_answer)
{
	struct target t;

	target_start(&t, stay_deaf);
	copy_stack(&t.copy, &t.buffer, false, NULL, 0, &t.result);
	CHECK(t.result.status == SAMPLER_BLOCKED, "status %d", t.result.status);
	CHECK(copy_reach(&t.copy) == COPY_IS_BLOCKED, "why: %d", copy_reach(&t.copy));
	/* the signal that is still pending finds nothing to do */
	fill(&t);
	close(t.go[1]);
	UNTIL(atomic_load(&t.value) == 1);
	target_wait(&t);
	CHECK(is_filled(&t), "the buffer is not touched any more");
	CHECK(target_copy(&t) == SAMPLER_WHOLE, "and now it answers: %d", t.result.status);
	target_end(&t);
}

static void end(struct target *t)
{
	atomic_store(&t->is_ready, 1);
}

TEST(a_thread_that_has_ended_is_gone)
{
	struct target t;

	target_start(&t, end);
	pthread_join(t.thread, NULL);
	CHECK(target_copy(&t) == SAMPLER_GONE, "status %d", t.result.status);
	CHECK(target_copy_hooked(&t, true, NULL, 0) == SAMPLER_GONE, "without a signal too");
	stack_buffer_free(&t.buffer);
}

TEST(threads_that_end_while_they_are_copied)
{
	int whole = 0, gone = 0;

	for (int i = 0; i < 300; i++) {
		struct target t;

		target_start(&t, i & 1 ? end : stay_with_sentinel);
		close(t.go[1]);
		while (target_copy(&t) == SAMPLER_WHOLE)
			whole++;
		gone += t.result.status == SAMPLER_GONE;
		pthread_join(t.thread, NULL);
		close(t.go[0]);
		stack_buffer_free(&t.buffer);
	}
	CHECK(gone == 300, "%d gone, %d copies", gone, whole);
}

TEST_MAIN()
