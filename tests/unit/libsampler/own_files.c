// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * own_files.c - a sampling thread that shares no file descriptors with the program [SM-17]
 *
 * A filter of system calls stands in for older kernels and sandboxes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "libsampler/oprofsampler.h"
#include "tests/tap.h"
#include "tests/unit/forbid_call.h"

#define SAID	"said by the sampling thread\n"

/* The sampling thread's view of the program's descriptors. */
static struct {
	int ends[2];			/* a pipe of the program */
	int write_error;		/* of a write to standard error */
	bool has_pipe;
	bool has_opened_low;		/* a file got the number of a standard stream */
} seen;

static void look(void *context, const struct sampler_sample *s)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)context;
	(void)s;
	seen.has_opened_low = fd <= STDERR_FILENO;
	close(fd);
	seen.has_pipe = fcntl(seen.ends[1], F_GETFD) >= 0;
	seen.write_error = write(STDERR_FILENO, "", 1) < 0 ? errno : 0;
	sampler_tell(SAID);
}

static const struct sampler_builder_ops ops = { .size = sizeof(ops), .sample = look };

/* Take one sample; the sampling thread stays. */
static void take_profile(void)
{
	const struct sampler_builder builder = { &ops, NULL };
	struct sampler_params params = SAMPLER_PARAMS;
	struct sampler_profiler *p;
	struct sampler_thread self;

	params.samples = 1;
	CHECK(!sampler_thread_self(&self), "this thread");
	CHECK(!sampler_create(&self, &params, &builder, &p) && !sampler_start(p), "begins");
	sampler_join(p, NULL);
	sampler_destroy(p);
}

/* Make standard error a pipe, and return its reading end. */
static int take_stderr(void)
{
	int ends[2];

	if (pipe(ends) || dup2(ends[1], STDERR_FILENO) < 0)
		SKIP("no pipe");
	close(ends[1]);
	return ends[0];
}

static void check_said(int from)
{
	char text[2 * sizeof(SAID)] = "";

	CHECK(read(from, text, sizeof(text) - 1) == sizeof(SAID) - 1 && !strcmp(text, SAID),
	      "'%s'", text);
}

static void check_own(void)
{
	int from;
	char byte;

	CHECK(!sampler_use_own_files(), "in time");
	CHECK(!pipe(seen.ends), "a pipe");
	from = take_stderr();
	take_profile();
	CHECK(!seen.has_pipe, "none of the program's");
	CHECK(seen.write_error, "standard error is nothing");
	CHECK(!seen.has_opened_low, "and no file has its number");
	check_said(from);
	close(seen.ends[1]);
	CHECK(read(seen.ends[0], &byte, 1) == 0, "the reader sees the end");
	CHECK(sampler_use_own_files() == -EBUSY, "too late");
}

static void forbid(long call, int error)
{
	if (!forbid_call(call, error))
		SKIP("no filters here");
}

TEST(own_table_is_empty)
{
	check_own();
}

TEST(own_table_without_close_range)
{
	forbid(SYS_close_range, ENOSYS);
	check_own();
}

TEST(standard_error_without_pidfd_getfd)
{
	forbid(SYS_pidfd_getfd, EPERM);
	check_own();
}

TEST(shared_table_if_unshare_is_forbidden)
{
	int from;

	forbid(SYS_close_range, EPERM);
	forbid(SYS_unshare, EPERM);
	CHECK(!sampler_use_own_files() && !pipe(seen.ends), "asked for");
	from = take_stderr();
	take_profile();
	CHECK(seen.has_pipe && !seen.write_error, "shared");
	CHECK(read(from, &(char){ 0 }, 1) == 1, "what was written there");
	check_said(from);
}

TEST(shared_table_by_default)
{
	CHECK(!pipe(seen.ends), "a pipe");
	take_stderr();
	take_profile();
	CHECK(seen.has_pipe && !seen.write_error, "shared");
}

TEST(no_sigpipe_without_a_reader)
{
	sigset_t pending, blocked;

	close(take_stderr());
	sampler_tell(SAID);
	sigpending(&pending);
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	CHECK(!sigismember(&pending, SIGPIPE), "nor later");
	CHECK(!sigismember(&blocked, SIGPIPE), "it is as it was");
}

TEST(own_table_in_a_child)
{
	pid_t child;
	int status = 0;

	CHECK(!sampler_use_own_files(), "in time");
	take_stderr();
	take_profile();
	fflush(stdout);
	child = fork();
	if (!child) {
		check_own();
		exit(tap_failures != 0);
	}
	CHECK(waitpid(child, &status, 0) == child && !status, "status %x", status);
}

TEST_MAIN()
