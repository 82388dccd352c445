/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child.h - run a program and wait for it with a time limit */
#ifndef CONTROL_OPCONTROL_CHILD_H
#define CONTROL_OPCONTROL_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Run argv[0] ($PATH is searched if it has no '/') with argv; @quiet: discard its output.
 * 0 and its wait status in *ret_status; -ENOENT and the like if it could not be executed;
 * -ETIMEDOUT if it was killed after @timeout_ms.
 */
int child_run(const char *const argv[], bool quiet, int timeout_ms, int *ret_status);

/* Wait up to @timeout_ms for any process to end. 0, -ETIMEDOUT or -errno. */
int process_wait_gone(pid_t pid, int timeout_ms);

#endif
