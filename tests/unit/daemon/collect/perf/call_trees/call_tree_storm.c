// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * call_tree_storm.c - processes that are gone before anybody can have a look at them
 *
 * A few of them at a time, each for two milliseconds or so: every other one is forked only and has
 * what its parent has mapped, the others begin anew with the same program.
 */
#include "tests/unit/daemon/collect/perf/call_trees/call_tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define AT_A_TIME 4
#define TURNS 200	/* of spin() in a life */

KEPT void lives(void)
{
	for (int i = 0; i < TURNS; i++)
		spin();
	AFTERWARDS;
}

NOINLINE void forks(bool begins_anew)
{
	if (fork())
		return;
	if (begins_anew)
		execl("/proc/self/exe", "call_tree", "live", (char *)NULL);
	else
		lives();
	_exit(0);
}

/* Where it ends it began with half a second of lives of its own. */
KEPT void storms(unsigned long nr)
{
	for (int i = 0; nr && i < 250; i++)
		lives();
	for (unsigned long n = 0; !nr || n < nr; n++) {
		if (n >= AT_A_TIME)
			wait(NULL);
		forks(n % 2);
	}
	while (wait(NULL) > 0)
		AFTERWARDS;
	exit(0);
}
