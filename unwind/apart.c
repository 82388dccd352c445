// SPDX-License-Identifier: GPL-2.0-or-later
/* apart.c - the process sends a header and then the table through a pipe, and is not believed */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/sandbox/worker.h"
#include "unwind/apart.h"
#include "unwind/build.h"
#include "unwind/runtime.h"

/* Bounds for one binary. The largest programs take a second of CPU time. */
#define CPU_SECONDS	20
#define SECONDS		60		/* its file system may never answer */
#define PATIENCE_NS	((SECONDS + 10) * NS_PER_SECOND)	/* nor let it be killed */
#define MEMORY(limit)	(8 * (uint64_t)(limit) + (UINT64_C(128) << 20))	/* bytes */

struct request {
	size_t limit;
	uint32_t window;
};

struct answer {
	int64_t err;
	uint64_t len, cpu_ns;
	struct op_runtime runtime;
};

/* In that process. */
static void run(const struct worker_task *task, const int *fds, int out)
{
	struct op_unwind_table *blob = NULL;
	struct request r;
	struct answer answer;
	size_t len = 0;

	memcpy(&r, task->argument, sizeof(r));
	answer.err = r.window ? unwind_build_copy_fd(fds[0], r.window, r.limit, &blob, &len, NULL) :
				unwind_build_fd(fds[0], r.limit, &blob, &len, NULL);
	answer.len = len;
	answer.runtime = (struct op_runtime){ .number = OP_RUNTIME_NONE };
	if (!r.window)
		unwind_runtime_find(fds[0], &answer.runtime);
	answer.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (!file_write_fd(out, &answer, sizeof(answer)) && !answer.err)
		(void)file_write_fd(out, blob, len);
}

static int receive(int fd, int stop_fd, size_t limit, struct unwind_table *ret,
		   uint64_t *ret_cpu_ns)
{
	const uint64_t until = now_ns() + PATIENCE_NS;
	struct op_unwind_table *blob;
	struct answer answer;

	if (!worker_read(fd, stop_fd, until, &answer, sizeof(answer)))
		return -ECANCELED;
	if (!worker_is_error(answer.err) || answer.len > limit ||
	    answer.cpu_ns > CPU_SECONDS * NS_PER_SECOND || answer.runtime.number >= OP_RUNTIMES)
		return -ECANCELED;
	*ret_cpu_ns = answer.cpu_ns;
	if (answer.err)
		return (int)answer.err;
	blob = malloc(answer.len ? answer.len : 1);
	if (!blob)
		return -ENOMEM;
	if (!worker_read(fd, stop_fd, until, blob, answer.len) ||
	    !op_unwind_check(blob, answer.len)) {
		free(blob);
		return -ECANCELED;
	}
	*ret = (struct unwind_table){ blob, answer.len, answer.runtime };
	return 0;
}

int unwind_build_apart(int fd, uint32_t window, size_t limit, int stop_fd,
		       struct unwind_table *ret, uint64_t *ret_cpu_ns)
{
	const struct request r = { .limit = limit, .window = window };
	struct worker_task task = {
		.run = run,
		.sandbox = { .memory = MEMORY(limit), .cpu_seconds = CPU_SECONDS,
			     .seconds = SECONDS },
	};
	int in, err;

	memcpy(task.argument, &r, sizeof(r));
	in = worker_run(&task, &fd, 1);
	if (in < 0)
		return in;
	err = receive(in, stop_fd, limit, ret, ret_cpu_ns);
	close(in);
	return err;
}
