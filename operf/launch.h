/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * launch.h - start a command after its events are open
 *
 * The new process executes nothing of the command before launch_go(), so a set-up that fails has no
 * effect. While it waits, it ends when this process ends, even if this process is killed.
 */
#ifndef OPERF_LAUNCH_H
#define OPERF_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>
#include "libutil/error.h"

/* Exit status of a shell for a command that is not found, or not executable. */
#define LAUNCH_NOT_FOUND	127
#define LAUNCH_NOT_EXECUTABLE	126

struct launch {
	const char *name;
	pid_t pid;			/* 0: none */
	int go_fd, result_fd;
	bool ended;
	int status;			/* of wait(2), and resources, if @ended */
	struct rusage usage;
};

/*
 * Find the program of the command @name, by $PATH. *ret_file (may be NULL): its path, malloc'd.
 * -ENOENT, -EACCES.
 */
int launch_find(const char *name, char **ret_file, struct op_error *e);
/* The exit status for an error of launch_find() or launch_go(). */
int launch_failure_status(int err);

/* @mask: the signal mask of the command. @argv: for execvp(3), must remain valid. */
int launch_prepare(struct launch *l, char *const *argv, const sigset_t *mask, struct op_error *e);
/*
 * Block SIGCHLD and the signals that stop a program, and open a signalfd for them. *ret_mask: the
 * signal mask before.
 */
int launch_signal_fd(int *ret_fd, sigset_t *ret_mask, struct op_error *e);
/* Execute the command. On failure, with the errno of execve(2), the process has ended. */
int launch_go(struct launch *l, struct op_error *e);
/* End the process; if it executes the command already, by SIGKILL. */
void launch_cancel(struct launch *l);

/* Whether it has ended by now. */
bool launch_has_ended(struct launch *l);
void launch_wait(struct launch *l);
/* Its exit status, or 128 + the signal that ended it. */
int launch_exit_status(const struct launch *l);
/* The signal that ended it, or 0. */
int launch_killed_by(const struct launch *l);

#endif
