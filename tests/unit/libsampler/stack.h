/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack.h - calls that record their return addresses: outer(), one with alloca(), inner(), and one
 * chosen by the test. The same in objects that are compiled differently.
 */
#ifndef TESTS_UNIT_LIBSAMPLER_STACK_H
#define TESTS_UNIT_LIBSAMPLER_STACK_H

#include <stdint.h>

#define STACK_LINKS 3

struct stack {
	void (*then)(void *context);
	void *context;
	uintptr_t from[STACK_LINKS];	/* return addresses, outer()'s first */
	unsigned int skip_alloca, bytes;
	/* for stack_read(): called before it reads; the descriptor it reads from */
	volatile int *is_ready;
	int fd;
};

typedef void stack_run(struct stack *c);
void stack_without_frame_pointers(struct stack *c);
void stack_with_frame_pointers(struct stack *c);
/* A link that sleeps until @stack->fd is closed, and needs only the registers of calls. */
void stack_read(void *stack);
/* in sampler_without_cfi.so */
void stack_without_cfi(struct stack *c);

#endif
