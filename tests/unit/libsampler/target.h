/* SPDX-License-Identifier: GPL-2.0-or-later */
/* target.h - threads that wait at a place chosen by the test, and copies of their stacks */
#ifndef TESTS_UNIT_LIBSAMPLER_TARGET_H
#define TESTS_UNIT_LIBSAMPLER_TARGET_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>
#include "libsampler/sampling.h"
#include "tests/tap.h"

struct target {
	struct copy_target copy;
	struct stack_buffer buffer;
	struct stack_copy result;
	pthread_t thread;
	void (*run)(struct target *t);
	int go[2];			/* closed to end it */
	atomic_int is_ready;
	atomic_long value;		/* for the test */
};

/* [target] Report that it is in place, and stay there until the end of the test. */
__attribute__((unused)) static void target_stay(struct target *t)
{
	char byte;

	atomic_store(&t->is_ready, 1);
	while (read(t->go[0], &byte, 1) < 0)
		;
}

__attribute__((unused)) static void *target_main(void *context)
{
	struct target *t = context;

	if (sampler_thread_self(&t->copy.thread))
		abort();
	t->run(t);
	return NULL;
}

__attribute__((unused)) static void target_wait(struct target *t)
{
	while (!atomic_load(&t->is_ready))
		usleep(1000);
}

__attribute__((unused)) static void target_start(struct target *t, void (*run)(struct target *t))
{
	memset(t, 0, sizeof(*t));
	t->run = run;
	CHECK(!copy_install_handler(SIGURG), "the handler");
	CHECK(!stack_buffer_init(&t->buffer, 0), "a buffer");
	CHECK(!pipe(t->go) && !pthread_create(&t->thread, NULL, target_main, t), "a thread");
	target_wait(t);
}

__attribute__((unused)) static void target_end(struct target *t)
{
	close(t->go[1]);
	pthread_join(t->thread, NULL);
	close(t->go[0]);
	stack_buffer_free(&t->buffer);
}

/* Ask for a copy, and wait for it 50 ms: SAMPLER_BLOCKED then. */
#define TIMEOUT_NS	50000000

__attribute__((unused)) static void
copy_stack(struct copy_target *target, struct stack_buffer *buffer, bool spare,
	   const struct copy_hook *hooks, size_t nr_hooks, struct stack_copy *ret)
{
	const struct copy_order order = { buffer, hooks, nr_hooks };
	struct timespec now;
	uint64_t end;

	if (spare && copy_blocked(target, buffer, ret)) {
		for (size_t i = 0; i < nr_hooks; i++)
			hooks[i].run(hooks[i].context);
		return;
	}
	if (copy_ask(target, &order, ret))
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	end = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec + TIMEOUT_NS;
	for (;;) {
		uint32_t turn = copy_bell_turn();

		if (copy_take(target, ret))
			return;
		copy_bell_wait(turn, end);
		clock_gettime(CLOCK_MONOTONIC, &now);
		if ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec < end ||
		    !copy_withdraw(target))
			continue;
		ret->status = SAMPLER_BLOCKED;
		return;
	}
}

/* Retries on a machine that is too busy for an answer in that time. */
__attribute__((unused)) static enum sampler_status
target_copy_hooked(struct target *t, bool spare, const struct copy_hook *hooks, size_t nr)
{
	for (int i = 0; i < 10000; i++) {
		copy_stack(&t->copy, &t->buffer, spare, hooks, nr, &t->result);
		if (t->result.status != SAMPLER_BLOCKED)
			break;
		usleep(1000);
	}
	return t->result.status;
}

__attribute__((unused)) static enum sampler_status target_copy(struct target *t)
{
	return target_copy_hooked(t, false, NULL, 0);
}

/* The word that tests look for in copies. */
#define SENTINEL 0x53414d504c455221ull

__attribute__((unused)) static bool has_sentinel(const struct stack_copy *c)
{
	uintptr_t word;

	for (uintptr_t at = (c->stack.low + 7) / 8 * 8; at < c->stack.high; at += 8)
		if (sampler_stack_word(&c->stack, at, &word) && word == SENTINEL)
			return true;
	return false;
}

/* Keep the word on the stack while @then runs. */
__attribute__((unused)) static void with_sentinel(struct target *t, void (*then)(struct target *t))
{
	volatile uint64_t sentinel[4] = { SENTINEL, 0, 0, SENTINEL };

	then(t);
	t->value += sentinel[0] == sentinel[3];
}

__attribute__((unused)) static void stay_with_sentinel(struct target *t)
{
	with_sentinel(t, target_stay);
}

/* Wait until @condition is true, or a hang is certain. */
#define UNTIL(condition)                                                                       \
	do {                                                                                   \
		for (int until = 0; until < 60000 && !(condition); until++)                    \
			usleep(1000);                                                          \
		CHECK(condition, "in a minute");                                               \
	} while (0)

#endif
