/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls.h - functions that use the stack in every way that compilers and people know
 *
 * Compiled without frame pointers; walk.c stops them at every instruction. x86-64 only.
 */
#ifndef TESTS_UNIT_UNWIND_CALLS_H
#define TESTS_UNIT_UNWIND_CALLS_H

struct unwind_call {
	const char *name;
	void (*run)(void);
};

extern const struct unwind_call unwind_calls[];		/* ends with a NULL name */

/* SIGTRAP after every instruction from here on; and no longer. */
void step_on(void);
void step_off(void);

#endif
