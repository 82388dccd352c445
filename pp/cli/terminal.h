/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terminal.h - what only a person at a terminal gets: a pager, and signs of progress [RP-13] */
#ifndef PP_CLI_TERMINAL_H
#define PP_CLI_TERMINAL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct pager {
	FILE *out;		/* where to write: the pager, or standard output */
	pid_t pid;		/* 0: none */
	struct sigaction interrupt, quit, broken_pipe;	/* what was to be done before */
};

/*
 * Start $PAGER (default less) if standard output is a terminal and @wanted. One at a time: until
 * pager_finish() signals of the terminal are the pager's.
 */
void pager_start(struct pager *pager, bool wanted);

/*
 * Flush and, if there is a pager, wait until the reader leaves it. 0, -errno of writing, or
 * -ENOEXEC: the pager could not be run, so nobody has seen anything; print without.
 */
int pager_finish(struct pager *pager);

/*
 * A line on standard error that says how far the work is, if it takes long: images, or bytes of
 * the debug file of @what; and its end.
 */
void progress_show(size_t done, size_t total);
void progress_fetch(const char *what, size_t done, size_t total);
void progress_end(void);

#endif
