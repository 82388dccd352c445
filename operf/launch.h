/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * launch.h - a command that waits until its events are open, and then begins
 *
 * Nothing of it has run before launch_go(), so a set-up that fails leaves nothing behind: a
 * command that waits ends with whoever would have let it go, even if that is killed.
 */
#ifndef OPERF_LAUNCH_H
#define OPERF_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>
#include "libutil/error.h"

/* What a shell returns for a command that isn't there, and for one that can't be executed. */
#define LAUNCH_NOT_FOUND	127
#define LAUNCH_NOT_EXECUTABLE	126

struct launch {
	const char *name;
	pid_t pid;			/* 0: none */
	int go_fd, result_fd;
	bool ended;
	int status;			/* of wait(2), and what it used, once it ended */
	struct rusage usage;
};

/* Whether $PATH leads to the command @name. -ENOENT, -EACCES. */
int launch_find(const char *name, struct op_error *e);
/* The exit status for what launch_find() or launch_go() failed with. */
int launch_failure_status(int err);

/* @mask: the signals that it starts with. @argv is for execvp(3), and must stay. */
int launch_prepare(struct launch *l, char *const *argv, const sigset_t *mask, struct op_error *e);
/*
 * Block SIGCHLD and what asks a program to stop, and open a signalfd for them; *ret_mask is what
 * was blocked before. -errno, told in @e.
 */
int launch_signal_fd(int *ret_fd, sigset_t *ret_mask, struct op_error *e);
/* Let it begin. -errno of execve(2), told in @e: it is gone then. */
int launch_go(struct launch *l, struct op_error *e);
/* It must not begin; or did, and nobody is to watch it: then it ends by SIGKILL. */
void launch_cancel(struct launch *l);

/* Whether it has ended by now. */
bool launch_has_ended(struct launch *l);
void launch_wait(struct launch *l);
/* Its exit status, or 128 + the signal that ended it. */
int launch_exit_status(const struct launch *l);

#endif
