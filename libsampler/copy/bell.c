// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bell.c - wake the sampling thread, from signal handlers too
 *
 * A futex, because condition variables must not be used in handlers. The word changes with each
 * ring: who has read it before looking for work misses none.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "libsampler/copy/copy.h"

static _Atomic uint32_t turn;
static atomic_bool has_answers;

IN_HANDLER void copy_bell_ring(void)
{
	atomic_fetch_add(&turn, 1);
	syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

IN_HANDLER void copy_bell_answer(void)
{
	atomic_store(&has_answers, true);
	copy_bell_ring();
}

bool copy_bell_take(void)
{
	return atomic_exchange(&has_answers, false);
}

uint32_t copy_bell_turn(void)
{
	return atomic_load(&turn);
}

void copy_bell_wait(uint32_t since, uint64_t until_ns)
{
	struct timespec until = { (time_t)(until_ns / 1000000000), (long)(until_ns % 1000000000) };

	syscall(SYS_futex, &turn, FUTEX_WAIT_BITSET_PRIVATE, since, &until, NULL,
		FUTEX_BITSET_MATCH_ANY);
}
