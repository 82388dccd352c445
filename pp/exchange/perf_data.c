// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_data.c - perf is run, without a shell, and what it prints is read [PS-9] */
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
#define WORDS_LIMIT	4096			/* of what it complains of */

extern char **environ;

/* In the byte order of the machine that wrote it. */
bool is_perf_data(const unsigned char *bytes, size_t size)
{
	return size >= MAGIC_LEN && (!memcmp(bytes, "PERFILE2", MAGIC_LEN) ||
				     !memcmp(bytes, "2ELIFREP", MAGIC_LEN));
}

/* What it needs not be told to print it leaves out where the file has none of it. */
static int start_perf(const char *path, int out, int words, pid_t *ret)
{
	const char *const argv[] = { "perf", "script", "-i", path, "-F", "+pid", NULL };
	posix_spawn_file_actions_t actions;
	int err = posix_spawn_file_actions_init(&actions);

	if (err)
		return -err;
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, words, STDERR_FILENO);
	err = posix_spawnp(ret, argv[0], &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -err;
}

/* Its first line with something in it; malloc'd, or NULL. */
static char *first_words(int fd)
{
	char *text, *line = NULL;

	if (lseek(fd, 0, SEEK_SET) || file_read_all_fd(fd, WORDS_LIMIT, &text, NULL))
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

/* @pipe and @words are open; the former's end to write is closed in here. */
static int run(const char *path, const int pipe[2], int words, char **ret_text, size_t *ret_size)
{
	pid_t pid;
	int err = start_perf(path, pipe[1], words, &pid), ended;

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
	int fds[2] = { -1, -1 }, words = memfd_create("perf", MFD_CLOEXEC), err;
	char *text, *said;

	if (words < 0 || pipe2(fds, O_CLOEXEC)) {
		err = op_error_set(e, -errno, "'%s': %s", path, strerror(errno));
		close(words);
		return err;
	}
	err = run(path, fds, words, &text, ret_size);
	said = first_words(words);
	if (err == -ENOENT)
		op_error_set(e, err, "'%s' is perf's own data, and perf, which reads it, is not "
			     "installed: where it is, 'perf script -i FILE -F +pid > TEXT', then "
			     "import TEXT with --from=perf-script [PS-9]", path);
	else if (err)
		op_error_set(e, err, "'%s' is perf's own data, and perf script cannot read it: %s "
			     "[PS-9]", path, said ? said : strerror(-err));
	else
		*ret = (unsigned char *)text;
	if (!err && said)
		format_warn(warnings, "perf script: %s", said);
	free(said);
	close(fds[0]);
	close(words);
	return err;
}
