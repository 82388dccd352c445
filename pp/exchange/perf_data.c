// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_data.c - run perf script, without a shell, and read its output [PS-9] */
#include "pp/exchange/perf_data.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libutil/file.h"

#define MAGIC_LEN	8
#define TEXT_LIMIT	((size_t)16 << 30)	/* bytes, as of any profile */
#define ERRORS_LIMIT	4096			/* bytes of its stderr */

extern char **environ;

/* The magic is in the byte order of the machine that wrote the file. */
bool is_perf_data(const unsigned char *bytes, size_t size)
{
	return size >= MAGIC_LEN && (!memcmp(bytes, "PERFILE2", MAGIC_LEN) ||
				     !memcmp(bytes, "2ELIFREP", MAGIC_LEN));
}

/* Only "pid" is requested: fields requested by name are errors if the file lacks them. */
static int start_perf(const char *path, int out, int errors, pid_t *ret)
{
	const char *const argv[] = { "perf", "script", "-i", path, "-F", "+pid", NULL };
	posix_spawn_file_actions_t actions;
	int err = posix_spawn_file_actions_init(&actions);

	if (err)
		return -err;
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
	err = posix_spawnp(ret, argv[0], &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -err;
}

/* The first line that is not blank; malloc'd, or NULL. */
static char *first_line(int fd)
{
	char *text, *line = NULL;

	if (lseek(fd, 0, SEEK_SET) || file_read_all_fd(fd, ERRORS_LIMIT, &text, NULL))
		return NULL;
	for (char *rest = text, *next; !line && (next = strsep(&rest, "\n"));)
		if (next[strspn(next, " \t\r")])
			line = strdup(next);
	free(text);
	return line;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

/* Closes pipe[1]. @errors: for perf's stderr. */
static int run(const char *path, const int pipe[2], int errors, char **ret_text, size_t *ret_size)
{
	pid_t pid;
	int err = start_perf(path, pipe[1], errors, &pid), ended;

	close(pipe[1]);
	if (err)
		return err;
	err = file_read_all_fd(pipe[0], TEXT_LIMIT, ret_text, ret_size);
	if (err)
		kill(pid, SIGTERM);
	ended = wait_for(pid);
	if (!err && ended)
		free(*ret_text);
	return err ? err : ended;
}

int perf_data_text(const char *path, const struct format_warnings *warnings, unsigned char **ret,
		   size_t *ret_size, struct op_error *e)
{
	int fds[2] = { -1, -1 }, errors = memfd_create("perf", MFD_CLOEXEC), err;
	char *text, *message;

	if (errors < 0 || pipe2(fds, O_CLOEXEC)) {
		err = op_error_set(e, -errno, "'%s': %s", path, strerror(errno));
		close(errors);
		return err;
	}
	err = run(path, fds, errors, &text, ret_size);
	message = first_line(errors);
	if (err == -ENOENT)
		op_error_set(e, err, "cannot read perf.data '%s': perf is not installed; where it "
			     "is, run 'perf script -i FILE -F +pid > TEXT', then import TEXT with "
			     "--from=perf-script", path);
	else if (err)
		op_error_set(e, err, "cannot read perf.data '%s': perf script: %s", path,
			     message ? message : strerror(-err));
	else
		*ret = (unsigned char *)text;
	if (!err && message)
		format_warn(warnings, "perf script: %s", message);
	free(message);
	close(fds[0]);
	close(errors);
	return err;
}
