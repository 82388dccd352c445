// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * without_call.c - without-call perf|landlock COMMAND [ARGUMENT...]: run it where a filter forbids
 * perf_event_open(2), as in a container, or where the kernel has no Landlock
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tests/unit/forbid_call.h"

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset	444
#endif

int main(int argc, char **argv)
{
	bool is_perf = argc > 2 && !strcmp(argv[1], "perf");

	if (argc < 3 || (!is_perf && strcmp(argv[1], "landlock"))) {
		fprintf(stderr, "usage: without-call perf|landlock COMMAND [ARGUMENT...]\n");
		return 2;
	}
	if (is_perf ? !forbid_call(SYS_perf_event_open, EPERM)
		    : !forbid_call(SYS_landlock_create_ruleset, ENOSYS)) {
		perror("without-call");
		return 1;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
