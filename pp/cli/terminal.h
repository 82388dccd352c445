/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terminal.h - pager and progress [RP-13] */
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
 * Fork $PAGER (default less) if @wanted and standard output is a terminal. It is executed by
 * pager_start(), or never.
 */
void pager_prepare(bool wanted);

/*
 * Start the prepared pager, if there is one and it is @wanted. Until pager_finish() this process
 * ignores the terminal's signals, which are for the pager.
 */
void pager_start(struct pager *pager, bool wanted);

/*
 * Flush and wait until the pager, if any, ends. 0, -errno of writing, or -ENOEXEC: the pager could
 * not be run and nothing was shown; print again without.
 */
int pager_finish(struct pager *pager);

/*
 * From now on show progress_tell() on standard error, until a report is printed to the terminal: on
 * a terminal as a bar, from the second second on, which progress_end() clears; else as a few lines,
 * from the third on. OPROFILE_PROGRESS=never in the environment: not at all; always: each step.
 */
void progress_begin(void);
void progress_end(void);

#endif
