// SPDX-License-Identifier: GPL-2.0-or-later
/* convert.c - read files and write objects, in a confined process for each job */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "daemon/jit/convert.h"
#include "daemon/jit/layout.h"
#include "daemon/jit/object.h"
#include "libutil/clock.h"
#include "libutil/sandbox/worker.h"

/* Bounds of a job, for malicious files. */
#define CPU_SECONDS	20
#define SECONDS		60
#define MEMORY_MAX	(UINT64_C(3) << 30)	/* bytes: three files, their symbols, the object */
#define OBJECT_MAX	(512u << 20)	/* bytes of each object */
#define TURN_MS		50
/* The file system may never answer, nor let the process be killed. */
#define PATIENCE_NS	((SECONDS + 10) * NS_PER_SECOND)

/* Reading */

/*
 * Up to JIT_TEXT_MAX bytes of @fd, malloc'd: of a larger perf map the last ones, which are the
 * newest, of other files the first, and *ret_cut is set. The file may grow or shrink meanwhile.
 */
static char *read_file(int fd, enum jit_kind kind, size_t *ret_len, bool *ret_cut)
{
	struct stat st;
	size_t len, at = 0;
	off_t from = 0;
	char *text;

	if (fd < 0 || fstat(fd, &st) || st.st_size <= 0)
		return NULL;
	len = (size_t)st.st_size;
	if (len > JIT_TEXT_MAX) {
		*ret_cut = true;
		len = JIT_TEXT_MAX;
		from = kind == JIT_PERF_MAP ? st.st_size - (off_t)len : 0;
	}
	text = malloc(len);
	while (text && at < len) {
		ssize_t n = pread(fd, text + at, len - at, from + (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		at += (size_t)n;
	}
	*ret_len = at;
	return text;
}

/* False: not such a file. */
static bool read_kind(enum jit_kind kind, const char *text, size_t len, struct jit_code *code)
{
	switch (kind) {
	case JIT_PERF_MAP:
		jit_read_perf_map(text, len, code);	/* malformed lines are dropped */
		return true;
	case JIT_JITDUMP:
		return jit_read_jitdump(text, len, code);
	case JIT_DUMP:
		return jit_read_dump(text, len, code);
	case JIT_REGISTERED:
		return jit_read_registered(text, len, code);
	case JIT_INTERPRETED:
		return jit_read_interpreted(text, len, code);
	case JIT_KINDS:
		break;
	}
	return false;
}

static void do_job(struct jit_job *job, const struct jit_window *window)
{
	char *text[JIT_KINDS] = { NULL };
	struct jit_layout layout;
	struct jit_code code;
	size_t len;

	jit_code_init(&code, window);
	for (enum jit_kind kind = 0; kind < JIT_KINDS; kind++) {
		text[kind] = read_file(job->in[kind], kind, &len, &job->damaged);
		if (text[kind] && !read_kind(kind, text[kind], len, &code))
			job->damaged = true;
	}
	jit_layout_make(&code, &layout);
	if (layout.nr)
		job->err = jit_object_write(job->out, &layout, code.machine);
	job->nr_symbols = layout.nr;
	job->dropped = code.dropped + layout.dropped;
	job->damaged |= job->dropped > code.later;
	jit_layout_free(&layout);
	jit_code_free(&code);
	for (size_t i = 0; i < JIT_KINDS; i++)
		free(text[i]);
}

/* The task: its input is the argument and the descriptors, its results are the answer. */

struct request {
	struct jit_window window;
	bool has[JIT_KINDS];		/* descriptors in this order, then the object's */
};

_Static_assert(sizeof(struct request) <= WORKER_ARGUMENT_MAX, "a request is an argument");

struct result {
	int err;
	unsigned int damaged;		/* not bool, of which not all bytes are values */
	size_t nr_symbols, dropped;
};

static void run(const struct worker_task *task, const int *fds, int out)
{
	struct jit_job job = { .out = -1 };
	struct request request;
	struct result result = { 0 };

	memcpy(&request, task->argument, sizeof(request));
	for (size_t i = 0; i < JIT_KINDS; i++)
		job.in[i] = request.has[i] ? *fds++ : -1;
	job.out = *fds;
	do_job(&job, &request.window);
	result.err = job.err;
	result.damaged = job.damaged;
	result.nr_symbols = job.nr_symbols;
	result.dropped = job.dropped;
	(void)!write(out, &result, sizeof(result));
}

/* -errno, or a descriptor with the answer. */
static int start(const struct jit_job *job, const struct jit_window *window)
{
	struct worker_task task = {
		.run = run,
		.sandbox = { .memory = MEMORY_MAX, .file_size = OBJECT_MAX,
			     .cpu_seconds = CPU_SECONDS, .seconds = SECONDS },
		.nice = 10,
	};
	struct request request = { .has = { false } };
	int fds[JIT_KINDS + 1];
	size_t nr = 0;

	if (window)
		request.window = *window;
	for (size_t i = 0; i < JIT_KINDS; i++) {
		request.has[i] = job->in[i] >= 0;
		if (request.has[i])
			fds[nr++] = job->in[i];
	}
	fds[nr++] = job->out;
	memcpy(task.argument, &request, sizeof(request));
	return worker_run(&task, fds, nr);
}

/* Until the task ends, however it does. */
static void finish(int fd, struct jit_job *job, void (*meanwhile)(void *context), void *context)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	const uint64_t until = now_ns() + PATIENCE_NS;
	struct result result;
	int ready;

	while ((ready = poll(&p, 1, TURN_MS)) <= 0 && now_ns() < until)
		if (meanwhile)
			meanwhile(context);
	if (ready <= 0)
		return;
	if (read(fd, &result, sizeof(result)) != sizeof(result))	/* written at once */
		return;
	job->done = true;
	job->err = worker_is_error(result.err) ? result.err : -EIO;
	job->nr_symbols = result.nr_symbols;
	job->dropped = result.dropped;
	job->damaged = result.damaged;
}

int jit_job_do(struct jit_job *job, const struct jit_window *window,
	       void (*meanwhile)(void *context), void *context)
{
	uint64_t begin = now_ns();
	int fd = start(job, window);

	if (fd < 0)
		return fd;
	finish(fd, job, meanwhile, context);
	close(fd);
	job->took_ns = now_ns() - begin;
	return 0;
}
