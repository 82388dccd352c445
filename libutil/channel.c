// SPDX-License-Identifier: GPL-2.0-or-later
/* channel.c - the two ends of the control socket */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "libutil/channel.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

#define BACKLOG 16

/*
 * The socket address of @path. If the path does not fit, the address goes through an open
 * descriptor of its folder, *ret_dir_fd (otherwise -1), which the caller closes after use.
 */
static int socket_address(const char *path, struct sockaddr_un *ret, int *ret_dir_fd)
{
	size_t dir_len = (size_t)(path_base(path) - path);
	char *dir;
	int n;

	memset(ret, 0, sizeof(*ret));
	ret->sun_family = AF_UNIX;
	*ret_dir_fd = -1;
	if (strlen(path) < sizeof(ret->sun_path)) {
		strcpy(ret->sun_path, path);
		return 0;
	}
	dir = dir_len ? xstrdup(path) : xstrdup(".");
	if (dir_len)
		dir[dir_len] = '\0';
	*ret_dir_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	if (*ret_dir_fd < 0)
		return -errno;
	n = snprintf(ret->sun_path, sizeof(ret->sun_path), "/proc/self/fd/%d/%s", *ret_dir_fd,
		     path_base(path));
	if (n < 0 || (size_t)n >= sizeof(ret->sun_path)) {
		close(*ret_dir_fd);
		return -ENAMETOOLONG;
	}
	return 0;
}

static int connect_to(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err;

	if (fd < 0)
		return -errno;
	if (!connect(fd, (const struct sockaddr *)address, sizeof(*address)))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* Bind; a socket file that no process listens on is replaced. */
static int bind_to(int fd, const struct sockaddr_un *address)
{
	struct stat st;
	int peer;

	if (!bind(fd, (const struct sockaddr *)address, sizeof(*address)))
		return 0;
	if (errno != EADDRINUSE || lstat(address->sun_path, &st))
		return -errno;
	if (!S_ISSOCK(st.st_mode))
		return -EEXIST;
	peer = connect_to(address);
	if (peer >= 0)
		close(peer);
	if (peer != -ECONNREFUSED)
		return -EADDRINUSE;
	if (unlink(address->sun_path) && errno != ENOENT)
		return -errno;
	if (bind(fd, (const struct sockaddr *)address, sizeof(*address)))
		return -errno;
	return 0;
}

int channel_listen(const char *path, mode_t mode, struct op_error *e)
{
	struct sockaddr_un address;
	int dir_fd, fd, err;

	err = socket_address(path, &address, &dir_fd);
	if (err)
		return op_error_set(e, err, "cannot create socket '%s': %s", path, strerror(-err));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	err = fd < 0 ? -errno : bind_to(fd, &address);
	/* before listen(): nobody may connect under the default mode */
	if (!err && (chmod(address.sun_path, mode) || listen(fd, BACKLOG))) {
		err = -errno;
		unlink(address.sun_path);
	}
	if (dir_fd >= 0)
		close(dir_fd);
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	if (err == -EADDRINUSE)
		return op_error_set(e, err, "another program is listening on '%s'", path);
	if (err == -EEXIST)
		return op_error_set(e, err, "cannot create socket '%s': the file exists and is not "
				    "a socket", path);
	return op_error_set(e, err, "cannot create socket '%s': %s", path, strerror(-err));
}

int channel_accept(int listen_fd, uid_t *ret_uid, pid_t *ret_pid)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	int fd, err;

	do {
		fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	} while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
	if (fd < 0)
		return errno == EWOULDBLOCK ? -EAGAIN : -errno;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size)) {
		err = -errno;
		close(fd);
		return err;
	}
	*ret_uid = peer.uid;
	*ret_pid = peer.pid;
	return fd;
}

/* 0: ready for @events, or -ETIMEDOUT. */
static int wait_for(int fd, short events, int64_t deadline)
{
	struct pollfd p = { .fd = fd, .events = events };

	for (;;) {
		int64_t left = deadline - now_ms();
		int n = left > 0 ? poll(&p, 1, (int)left) : 0;

		if (n > 0)
			return 0;
		if (n == 0)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

/* connect() fails with EAGAIN while the listener's queue is full: retry. */
static int connect_until(const struct sockaddr_un *address, int64_t deadline)
{
	struct timespec pause = { .tv_nsec = 5000000 };

	for (;;) {
		int fd = connect_to(address);

		if (fd != -EAGAIN)
			return fd;
		if (now_ms() >= deadline)
			return -ETIMEDOUT;
		nanosleep(&pause, NULL);
	}
}

static int send_line(int fd, const char *request, int64_t deadline)
{
	char *line = xasprintf("%s\n", request);
	size_t n = strlen(line), done = 0;
	int err = 0;

	while (done < n && !err) {
		ssize_t sent = send(fd, line + done, n - done, MSG_NOSIGNAL);

		if (sent >= 0)
			done += (size_t)sent;
		else if (errno == EAGAIN)
			err = wait_for(fd, POLLOUT, deadline);
		else if (errno != EINTR)
			err = -errno;
	}
	free(line);
	return err;
}

/*
 * Look for the last line of the answer, starting at *line_start, which moves past complete lines
 * before it. 1: found, *ret_err is the result that it reports; 0: not received yet.
 */
static int find_last_line(const struct strbuf *got, size_t *line_start, int *ret_err,
			  struct op_error *e)
{
	for (;;) {
		char *line = got->text + *line_start;
		char *end = memchr(line, '\n', got->len - *line_start);

		if (!end)
			return 0;
		*end = '\0';
		if (!strcmp(line, "ok")) {
			*ret_err = 0;
			return 1;
		}
		if (!strncmp(line, "error ", 6)) {
			*ret_err = op_error_set(e, -EREMOTEIO, "%s", line + 6);
			return 1;
		}
		*end = '\n';
		*line_start = (size_t)(end + 1 - got->text);
	}
}

static int read_answer(int fd, int64_t deadline, struct strbuf *got, size_t *ret_lines_len,
		       struct op_error *e)
{
	size_t line_start = 0;
	char bytes[4096];

	for (;;) {
		ssize_t n = recv(fd, bytes, sizeof(bytes), 0);
		int err;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			return -errno;
		if (n == 0)
			return op_error_set(e, -EPROTO, "truncated answer");
		if (n < 0) {
			err = wait_for(fd, POLLIN, deadline);
			if (err)
				return err;
			continue;
		}
		strbuf_add_bytes(got, bytes, (size_t)n);
		if (find_last_line(got, &line_start, &err, e)) {
			*ret_lines_len = line_start;
			return err;
		}
		if (got->len > CHANNEL_ANSWER_MAX)
			return op_error_set(e, -EPROTO, "answer longer than %d bytes",
					    CHANNEL_ANSWER_MAX);
	}
}

static int exchange(int fd, const char *request, int64_t deadline, struct strbuf *answer,
		    struct op_error *e)
{
	struct strbuf got = STRBUF_INIT;
	size_t lines_len = 0;
	int err;

	err = send_line(fd, request, deadline);
	if (!err)
		err = read_answer(fd, deadline, &got, &lines_len, e);
	if (!err && answer) {
		strbuf_reset(answer);
		strbuf_add_bytes(answer, got.text, lines_len);
	}
	strbuf_free(&got);
	return err;
}

int channel_ask(const char *path, const char *request, int timeout_ms, struct strbuf *answer,
		struct op_error *e)
{
	int64_t deadline = now_ms() + timeout_ms;
	struct op_error why = { "" };
	struct sockaddr_un address;
	int dir_fd, fd, err;

	if (strlen(request) >= CHANNEL_LINE_MAX || strchr(request, '\n'))
		return op_error_set(e, -EINVAL, "invalid request: expected one line of less than "
				    "%d bytes", CHANNEL_LINE_MAX);
	err = socket_address(path, &address, &dir_fd);
	if (err)
		return op_error_set(e, err, "cannot connect to '%s': %s", path, strerror(-err));
	fd = connect_until(&address, deadline);
	if (dir_fd >= 0)
		close(dir_fd);
	if (fd < 0)
		return op_error_set(e, fd, "cannot connect to '%s': %s", path, strerror(-fd));
	err = exchange(fd, request, deadline, answer, &why);
	close(fd);
	if (err && why.text[0])
		return op_error_set(e, err, "%s", why.text);
	if (err == -ETIMEDOUT)
		return op_error_set(e, err, "no answer to '%s' from '%s' within %d ms", request,
				    path, timeout_ms);
	if (err)
		return op_error_set(e, err, "cannot send '%s' to '%s': %s", request, path,
				    strerror(-err));
	return 0;
}
