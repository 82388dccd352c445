// SPDX-License-Identifier: GPL-2.0-or-later
/* stack.c - a stack of calls; STACK_NAME is the outermost function */
#include <alloca.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tests/unit/libsampler/stack.h"

#define OWN __attribute__((noinline, no_sanitize("address"), no_sanitize("undefined"), \
			   no_sanitize("thread")))

/* Done after each call, so that it is not a tail call. */
#define AFTER_CALL() __asm__ volatile("" ::: "memory")

static void note(struct stack *c, int link, void *from)
{
	c->from[link] = (uintptr_t)from;
}

OWN static void inner(struct stack *c)
{
	note(c, 2, __builtin_return_address(0));
	c->then(c->context);
	AFTER_CALL();
}

OWN static void with_alloca(struct stack *c)
{
	note(c, 1, __builtin_return_address(0));
	if (!c->skip_alloca) {
		volatile char *bytes = alloca(c->bytes + 1);

		bytes[c->bytes] = 1;
		inner(c);
		bytes[0] = 2;
	}
	AFTER_CALL();
}

OWN static void without_alloca(struct stack *c)
{
	note(c, 1, __builtin_return_address(0));
	inner(c);
	AFTER_CALL();
}

__attribute__((visibility("default"))) OWN void STACK_NAME(struct stack *c)
{
	note(c, 0, __builtin_return_address(0));
	if (c->skip_alloca)
		without_alloca(c);
	else
		with_alloca(c);
	AFTER_CALL();
}

#ifdef STACK_READ
/* syscall(), because sanitizers replace read(). */
OWN void stack_read(void *stack)
{
	struct stack *c = stack;

	*c->is_ready = 1;
	syscall(SYS_read, c->fd, NULL, 0x1000);
	AFTER_CALL();
}
#endif
