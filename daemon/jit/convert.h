/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * convert.h - from the files of processes to objects, in a process that can do no harm
 *
 * What is read was written by any user, so it is read by a child that has given up its rights and
 * all but the descriptors it needs [JT-50] ff.
 */
#ifndef DAEMON_JIT_CONVERT_H
#define DAEMON_JIT_CONVERT_H

#include "daemon/jit/code.h"
#include "daemon/jit/files.h"

#define JIT_TEXT_MAX	(256u << 20)	/* bytes read of one file */

struct jit_job {
	int in[JIT_KINDS];		/* or -1 */
	int out;			/* an empty file: gets the object */
	/* set: */
	bool done;			/* to the end */
	int err;			/* of writing @out */
	size_t nr_symbols, dropped;	/* no symbols: nothing in @out */
	bool damaged;			/* a file is too large, no such file, or holds nonsense */
};

/*
 * Do all @jobs in a child. @meanwhile is called now and then until it has ended; NULL: nothing.
 * Jobs that are not done had a file that the child died of, or there was no time left for them.
 * -errno: there is no child to be had.
 */
int jit_jobs_do(struct jit_job *jobs, size_t nr, const struct jit_window *window,
		void (*meanwhile)(void *context), void *context);

#endif
