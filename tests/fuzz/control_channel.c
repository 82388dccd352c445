// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * control_channel.c - any bytes on the control socket: to the daemon, and as an answer of it
 *
 * The first byte says to whom, and in pieces of what size; the rest is what comes. Below the
 * daemon's end is no recorder: what would be asked of one is checked here.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "control/opcontrol/daemon_link.h"
#include "daemon/control.h"
#include "libutil/channel.h"
#include "libutil/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* --- in place of the recorder --- */

int recorder_start(struct recorder *r, struct op_error *e)
{
	(void)r, (void)e;
	return 0;
}

/* Files can have any name. */
char *recorder_take_note(struct recorder *r)
{
	(void)r;
	return strdup("'/a\nok\nb' is another");
}

int recorder_stop(struct recorder *r, struct op_error *e)
{
	(void)r;
	return op_error_set(e, -EIO, "cannot write '/a\nb'");
}

int recorder_dump(struct recorder *r, struct op_error *e)
{
	(void)r, (void)e;
	return 0;
}

int recorder_dump_samples(struct recorder *r, struct op_error *e)
{
	(void)r, (void)e;
	return -EBUSY;
}

int recorder_reset(struct recorder *r, struct op_error *e)
{
	(void)r, (void)e;
	return -ENOSPC; /* and no words */
}

/* A name comes as text that can be printed, and not empty. */
int recorder_save(struct recorder *r, const char *name, struct op_error *e)
{
	(void)r;
	if (!*name)
		abort();
	for (const char *c = name; *c; c++)
		if (*c < ' ' || *c > '~')
			abort();
	return op_error_set(e, -EEXIST, "session '%s' exists", name);
}

uint64_t recorder_stacks_memory(const struct recorder *r)
{
	(void)r;
	return 0;
}

bool recorder_running(const struct recorder *r)
{
	(void)r;
	return true;
}

void recorder_counts(struct recorder *r, struct session_counts *ret)
{
	(void)r;
	*ret = (struct session_counts){0, NULL};
}

const struct sfile_event *recorder_event(const struct recorder *r, unsigned int counter)
{
	static const struct sfile_event event = {.name = "CPU_CLK_UNHALTED", .count = 100000};

	(void)r;
	return counter ? NULL : &event;
}

bool recorder_event_time(const struct recorder *r, unsigned int counter, uint64_t *ret_enabled_ns,
			 uint64_t *ret_running_ns)
{
	(void)r;
	*ret_enabled_ns = *ret_running_ns = 1000;
	return !counter;
}

bool recorder_rate(const struct recorder *r, uint64_t *ret_per_second)
{
	(void)r;
	*ret_per_second = 1000;
	return true;
}

const char *recorder_trouble(const struct recorder *r)
{
	(void)r;
	return "";
}

const struct session_info *recorder_info(const struct recorder *r)
{
	static const struct session_info info;

	(void)r;
	return &info;
}

/* --- a place for sockets --- */

static char dir[] = "/tmp/fuzz-channel-XXXXXX";
static struct sockaddr_un address = {.sun_family = AF_UNIX};

static void remove_dir(void)
{
	file_remove_tree(dir);
}

static void prepare(void)
{
	if (address.sun_path[0])
		return;
	if (!mkdtemp(dir))
		abort();
	atexit(remove_dir);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/control", dir);
}

static void send_in_pieces(int fd, const uint8_t *data, size_t size, size_t piece)
{
	while (size) {
		size_t n = size < piece ? size : piece;
		ssize_t sent = send(fd, data, n, MSG_NOSIGNAL);

		if (sent <= 0)
			return;
		data += sent;
		size -= (size_t)sent;
	}
}

/* --- the daemon's end --- */

static struct control *control;

static void serve(void)
{
	struct pollfd fds[CONTROL_MAX_FDS];
	struct op_error e = {""};
	int timeout = 0, nr = control_poll(control, fds, &timeout);

	if (poll(fds, (nfds_t)nr, 0) >= 0)
		control_serve(control, fds, nr);
	if (control_shutdown_requested(control))
		control_answer_shutdown(control, 0, &e);
}

/* Nothing, or lines of plain text of which the last is "ok" or "error ...". */
static void check_answer(char *answer, size_t n)
{
	char *last;

	if (!n)
		return;
	if (answer[n - 1] != '\n')
		abort();
	answer[n - 1] = '\0';
	if (strlen(answer) != n - 1)
		abort();
	last = strrchr(answer, '\n') ? strrchr(answer, '\n') + 1 : answer;
	if (strcmp(last, "ok") && strncmp(last, "error ", 6))
		abort();
}

static void ask_daemon(const uint8_t *data, size_t size, size_t piece)
{
	static char answer[CHANNEL_ANSWER_MAX];
	const struct control_config config = {.session_dir = dir, .image_filter = ""};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	size_t len = 0;
	ssize_t n = 1;

	if (!control && control_open(&config, &control, NULL))
		abort();
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)))
		abort();
	while (size) {
		size_t part = size < piece ? size : piece;

		send_in_pieces(fd, data, part, part);
		serve();
		data += part;
		size -= part;
	}
	shutdown(fd, SHUT_WR);
	for (int i = 0; n && i < 1000; i++) {
		serve();
		n = recv(fd, answer + len, sizeof(answer) - len, 0);
		len += n > 0 ? (size_t)n : 0;
		if (n < 0 && errno != EAGAIN)
			n = 0; /* hung up on with bytes of ours unread */
	}
	if (n)
		abort(); /* neither answered nor hung up */
	close(fd);
	check_answer(answer, len);
}

/* --- opcontrol's end --- */

struct answer {
	int listener;
	const uint8_t *data;
	size_t size, piece;
};

static void *answer_with(void *context)
{
	const struct answer *a = context;
	char line[CHANNEL_LINE_MAX];
	int fd = accept(a->listener, NULL, NULL);

	if (fd < 0 || read(fd, line, sizeof(line)) <= 0)
		abort();
	send_in_pieces(fd, a->data, a->size, a->piece);
	close(fd);
	return NULL;
}

/* What was asked for is in the answer, cut to the room there is. */
static void check_value(const struct strbuf *answer, const char *key, size_t room)
{
	char value[64];

	memset(value, '#', sizeof(value));
	if (answer_value(answer->text, key, value, room) && !strstr(answer->text, value))
		abort();
	if (strnlen(value, room) >= room || strchr(value, '\n'))
		abort();
}

static void ask_opcontrol(const uint8_t *data, size_t size, size_t piece)
{
	struct answer a = {.data = data, .size = size, .piece = piece};
	struct strbuf answer = STRBUF_INIT;
	struct op_error e = {""};
	char path[sizeof(dir) + 8];
	pthread_t thread;
	int err;

	snprintf(path, sizeof(path), "%s/answers", dir);
	a.listener = channel_listen(path, 0600, &e);
	if (a.listener < 0 || fcntl(a.listener, F_SETFL, 0) ||
	    pthread_create(&thread, NULL, answer_with, &a))
		abort();
	err = channel_ask(path, "status", 600000, &answer, &e);
	pthread_join(thread, NULL);
	close(a.listener);
	if (err == -ETIMEDOUT || (err && !e.text[0]))
		abort(); /* whatever comes, it ends, and is told */
	if (!err) {
		check_value(&answer, "pid", 64);
		check_value(&answer, "state", 8);
		check_value(&answer, "lost.sample_file", 1);
	}
	strbuf_free(&answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t piece;

	if (!size)
		return 0;
	prepare();
	piece = (data[0] & 2 ? 1 : 4096) + (data[0] >> 2);
	if (data[0] & 1)
		ask_opcontrol(data + 1, size - 1, piece);
	else
		ask_daemon(data + 1, size - 1, piece);
	return 0;
}
