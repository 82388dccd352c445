// SPDX-License-Identifier: GPL-2.0-or-later
/* http.c - a server that reads a request byte by byte */
#include "fleet/http.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libutil/xalloc.h"
#include "tests/tap.h"

#define BODY	((size_t)8 << 20)	/* more than the kernel keeps for both sides */
#define SLOWLY	20000			/* bytes that are read one by one */

struct server {
	int listener;
	const char *body;
	size_t len;			/* of it that came, as long as it is that */
};

/* A read of @n bytes at most; 0: the end. */
static size_t take(int fd, char *buf, size_t n)
{
	ssize_t got = recv(fd, buf, n, 0);

	return got > 0 ? (size_t)got : 0;
}

static void *serve(void *arg)
{
	static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood";
	static char buf[1 << 16];
	struct server *s = arg;
	int fd = accept(s->listener, NULL, NULL);
	size_t header = 0, n;

	while (header < sizeof(buf) - 1 && !strstr(buf, "\r\n\r\n") && take(fd, buf + header, 1))
		header++;
	for (size_t reads = 0; s->len < BODY; reads++) {
		n = take(fd, buf, reads < SLOWLY ? 1 : sizeof(buf));
		if (!n || n > BODY - s->len || memcmp(buf, s->body + s->len, n) != 0)
			break;
		s->len += n;
	}
	(void)!write(fd, answer, strlen(answer));
	close(fd);
	return NULL;
}

TEST(a_server_may_read_byte_by_byte)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(at);
	char *body = xmalloc(BODY), *url;
	struct server s = { .listener = socket(AF_INET, SOCK_STREAM, 0), .body = body };
	const int room = 4096;
	struct http_answer a;
	struct op_error e = { "" };
	struct http *h;
	pthread_t thread;

	for (size_t i = 0; i < BODY; i++)
		body[i] = (char)(i * 2654435761u >> 24);
	/* so that what is posted waits for the server */
	CHECK(!setsockopt(s.listener, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)) &&
	      !bind(s.listener, (struct sockaddr *)&at, sizeof(at)) && !listen(s.listener, 1) &&
	      !getsockname(s.listener, (struct sockaddr *)&at, &size), "no server");
	url = xasprintf("http://127.0.0.1:%d/", ntohs(at.sin_port));
	setenv("no_proxy", "127.0.0.1", 1);
	CHECK(!pthread_create(&thread, NULL, serve, &s), "no thread");
	CHECK(!http_new(NULL, NULL, 3600, &h, &e), "%s", e.text);
	http_post(h, &(struct http_request){ .url = url, .content_type = "a/b", .bytes = body,
					     .size = BODY }, &a);
	pthread_join(thread, NULL);
	CHECK(s.len == BODY, "the server read %zu bytes of the body", s.len);
	CHECK(a.status == 200 && !strcmp(a.body.text, "good"), "%d: %s", a.status, a.text);
	CHECK(a.wire_bytes > BODY, "%llu bytes", (unsigned long long)a.wire_bytes);
	http_answer_free(&a);
	http_free(h);
	close(s.listener);
	free(url);
	free(body);
}

TEST_MAIN()
