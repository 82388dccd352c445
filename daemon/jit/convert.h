/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * convert.h - convert JIT symbol files to objects, in confined processes
 *
 * Any user may have written the files, so each job is a task of libutil/sandbox/worker.h, which has
 * no other descriptors than the job's [JT-50] ff.
 */
#ifndef DAEMON_JIT_CONVERT_H
#define DAEMON_JIT_CONVERT_H

#include "daemon/jit/code.h"
#include "daemon/jit/files.h"

#define JIT_TEXT_MAX	(256u << 20)	/* bytes read of one file */

struct jit_job {
	int in[JIT_KINDS];		/* or -1 */
	int out;			/* an empty file for the object */
	/* results: */
	bool done;			/* to the end */
	int err;			/* of writing @out */
	size_t nr_symbols, dropped;	/* nr_symbols 0: @out is empty */
	bool damaged;			/* a file is too large or malformed */
	uint64_t took_ns;
};

/*
 * Do @job. @meanwhile, if not NULL, is called now and then until it ends. It is not done if a file
 * crashed its process or exceeded a limit. -errno: there was no process for it.
 */
int jit_job_do(struct jit_job *job, const struct jit_window *window,
	       void (*meanwhile)(void *context), void *context);

#endif
