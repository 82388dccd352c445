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
};

/*
 * From now on, and for good, this process reads files, but writes only to the outputs and caches.
 * It executes nothing besides the pager, which is forked now, and connects only if servers of debug
 * files are configured. Call it before a thread is started or anything is parsed. -errno: this is
 * root, and it failed.
 */
int confine(const struct confine_needs *needs, struct op_error *e);

#endif
