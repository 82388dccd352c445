/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spin.h - work of a known size that stays where it is
 *
 * A workload burns a given number of turns and reads no clock meanwhile, so that its samples
 * lie in its own functions and nowhere else. calibrate.c tells how many turns a millisecond has.
 */
#ifndef TESTS_VM_WORKLOADS_SPIN_H
#define TESTS_VM_WORKLOADS_SPIN_H

#include <stdint.h>

#define NOT_MERGED __attribute__((noinline, noclone, used))

/* Inlined: the turns are spent in the function that says spin(). */
static inline __attribute__((always_inline)) void spin(uint64_t turns)
{
	uint64_t x = turns;

	for (uint64_t i = 0; i < turns; i++) {
		x = x * 6364136223846793005u + i;
		__asm__ volatile("" : "+r"(x));
	}
}

#endif
