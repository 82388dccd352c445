// SPDX-License-Identifier: GPL-2.0-or-later
/* channel.c - requests and answers, and peers that break the protocol */
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include "libutil/channel.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

static pid_t server;

/* Fork a process that listens on @path and sends @answer, with @pause_us between its bytes. */
static void serve(const char *path, const char *answer, size_t n, useconds_t pause_us)
{
	struct op_error e = { "" };
	int fd = channel_listen(path, 0666, &e);

	CHECK(fd >= 0, "%s", e.text);
	server = fork();
	while (!server) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		char request[CHANNEL_LINE_MAX];
		uid_t uid = 12345;
		pid_t pid = 0;
		int peer;

		poll(&p, 1, -1);
		peer = channel_accept(fd, &uid, &pid);
		if (peer < 0 || uid != getuid() || pid != getppid())
			_exit(1);
		p.fd = peer;
		poll(&p, 1, -1);
		if (read(peer, request, sizeof(request)) <= 0)
			continue;
		for (size_t i = 0; i < n;) {
			size_t part = pause_us ? 1 : n - i;
			ssize_t sent = send(peer, answer + i, part, MSG_NOSIGNAL);

			if (sent < 0 && errno != EAGAIN)
				break;
			i += sent > 0 ? (size_t)sent : 0;
			usleep(pause_us);
		}
		close(peer);
	}
	close(fd);
}

static void stop_server(void)
{
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
}

TEST(answers)
{
	static const struct {
		const char *sent;
		int err;
		const char *answer, *error;
	} rows[] = {
		{ "ok\n", 0, "", "" },
		{ "pid 5\nstate running\nok\n", 0, "pid 5\nstate running\n", "" },
		{ "a\nerror not allowed\n", -EREMOTEIO, NULL, "not allowed" },
		{ "okay\nerrors\nok\n", 0, "okay\nerrors\n", "" },
		{ "a\n", -EPROTO, NULL, "truncated" },
		{ "ok", -EPROTO, NULL, "truncated" },
	};

	tmpdir_make();
	for (size_t i = 0; i < ARRAY_SIZE(rows) * 2; i++) {
		struct strbuf answer = STRBUF_INIT;
		struct op_error e = { "" };
		int err;

		serve(tmpdir_path("s"), rows[i / 2].sent, strlen(rows[i / 2].sent),
		      i % 2 ? 100 : 0);
		err = channel_ask(tmpdir_path("s"), "ping", 5000, &answer, &e);
		CHECK(err == rows[i / 2].err, "row %zu: %d %s", i / 2, err, e.text);
		CHECK(!strcmp(answer.text, rows[i / 2].answer ? rows[i / 2].answer : ""),
		      "row %zu: %s", i / 2, answer.text);
		CHECK(strstr(e.text, rows[i / 2].error), "row %zu: %s", i / 2, e.text);
		strbuf_free(&answer);
		stop_server();
	}
}

TEST(timeout)
{
	struct op_error e = { "" };

	tmpdir_make();
	serve(tmpdir_path("s"), "x", 1, 500000);
	CHECK(channel_ask(tmpdir_path("s"), "ping", 100, NULL, &e) == -ETIMEDOUT &&
	      strstr(e.text, "100 ms"), "%s", e.text);
	stop_server();
}

TEST(endless_answer)
{
	size_t n = 2 * CHANNEL_ANSWER_MAX;
	struct op_error e = { "" };
	char *flood = malloc(n);

	tmpdir_make();
	memset(flood, 'x', n);
	serve(tmpdir_path("s"), flood, n, 0);
	CHECK(channel_ask(tmpdir_path("s"), "ping", 10000, NULL, &e) == -EPROTO &&
	      strstr(e.text, "longer"), "%s", e.text);
	free(flood);
	stop_server();
}

TEST(no_listener)
{
	struct op_error e = { "" };

	tmpdir_make();
	CHECK(channel_ask(tmpdir_path("s"), "ping", 100, NULL, &e) == -ENOENT && e.text[0], "%s",
	      e.text);
	serve(tmpdir_path("s"), "ok\n", 3, 0);
	stop_server();
	CHECK(channel_ask(tmpdir_path("s"), "ping", 100, NULL, &e) == -ECONNREFUSED, "%s", e.text);
	serve(tmpdir_path("s"), "ok\n", 3, 0);		/* replaces the stale socket file */
	CHECK(!channel_ask(tmpdir_path("s"), "ping", 5000, NULL, &e), "%s", e.text);
	CHECK(channel_listen(tmpdir_path("s"), 0600, &e) == -EADDRINUSE, "%s", e.text);
	CHECK(!channel_ask(tmpdir_path("s"), "ping", 5000, NULL, &e), "still there: %s", e.text);
	stop_server();
}

TEST(path_is_not_a_socket)
{
	struct op_error e = { "" };

	tmpdir_make();
	put_text(tmpdir_path("s"), "precious");
	CHECK(channel_listen(tmpdir_path("s"), 0600, &e) == -EEXIST &&
		      file_exists(tmpdir_path("s")),
	      "%s", e.text);
	CHECK(channel_listen(tmpdir_path("no/s"), 0600, &e) == -ENOENT, "%s", e.text);
}

TEST(mode_and_long_path)
{
	struct op_error e = { "" };
	char name[600] = "";
	struct stat st;

	tmpdir_make();
	for (int i = 0; i < 10; i++)
		strcat(name, "a-folder-with-quite-a-long-name-to-get-past-the-limit/");
	strcat(name, "s");
	CHECK(!file_make_parent_dirs(tmpdir_path(name), 0755), "folders");
	umask(077);
	serve(tmpdir_path(name), "ok\n", 3, 0);
	CHECK(!stat(tmpdir_path(name), &st) && (st.st_mode & 0777) == 0666, "%o", st.st_mode);
	CHECK(!channel_ask(tmpdir_path(name), "ping", 5000, NULL, &e), "%s", e.text);
	stop_server();
}

TEST(bad_requests)
{
	char big[CHANNEL_LINE_MAX + 1];

	memset(big, 'x', sizeof(big));
	big[CHANNEL_LINE_MAX] = '\0';
	CHECK(channel_ask("/none", big, 10, NULL, NULL) == -EINVAL, "too long");
	CHECK(channel_ask("/none", "a\nb", 10, NULL, NULL) == -EINVAL, "two lines");
}

TEST(accept_without_a_peer)
{
	uid_t uid;
	pid_t pid;
	int fd;

	tmpdir_make();
	fd = channel_listen(tmpdir_path("s"), 0600, NULL);
	CHECK(channel_accept(fd, &uid, &pid) == -EAGAIN, "accept");
	close(fd);
}

TEST_MAIN()
