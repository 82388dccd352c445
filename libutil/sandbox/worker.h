/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker.h - parse foreign files in confined processes, one for each task
 *
 * A helper is forked while this program is small and has its rights. It becomes the user for
 * parsers, and forks a process for each task, which enters the sandbox. A task that crashes, or is
 * killed at its limits, harms no other, and nobody needs a right to kill it. A helper that is
 * killed takes its tasks along and is replaced. All end with this program.
 */
#ifndef LIBUTIL_SANDBOX_WORKER_H
#define LIBUTIL_SANDBOX_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"
#include "libutil/sandbox/sandbox.h"

#define WORKER_FDS_MAX		8
#define WORKER_ARGUMENT_MAX	96	/* bytes */

struct worker_task {
	/*
	 * Called in the task's process, which has no other descriptors than @fds and @out, and no
	 * memory of this program newer than the helper. What it writes to @out is the answer, and
	 * as untrusted as the file.
	 */
	void (*run)(const struct worker_task *task, const int *fds, int out);
	struct sandbox sandbox;
	int nice;
	unsigned char argument[WORKER_ARGUMENT_MAX];
};

/* Whether @err of an answer is 0 or a -errno. */
static inline bool worker_is_error(int64_t err)
{
	return err <= 0 && err >= -4095;
}

/*
 * Start the helper, if this process has none yet: as root before capabilities are dropped, and
 * better before there are threads, secrets, or descriptors that its processes should not inherit.
 * 0 or -errno. @e may be NULL.
 */
int worker_start(struct op_error *e);

/*
 * Run @task with duplicates of @fds. Returns a descriptor from which the answer can be read until
 * the task ends, or -errno. Closing it earlier ends a task that writes. Any thread.
 */
int worker_run(const struct worker_task *task, const int *fds, size_t nr);

/*
 * Read @n bytes of an answer from @fd. False: it ended before, or @stop_fd (or -1) is readable, or
 * now_ns() is @until_ns.
 */
bool worker_read(int fd, int stop_fd, uint64_t until_ns, void *bytes, size_t n);

#endif
