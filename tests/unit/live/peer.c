/* SPDX-License-Identifier: GPL-2.0-or-later */
/* peer.c - the owner of the other socket: another user's, half closed, closed */
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/peer.h"
#include "tests/tap.h"

#define NOBODY	65534

struct ends {
	int listener, client, server;
};

/* A connection to this process itself. */
static struct ends connect_here(int family)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr *address = family == AF_INET ? (struct sockaddr *)&v4
						     : (struct sockaddr *)&v6;
	socklen_t size = family == AF_INET ? sizeof(v4) : sizeof(v6);
	struct ends e = { socket(family, SOCK_STREAM, 0), -1, -1 };

	if (e.listener < 0 || bind(e.listener, address, size))
		SKIP("no loopback of that family");
	CHECK(!listen(e.listener, 1) && !getsockname(e.listener, address, &size), "listen");
	e.client = socket(family, SOCK_STREAM, 0);
	CHECK(!connect(e.client, address, size), "connect");
	e.server = accept(e.listener, NULL, NULL);
	CHECK(e.server >= 0, "accept");
	return e;
}

static void check_known(int family)
{
	struct ends e = connect_here(family);
	uid_t uid = NOBODY;
	int err = peer_uid(e.server, &uid);

	CHECK(!err, "%s", strerror(-err));
	CHECK(uid == geteuid(), "%u", uid);
	CHECK(!shutdown(e.client, SHUT_WR) && !peer_uid(e.server, &uid), "half closed");
	close(e.client);
	err = peer_uid(e.server, &uid);
	CHECK(err == -ENOENT, "closed: %d", err);
}

TEST(ipv4)
{
	check_known(AF_INET);
}

TEST(ipv6)
{
	check_known(AF_INET6);
}

TEST(another_user)
{
	struct ends e;
	uid_t uid = 0;
	int status;
	pid_t pid;

	if (geteuid())
		SKIP("needs root");
	pid = fork();
	if (!pid) {
		CHECK(!setresuid(NOBODY, NOBODY, NOBODY), "become nobody");
		e = connect_here(AF_INET);
		CHECK(!peer_uid(e.server, &uid) && uid == NOBODY, "of %u", uid);
		/* a socket of which nobody holds a descriptor is not root's */
		close(e.client);
		CHECK(peer_uid(e.server, &uid) == -ENOENT, "closed");
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status, "status %d", status);
}

TEST(not_a_connection)
{
	uid_t uid;
	int ends[2];

	CHECK(peer_uid(0, &uid) < 0, "a file");
	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends) && peer_uid(ends[0], &uid) < 0, "unix");
}

TEST_MAIN()
