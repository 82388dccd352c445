/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terminal.h - pager and progress, on terminals only [RP-13] */
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
	struct sigaction interrupt, quit, broken_pipe;	/* to be restored */
};

/*
 * Start $PAGER (default less) if @wanted and standard output is a terminal. One at a time: until
 * pager_finish() this process ignores the terminal's signals, which are for the pager.
 */
void pager_start(struct pager *pager, bool wanted);

/*
 * Flush and wait until the pager, if any, ends. 0, -errno of writing, or -ENOEXEC: the pager could
 * not be run and nothing was shown; print again without.
 */
int pager_finish(struct pager *pager);

/*
 * Show on standard error how far the work is, if it takes more than a second: images, or bytes of
 * the debug file of @what. progress_end() clears the line.
 */
void progress_show(size_t done, size_t total);
void progress_fetch(const char *what, size_t done, size_t total);
void progress_end(void);

#endif
