// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon_link.c - find the daemon by its lock, and send it requests */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "control/opcontrol/daemon_link.h"
#include "libdb/session/session.h"
#include "libutil/channel.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/number.h"

#define ANSWER_MS	(10 * 1000)
#define LONG_MS		(30 * 1000)	/* many files to write or remove */
#define PING_MS		2000
#define UNCLEAR_MS	3000		/* for a daemon that is starting or ending */
#define POLL_MS		5

/* @how: LOCK_EX, or LOCK_SH to test the lock. -EBUSY: another process holds it. */
static int try_lock(const char *path, int flags, int how)
{
	int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0644);
	int err;

	if (fd < 0)
		return -errno;
	if (!flock(fd, how | LOCK_NB))
		return fd;
	err = errno == EWOULDBLOCK ? -EBUSY : -errno;
	close(fd);
	return err;
}

/* Others that test the lock at the same time do not count. */
static bool lock_is_held(const char *session_dir)
{
	char *path = session_lock_path(session_dir);
	int fd = try_lock(path, O_RDONLY, LOCK_SH);

	free(path);
	if (fd >= 0)
		close(fd);
	return fd == -EBUSY;
}

/* Nobody listens, so the request was not sent. */
static bool is_unreachable(int err)
{
	return err == -ENOENT || err == -ENOTDIR || err == -ECONNREFUSED;
}

/* The daemon ended before its answer was complete. */
static bool has_hung_up(int err)
{
	return err == -EPIPE || err == -ECONNRESET || err == -EPROTO;
}

/*
 * A daemon that is killed may still hold its lock after its socket is closed, and one that starts
 * takes the lock first. Both states are short, so try again until the state is clear.
 */
bool daemon_runs_after(const char *session_dir, int wait_ms)
{
	char *path = session_control_path(session_dir);
	const struct timespec pause = { .tv_nsec = POLL_MS * NS_PER_MS };
	bool held;
	int err;

	for (;; wait_ms -= POLL_MS) {
		err = channel_ask(path, "ping", PING_MS, NULL, NULL);
		held = err && lock_is_held(session_dir);
		if (!held || !(is_unreachable(err) || has_hung_up(err)) || wait_ms <= 0)
			break;
		nanosleep(&pause, NULL);
	}
	free(path);
	return !err || held;
}

bool daemon_runs(const char *session_dir)
{
	return daemon_runs_after(session_dir, UNCLEAR_MS);
}

pid_t daemon_pid(const char *session_dir)
{
	char *path = session_lock_path(session_dir), text[32];
	uint64_t pid;
	int err = file_read_line(path, text, sizeof(text));

	free(path);
	if (err || number_parse_range(text, 1, INT_MAX, &pid))
		return 0;
	return pid;
}

bool daemon_owns_lock(const char *session_dir, pid_t pid)
{
	char *path = session_lock_path(session_dir), process[32];
	struct stat lock, owner;
	bool owns;

	snprintf(process, sizeof(process), "/proc/%d", (int)pid);
	owns = !lstat(path, &lock) && S_ISREG(lock.st_mode) && !stat(process, &owner) &&
	       lock.st_uid == owner.st_uid;
	free(path);
	return owns;
}

static int explain(const char *session_dir, const char *request, int ms, int err,
		   struct op_error *e)
{
	if (is_unreachable(err) && lock_is_held(session_dir))
		return op_error_set(e, -EBUSY, "a program (pid %d) holds '%s/lock' but does not "
				    "listen on '%s/control'; try again, or stop it with "
				    "opcontrol --shutdown", daemon_pid(session_dir), session_dir,
				    session_dir);
	if (is_unreachable(err))
		return op_error_set(e, -ESRCH, "the daemon is not running for session directory "
				    "'%s'; start it with opcontrol --start", session_dir);
	switch (err) {
	case -ESRCH:
		return op_error_set(e, err, "the daemon ended before it answered '%s'; see "
				    "'%s/samples/oprofiled.log'", request, session_dir);
	case -ETIMEDOUT:
		return op_error_set(e, err, "oprofiled (pid %d) did not answer '%s' within %d s; "
				    "see '%s/samples/oprofiled.log', or stop it with opcontrol "
				    "--shutdown", daemon_pid(session_dir), request, ms / 1000,
				    session_dir);
	case -EREMOTEIO:
		return err;	/* the daemon's message is in @e already */
	default:
		return op_error_set(e, err, "cannot send a request to '%s/control': %s",
				    session_dir, strerror(-err));
	}
}

int daemon_answer_ms(const char *request)
{
	bool is_long = !strcmp(request, "dump") || !strcmp(request, "reset") ||
		       !strncmp(request, "save ", 5);

	return is_long ? LONG_MS : ANSWER_MS;
}

int daemon_ask(const char *session_dir, const char *request, struct strbuf *answer,
	       struct op_error *e)
{
	return daemon_ask_within(session_dir, request, daemon_answer_ms(request), answer, e);
}

int daemon_ask_within(const char *session_dir, const char *request, int ms, struct strbuf *answer,
		      struct op_error *e)
{
	char *path = session_control_path(session_dir);
	int err = channel_ask(path, request, ms, answer, e);

	if (is_unreachable(err) && daemon_runs(session_dir))	/* it was just starting */
		err = channel_ask(path, request, ms, answer, e);
	else if (has_hung_up(err) && !daemon_runs(session_dir))
		err = -ESRCH;
	free(path);
	return err ? explain(session_dir, request, ms, err, e) : 0;
}

bool answer_value(const char *answer, const char *key, char *buf, size_t size)
{
	size_t key_len = strlen(key), len;

	buf[0] = '\0';
	for (const char *line = answer; line && *line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		if (strncmp(line, key, key_len) || (line[key_len] != ' ' && line[key_len] != '\n' &&
						    line[key_len]))
			continue;
		line += key_len;
		line += *line == ' ';
		len = strcspn(line, "\n");
		if (len > size - 1)
			len = size - 1;
		memcpy(buf, line, len);
		buf[len] = '\0';
		return true;
	}
	return false;
}

/* False if another process has removed the file before @fd was locked. */
static bool is_same_file(int fd, const char *path)
{
	struct stat ours, named;

	return !fstat(fd, &ours) && !lstat(path, &named) && ours.st_dev == named.st_dev &&
	       ours.st_ino == named.st_ino;
}

static int lock_file(const char *path)
{
	for (;;) {
		int fd = try_lock(path, O_RDWR | O_CREAT, LOCK_EX);

		if (fd < 0 || is_same_file(fd, path))
			return fd;
		close(fd);
	}
}

int session_lock(const char *session_dir, struct op_error *e)
{
	char *path = session_lock_path(session_dir), pid[16];
	int fd = lock_file(path);

	if (fd == -EBUSY)
		op_error_set(e, fd, "cannot lock '%s': another program holds it; try again",
			     path);
	else if (fd < 0)
		op_error_set(e, fd, "cannot lock session directory '%s': %s", session_dir,
			     strerror(-fd));
	free(path);
	if (fd < 0)
		return fd;
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	if (ftruncate(fd, 0) || pwrite(fd, pid, strlen(pid), 0) < 0) {
		int err = op_error_set(e, -errno, "cannot write the lock of session directory "
				       "'%s': %s", session_dir, strerror(errno));

		session_unlock(session_dir, fd);
		return err;
	}
	return fd;
}

void session_unlock(const char *session_dir, int fd)
{
	char *path = session_lock_path(session_dir);

	unlink(path);
	close(fd);
	free(path);
}

bool session_remove_stale_lock(const char *session_dir)
{
	char *path = session_lock_path(session_dir);
	int fd = try_lock(path, O_RDONLY, LOCK_EX);
	bool stale = fd >= 0 && is_same_file(fd, path) && !unlink(path);

	if (fd >= 0)
		close(fd);
	free(path);
	return stale;
}
