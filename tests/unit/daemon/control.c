// SPDX-License-Identifier: GPL-2.0-or-later
/* control.c - the control socket with well-behaved and with hostile clients */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include "daemon/control.h"
#include "libutil/channel.h"
#include "libutil/clock.h"
#include "tests/unit/daemon/record/session.h"

static struct recorder *recorder;
static struct control *control;

/* Then also serve what is ready by that time, but not endlessly. */
static void serve_for(int ms)
{
	int64_t end = now_ms() + ms;
	int after = 0;

	while (after < 20 && !control_shutdown_requested(control)) {
		struct pollfd fds[CONTROL_MAX_FDS];
		int64_t left = end - now_ms();
		int timeout = left > 0 ? (int)left : 0;
		int nr = control_poll(control, fds, &timeout);
		int ready = poll(fds, nr, timeout);

		if (ready >= 0)
			control_serve(control, fds, nr);
		after += left <= 0;
		if (left <= 0 && ready <= 0)
			return;
	}
}

static void begin(void)
{
	struct op_error e = { "" };

	test_prepare();
	chmod(tmpdir, 0755);
	recorder = test_open();
	if (control_open(&(struct control_config){.session_dir = tmpdir,
						  .recorder = recorder,
						  .image_filter = ""},
			 &control, &e)) {
		CHECK(false, "%s", e.text);
		exit(1);
	}
}

static void end(void)
{
	control_close(control);
	CHECK(!file_exists(tmpdir_path("control")), "the socket is still there");
	test_close(recorder);
}

static int dial(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", tmpdir_path("control"));
	if (connect(fd, (struct sockaddr *)&a, sizeof(a))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Make a request from another process, as user @uid. Returns the answer, or the error. */
static const char *ask_as(uid_t uid, const char *request)
{
	static char text[CHANNEL_ANSWER_MAX];
	int ends[2], n;
	pid_t pid;

	if (pipe(ends))
		exit(1);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct strbuf answer = STRBUF_INIT;
		struct op_error e = { "" };
		int err;

		if (uid && setuid(uid))
			_exit(1);
		err = channel_ask(tmpdir_path("control"), request, 30000, &answer, &e);
		if (err)
			dprintf(ends[1], "error %d %s", err, e.text);
		else
			dprintf(ends[1], "%sok", answer.text);
		_exit(0);
	}
	close(ends[1]);
	for (int i = 0; i < 400 && !waitpid(pid, NULL, WNOHANG); i++)
		serve_for(i < 10 ? 5 : 100);
	n = read(ends[0], text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	close(ends[0]);
	return text;
}

static const struct {
	const char *request;
	bool anybody;			/* also other users */
	const char *answer;		/* its beginning */
} requests[] = {
	{ "ping", true, "ok" },
	{ "status", true, "pid " },
	{ "dump", true, "ok" },
	{ "start", false, "ok" },
	{ "stop", false, "ok" },
	{ "save one", false, "ok" },
	{ "save one", false, "error -121 session 'one' already exists" },
	{ "save", false, "error -121 'save' needs an argument" },
	{ "save ../x", false, "error -121 invalid session name '../x'" },
	{ "reset", false, "ok" },
	{ "reset now", false, "error -121 'reset' takes no argument" },
	{ "", true, "error -121 unknown request ''" },
	{ "pin", true, "error -121 unknown request 'pin'" },
	{ "pings", true, "error -121 unknown request 'pings'" },
	{ "\033[2J\377", true, "error -121 unknown request '?[2J?'" },
};

TEST(requests_and_answers)
{
	begin();
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		const char *answer = ask_as(0, requests[i].request);

		CHECK(!strncmp(answer, requests[i].answer, strlen(requests[i].answer)), "%s: %s",
		      requests[i].request, answer);
	}
	end();
}

TEST(other_users_can_only_read)
{
	if (getuid())
		SKIP("needs root, to become another user");
	begin();
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		const char *answer = ask_as(65534, requests[i].request);
		const char *want = requests[i].anybody ? requests[i].answer
						       : "error -121 only root and the daemon";

		CHECK(!strncmp(answer, want, strlen(want)), "%s: %s", requests[i].request, answer);
	}
	ask_as(65534, "shutdown");
	CHECK(!control_shutdown_requested(control), "anybody can shut it down");
	end();
}

TEST(status)
{
	const char *answer;

	begin();
	fake_user(&fake);
	fake_cookie(&fake, APP);
	fake_sample(&fake, 0x10, 0);
	fake_cookie(&fake, UNKNOWN);
	fake_sample(&fake, 0x10, 0);
	ask_as(0, "start");
	ask_as(0, "dump");
	answer = ask_as(0, "status");
	CHECK(strstr(answer, "\nstate running\n"), "%s", answer);
	CHECK(strstr(answer,
		     "\ncollector fake\nmodel timer\ncpu_type timer\nperiod_ns 100000\n"),
	      "%s", answer);
	CHECK(strstr(answer,
		     "\nreceived 2\nrecorded 1\nfiltered 0\nthrottled 0\nlost.unknown_image 1\n"),
	      "%s", answer);
	end();
}

/* Counted by a thread, so it may be missing or old at first. */
TEST(size_of_the_session)
{
	const char *path, *found;
	uint64_t bytes = 0;
	int fd;

	begin();
	path = tmpdir_path("samples/current/large");
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	CHECK(fd >= 0 && !ftruncate(fd, 1 << 30), "%s", path);
	close(fd);
	while (bytes < 1 << 30) {
		found = strstr(ask_as(0, "status"), "\nsession_bytes ");
		if (found)
			bytes = strtoull(found + strlen("\nsession_bytes "), NULL, 10);
	}
	CHECK(bytes < 2u << 30, "%" PRIu64 " bytes", bytes);
	end();
}

TEST(shutdown_is_answered_when_done)
{
	struct op_error e = { "" };
	char text[20] = "";
	int fd;

	begin();
	fd = dial();
	CHECK(write(fd, "shutdown\n", 9) == 9, "write");
	serve_for(200);
	CHECK(control_shutdown_requested(control), "not requested");
	CHECK(recv(fd, text, sizeof(text), MSG_DONTWAIT) < 0, "answered too early");
	control_answer_shutdown(control, 0, &e);
	CHECK(read(fd, text, sizeof(text)) == 3 && !strcmp(text, "ok\n"), "%s", text);
	close(fd);
	end();
}

TEST(a_failure_is_reported)
{
	const char *answer;

	begin();
	fake.fail = -EIO;
	answer = ask_as(0, "dump");
	CHECK(!strcmp(answer, "error -121 told to fail"), "%s", answer);
	answer = ask_as(0, "start");
	CHECK(!strcmp(answer, "error -121 told to fail"), "%s", answer);
	fake.fail = 0;
	end();
}

/* Many peers that send nothing, half a line, or an endless line do not keep others from service. */
TEST(hostile_clients)
{
	static char junk[3 * CHANNEL_LINE_MAX];
	char text[200] = "";
	int fds[100], fd;

	begin();
	memset(junk, 'x', sizeof(junk));
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = dial();
		if (fds[i] >= 0 && i % 3 == 1)
			CHECK(send(fds[i], "stat", 4, MSG_NOSIGNAL) == 4, "send");
		serve_for(2);
	}
	CHECK(!strcmp(ask_as(0, "ping"), "ok"), "not served among silent peers");
	fd = dial();
	(void)!send(fd, junk, sizeof(junk), MSG_NOSIGNAL | MSG_DONTWAIT);
	serve_for(50);
	CHECK(recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT) > 0 &&
		      strstr(text, "error request too long"),
	      "%s", text);
	close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	serve_for(50);
	CHECK(!strcmp(ask_as(0, "ping"), "ok"), "not served after them");
	end();
}

/* Another user takes all places. */
TEST(root_is_not_locked_out)
{
	pid_t pid;

	if (getuid())
		SKIP("needs root, to become another user");
	begin();
	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (setuid(65534))
			_exit(1);
		for (;;) {		/* connect again whenever one is closed */
			int fd = dial();

			if (fd < 0)
				usleep(1000);
		}
	}
	serve_for(300);
	for (int i = 0; i < 5; i++)
		CHECK(!strcmp(ask_as(0, "ping"), "ok"), "root was not served");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	end();
}

/* Dumps for other users are limited in rate, but each request is answered. */
TEST(dumps_are_limited)
{
	struct timespec from, to;

	if (getuid())
		SKIP("needs root, to become another user");
	begin();
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < 5; i++)
		CHECK(!strcmp(ask_as(65534, "dump"), "ok"), "no answer");
	clock_gettime(CLOCK_MONOTONIC, &to);
	CHECK((to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000 >= 350,
	      "too quick");
	end();
}

static unsigned int nr_counted;

static int count_counts(struct collector *c, struct session_counts *counts)
{
	(void)c, (void)counts;
	nr_counted++;
	return 0;
}

/* A status takes dozens of reads, so other users may get one that is 100 ms old. */
TEST(status_is_cached)
{
	struct timespec from, to;
	unsigned int ms;

	if (getuid())
		SKIP("needs root, to become another user");
	begin();
	fake.collector.counts = count_counts;
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < 30; i++)
		CHECK(!strncmp(ask_as(65534, "status"), "pid ", 4), "no answer");
	clock_gettime(CLOCK_MONOTONIC, &to);
	ms = (to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000;
	CHECK(nr_counted >= 1 && nr_counted <= ms / 100 + 1, "computed %u times in %u ms",
	      nr_counted, ms);
	nr_counted = 0;
	for (int i = 0; i < 5; i++)
		ask_as(0, "status");
	CHECK(nr_counted == 5, "root got an old one");
	end();
}

/* A peer that never reads its answer does not delay others. */
TEST(slow_reader)
{
	int fd;

	begin();
	fd = dial();
	CHECK(write(fd, "status\n", 7) == 7, "write");
	serve_for(50);
	CHECK(!strcmp(ask_as(0, "ping"), "ok"), "delayed");
	close(fd);
	serve_for(50);
	end();
}

/* On a busy machine the daemon may be late itself, by more than the time limit for a request. */
TEST(a_request_that_waited_for_the_daemon)
{
	char text[10] = "";
	int late, silent;

	begin();
	late = dial();
	silent = dial();
	serve_for(50);
	CHECK(write(late, "ping\n", 5) == 5, "write");
	usleep(5100000);
	serve_for(100);
	CHECK(read(late, text, sizeof(text) - 1) == 3 && !strcmp(text, "ok\n"), "'%s'", text);
	CHECK(read(silent, text, sizeof(text)) == 0, "the silent connection is still open");
	close(late);
	close(silent);
	end();
}

TEST_MAIN()
