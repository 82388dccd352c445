/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls.h - functions that use the stack in all ways of compilers and assembly
 *
 * Compiled without frame pointers; walk.c stops them at each instruction. x86-64 only.
 */
#ifndef TESTS_UNIT_UNWIND_CALLS_H
#define TESTS_UNIT_UNWIND_CALLS_H

struct unwind_call {
	const char *name;
	void (*run)(void);
};

extern const struct unwind_call unwind_calls[];		/* ends with a NULL name */

/* Begin and end SIGTRAP after each instruction. */
void step_on(void);
void step_off(void);

#endif
