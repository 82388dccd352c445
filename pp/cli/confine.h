/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * confine.h - keep a tool that parses other users' binaries from anything but its report
 *
 * Binaries, debug information and samples may be made to take over their parser, and root reports
 * on everybody's.
 */
#ifndef PP_CLI_CONFINE_H
#define PP_CLI_CONFINE_H

#include <stdbool.h>
#include "libutil/error.h"

struct confine_needs {
	const char *outputs[3];		/* NULL, or files or folders that may not exist yet */
	bool line_cache;
	bool pager;			/* if standard output is a terminal */
	bool network;			/* connect, also without servers of debug files */
	bool times;			/* set those of files that are open */
	bool must_write;		/* it has no other output: do it without Landlock, too */
};

/*
 * From now on, and for good, this process reads files, but writes only to the outputs and caches.
 * It executes nothing besides the pager, which is forked now, and connects only if that is needed
 * or servers of debug files are configured. Call it before a thread is started or anything is
 * parsed. -errno: this is root, and it failed.
 */
int confine(const struct confine_needs *needs, struct op_error *e);

/* The main part of a tool: confine it, then return what @run returns, 0 or 1. Prints errors. */
int confine_and_run(const struct confine_needs *needs, int (*run)(const void *options),
		    const void *options);

#endif
