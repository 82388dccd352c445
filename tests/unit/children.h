/* SPDX-License-Identifier: GPL-2.0-or-later */
/* children.h - find the processes that a program has forked */
#ifndef TESTS_UNIT_CHILDREN_H
#define TESTS_UNIT_CHILDREN_H

#include <stdio.h>
#include <sys/types.h>

/* Of @pid's first thread. 0: none. */
static inline pid_t first_child(pid_t pid)
{
	char path[80];
	int child = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	f = fopen(path, "re");
	if (f && fscanf(f, "%d", &child) != 1)
		child = 0;
	if (f)
		fclose(f);
	return child;
}

/* The process that starts @program's tasks (libutil/sandbox/worker.h), below its keeper. */
static inline pid_t worker_helper(pid_t program)
{
	return first_child(first_child(program));
}

#endif
