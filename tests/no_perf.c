// SPDX-License-Identifier: GPL-2.0-or-later
/* no_perf.c - no-perf COMMAND [ARGUMENT...]: run it where a filter forbids perf_event_open(2) */
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tests/unit/forbid_call.h"

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: no-perf COMMAND [ARGUMENT...]\n");
		return 2;
	}
	if (!forbid_call(SYS_perf_event_open, EPERM)) {
		perror("no-perf");
		return 1;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
