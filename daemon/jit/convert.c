// SPDX-License-Identifier: GPL-2.0-or-later
/* convert.c - read files and write objects, in a child process */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "daemon/jit/convert.h"
#include "daemon/jit/layout.h"
#include "daemon/jit/object.h"
#include "libutil/xalloc.h"

#define NOBODY		65534
#define CPU_SECONDS	60		/* for all jobs: a bound for malicious files */
#define OBJECT_MAX	(1u << 30)	/* bytes of each object */
#define TURN_MS		50

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
	job->done = true;
}

/* The child */

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void close_all_but(int *fds, size_t nr)
{
	unsigned int from = 3;

	qsort(fds, nr, sizeof(*fds), compare_ints);
	for (size_t i = 0; i < nr; i++) {
		if (fds[i] < 3)
			continue;
		if ((unsigned int)fds[i] > from)
			close_range(from, (unsigned int)fds[i] - 1, 0);
		from = (unsigned int)fds[i] + 1;
	}
	close_range(from, ~0u, 0);
}

static void close_other_fds(const struct jit_job *jobs, size_t nr, int pipe_end)
{
	int *fds = xcalloc(nr * (JIT_KINDS + 1) + 1, sizeof(*fds));
	size_t n = 0;

	fds[n++] = pipe_end;
	for (size_t i = 0; i < nr; i++) {
		for (size_t k = 0; k < JIT_KINDS; k++)
			fds[n++] = jobs[i].in[k];
		fds[n++] = jobs[i].out;
	}
	close_all_but(fds, n);
	free(fds);
}

static bool drop_privileges(void)
{
	const struct rlimit cpu = { CPU_SECONDS, CPU_SECONDS }, size = { OBJECT_MAX, OBJECT_MAX },
			    none = { 0, 0 };
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	signal(SIGINT, SIG_IGN);	/* Ctrl-C ends the profiled program; we run after that */
	signal(SIGHUP, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	(void)setpriority(PRIO_PROCESS, 0, 10);
	if (setrlimit(RLIMIT_CPU, &cpu) || setrlimit(RLIMIT_FSIZE, &size) ||
	    setrlimit(RLIMIT_CORE, &none))
		return false;
	if (geteuid())
		return true;
	return !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
	       !setresuid(NOBODY, NOBODY, NOBODY);
}

static _Noreturn void child(struct jit_job *jobs, size_t nr, const struct jit_window *window,
			    int pipe_end)
{
	close_other_fds(jobs, nr, pipe_end);
	if (!drop_privileges())
		_exit(1);
	for (size_t i = 0; i < nr; i++)
		do_job(&jobs[i], window);
	_exit(0);
}

/* The pipe closes when the child ends, however it ends. */
static void wait_for(pid_t pid, int pipe_end, void (*meanwhile)(void *context), void *context)
{
	struct pollfd p = { .fd = pipe_end, .events = POLLIN };

	while (poll(&p, 1, TURN_MS) <= 0)
		if (meanwhile)
			meanwhile(context);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

int jit_jobs_do(struct jit_job *jobs, size_t nr, const struct jit_window *window,
		void (*meanwhile)(void *context), void *context)
{
	struct jit_job *shared;
	int ends[2], err = 0;
	pid_t pid;

	if (!nr)
		return 0;
	shared = mmap(NULL, nr * sizeof(*jobs), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return -errno;
	if (pipe2(ends, O_CLOEXEC)) {
		err = -errno;
		munmap(shared, nr * sizeof(*jobs));
		return err;
	}
	memcpy(shared, jobs, nr * sizeof(*jobs));
	pid = fork();
	if (pid == 0)
		child(shared, nr, window, ends[1]);
	err = pid < 0 ? -errno : 0;
	close(ends[1]);
	if (!err)
		wait_for(pid, ends[0], meanwhile, context);
	close(ends[0]);
	for (size_t i = 0; i < nr; i++) {	/* only results: the child may have changed all */
		jobs[i].done = shared[i].done;
		jobs[i].err = shared[i].err;
		jobs[i].nr_symbols = shared[i].nr_symbols;
		jobs[i].dropped = shared[i].dropped;
		jobs[i].damaged = shared[i].damaged;
	}
	munmap(shared, nr * sizeof(*jobs));
	return err;
}
