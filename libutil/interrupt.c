// SPDX-License-Identifier: GPL-2.0-or-later
/* interrupt.c - see interrupt.h */
#include "libutil/interrupt.h"

#include <signal.h>

static sigset_t before;

static void set_up(sigset_t *ret)
{
	sigemptyset(ret);
	sigaddset(ret, SIGHUP);
	sigaddset(ret, SIGINT);
	sigaddset(ret, SIGTERM);
}

void interrupt_defer(void)
{
	sigset_t set;

	set_up(&set);
	sigprocmask(SIG_BLOCK, &set, &before);
}

bool interrupt_came(void)
{
	sigset_t pending;

	sigpending(&pending);
	return sigismember(&pending, SIGHUP) || sigismember(&pending, SIGINT) ||
	       sigismember(&pending, SIGTERM);
}

void interrupt_allow(void)
{
	sigprocmask(SIG_SETMASK, &before, NULL);
}
