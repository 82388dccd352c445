// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon_link.c - find the daemon by its lock, and send it requests */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "control/opcontrol/daemon_link.h"
#include "control/opcontrol/service.h"
#include "libdb/session/lock.h"
#include "libdb/session/session.h"
#include "libutil/channel.h"
#include "libutil/clock.h"

#define ANSWER_MS	(10 * 1000)
#define LONG_MS		(30 * 1000)	/* many files to write or remove */
#define PING_MS		2000
#define UNCLEAR_MS	3000		/* for a daemon that is starting or ending */
#define POLL_MS		5

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
		held = err && session_lock_is_held(session_dir);
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

/* @socket and @log: where they are. */
static int explain_at(const char *session_dir, const char *request, int ms, int err,
		      const char *socket, const char *log, struct op_error *e)
{
	if (is_unreachable(err) && session_lock_is_held(session_dir))
		return op_error_set(e, -EBUSY, "a program (pid %d) holds '%s/lock' but does not "
				    "listen on '%s'; try again, or stop it with opcontrol "
				    "--shutdown", session_lock_pid(session_dir), session_dir,
				    socket);
	if (is_unreachable(err))
		return op_error_set(e, -ESRCH, "the daemon is not running for session directory "
				    "'%s'; start it with opcontrol --start", session_dir);
	switch (err) {
	case -ESRCH:
		return op_error_set(e, err, "the daemon ended before it answered '%s'; see %s",
				    request, log);
	case -ETIMEDOUT:
		return op_error_set(e, err, "oprofiled (pid %d) did not answer '%s' within %d s; "
				    "see %s, or stop it with opcontrol --shutdown",
				    session_lock_pid(session_dir), request, ms / 1000, log);
	case -EREMOTEIO:
		return err;	/* the daemon's message is in @e already */
	default:
		return op_error_set(e, err, "cannot send a request to '%s': %s", socket,
				    strerror(-err));
	}
}

static int explain(const char *session_dir, const char *request, int ms, int err,
		   struct op_error *e)
{
	char *socket = session_control_path(session_dir), *log = service_log_place(session_dir);

	err = explain_at(session_dir, request, ms, err, socket, log, e);
	free(socket);
	free(log);
	return err;
}

int daemon_answer_ms(const char *request)
{
	bool is_long = !strcmp(request, "start") || !strcmp(request, "stop") ||
		       !strcmp(request, "dump") || !strcmp(request, "reset") ||
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

int session_lock(const char *session_dir, struct op_error *e)
{
	int fd = session_lock_take(session_dir), err;

	if (fd == -EBUSY)
		return op_error_set(e, fd, "cannot lock '%s/lock': another program holds it; try "
				    "again", session_dir);
	if (fd < 0)
		return op_error_set(e, fd, "cannot lock session directory '%s': %s", session_dir,
				    strerror(-fd));
	err = session_lock_sign(fd);
	if (!err)
		return fd;
	session_unlock(session_dir, fd);
	return op_error_set(e, err, "cannot write the lock of session directory '%s': %s",
			    session_dir, strerror(-err));
}

void session_unlock(const char *session_dir, int fd)
{
	session_lock_remove(fd, session_dir);
	close(fd);
}
