// SPDX-License-Identifier: GPL-2.0-or-later
/* service_manager.c - what a service manager is told, and what it tells */
#include "libutil/service_manager.h"

#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "libutil/clock.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

static int listen_at(const char *name, size_t len)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	memcpy(address.sun_path, name, len);
	CHECK(!bind(fd, (const struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)), "bind");
	return fd;
}

static void is_told(int fd, const char *name)
{
	char text[100] = "";

	setenv("NOTIFY_SOCKET", name, 1);
	service_notify("READY=1");
	CHECK(recv(fd, text, sizeof(text) - 1, 0) == 7 && !strcmp(text, "READY=1"), "'%s'", text);
	close(fd);
}

TEST(notify_by_path)
{
	const char *path;

	tmpdir_make();
	path = tmpdir_path("notify");
	is_told(listen_at(path, strlen(path)), path);
	tmpdir_remove();
}

TEST(notify_by_abstract_name)
{
	char name[60];
	int fd;

	snprintf(name, sizeof(name), "@oprofile-test-%d", (int)getpid());
	*name = '\0';
	fd = listen_at(name, 1 + strlen(name + 1));
	*name = '@';
	is_told(fd, name);
}

/* Nothing to see but that it returns. */
TEST(nobody_to_notify)
{
	char too_long[200];

	unsetenv("NOTIFY_SOCKET");
	service_notify("READY=1");
	setenv("NOTIFY_SOCKET", "relative", 1);
	service_notify("READY=1");
	memset(too_long, '/', sizeof(too_long));
	too_long[sizeof(too_long) - 1] = '\0';
	setenv("NOTIFY_SOCKET", too_long, 1);
	service_notify("READY=1");
	setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1);
	service_notify("READY=1");
}

/* A manager that does not read must not stop the daemon. */
TEST(full_socket)
{
	const char *path;
	int fd;

	tmpdir_make();
	path = tmpdir_path("notify");
	fd = listen_at(path, strlen(path));
	setenv("NOTIFY_SOCKET", path, 1);
	for (int i = 0; i < 100000; i++)
		service_notify("WATCHDOG=1");
	close(fd);
	tmpdir_remove();
}

static int pings(int fd)
{
	char text[100] = "";
	int nr = 0;

	while (recv(fd, text, sizeof(text) - 1, 0) > 0)
		nr += !strcmp(text, "WATCHDOG=1");
	return nr;
}

TEST(watchdog)
{
	uint64_t begin = now_ns();
	const char *path;
	char pid[20];
	int fd;

	tmpdir_make();
	path = tmpdir_path("notify");
	fd = listen_at(path, strlen(path));
	setenv("NOTIFY_SOCKET", path, 1);
	unsetenv("WATCHDOG_PID");
	unsetenv("WATCHDOG_USEC");
	CHECK(service_alive() == INT32_MAX, "none");
	setenv("WATCHDOG_USEC", "nonsense", 1);
	CHECK(service_alive() == INT32_MAX, "no number");
	setenv("WATCHDOG_USEC", "100000", 1);
	setenv("WATCHDOG_PID", "1", 1);
	CHECK(service_alive() == INT32_MAX, "of another process");
	CHECK(pings(fd) == 0, "one that is not expected");
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv("WATCHDOG_PID", pid, 1);
	CHECK(service_alive() <= 50, "half of 0.1 s");
	CHECK(pings(fd) == 1, "none at first");
	while (!pings(fd))
		CHECK(service_alive() <= 50, "half of 0.1 s");
	CHECK(now_ns() - begin >= 49 * NS_PER_MS, "too early");
	close(fd);
	tmpdir_remove();
}

TEST(journal)
{
	char stream[60];
	struct stat st;
	int ends[2];

	CHECK(!pipe(ends) && !fstat(ends[1], &st), "pipe");
	unsetenv("JOURNAL_STREAM");
	CHECK(!service_is_journal(ends[1]), "no journal");
	snprintf(stream, sizeof(stream), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	setenv("JOURNAL_STREAM", stream, 1);
	CHECK(service_is_journal(ends[1]), "the journal");
	CHECK(!service_is_journal(STDIN_FILENO), "redirected");
	setenv("JOURNAL_STREAM", "x", 1);
	CHECK(!service_is_journal(ends[1]), "nonsense");
}

TEST_MAIN()
