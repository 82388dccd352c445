// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opserve.c - serve profiles of the running session over HTTP to programs on this machine
 *
 * Each connection has a thread. Connections of other users, and those above CONNECTIONS_MAX, are
 * refused at once, which bounds memory, threads and descriptors.
 */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libutil/message.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"
#include "live/http.h"
#include "live/peer.h"
#include "live/serve.h"
#include "pp/cli/common_options.h"
#include "pp/cli/confine.h"
#include "pp/cli/option_words.h"

#define CONNECTIONS_MAX	16
#define PORT_DEFAULT	"6060"

static struct raw {
	char *port, *demangle, *session_dir, *image_path, *root;
} raw;

static const struct poptOption table[] = {
	{ "port", 0, POPT_ARG_STRING, &raw.port, 0,
	  "listen on this port (default " PORT_DEFAULT "; 0: any free port)", "number" },
	{ "demangle", 'D', POPT_ARG_STRING, &raw.demangle, 0,
	  "form of C++ names (default normal)", "none|normal|smart" },
	COMMON_OPTIONS_PLACES(raw),
	COMMON_OPTIONS_FLEET,
	COMMON_OPTIONS_TIME,
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND
};

static const struct option_set option_set = {
	"opserve", table, "[OPTION...] [TAG:LIST | BINARY]..."
};

static atomic_uint nr_connections;
static volatile sig_atomic_t is_over;

struct connection {
	struct server *server;
	int fd;
};

static void *serve_one(void *context)
{
	struct connection *c = context;

	server_answer(c->server, c->fd);
	close(c->fd);
	free(c);
	atomic_fetch_sub(&nr_connections, 1);
	return NULL;
}

/* Without waiting: for a peer that does not take it, it is lost. */
static void refuse(int fd, const char *status, const char *why)
{
	char text[256], unread[HTTP_HEADER_MAX];
	int n = snprintf(text, sizeof(text), "HTTP/1.1 %s\r\nContent-Length: %zu\r\n"
			 "Connection: close\r\n\r\n%s", status, strlen(why), why);

	(void)!recv(fd, unread, sizeof(unread), MSG_DONTWAIT);	/* or close() resets it */
	(void)!send(fd, text, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
	close(fd);
}

/* Root may read what the server's user may; any other user may not [SV-7]. */
static bool may_ask(int fd)
{
	uid_t uid;

	return !peer_uid(fd, &uid) && (uid == geteuid() || !uid);
}

static void start(struct server *server, int fd, const pthread_attr_t *detached)
{
	struct connection *c;
	pthread_t thread;

	if (!may_ask(fd)) {
		refuse(fd, "403 Forbidden", "only the user of opserve, and root, may connect\n");
		return;
	}
	if (atomic_fetch_add(&nr_connections, 1) >= CONNECTIONS_MAX) {
		refuse(fd, "503 Service Unavailable", "");
		atomic_fetch_sub(&nr_connections, 1);
		return;
	}
	c = xcalloc(1, sizeof(*c));
	*c = (struct connection){ server, fd };
	if (pthread_create(&thread, detached, serve_one, c)) {
		close(fd);
		free(c);
		atomic_fetch_sub(&nr_connections, 1);
	}
}

/* The socket, or -errno. *port 0: any free one, which is stored there. */
static int listen_at(int family, uint16_t *port)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(*port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(*port),
				   .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr *address = family == AF_INET ? (struct sockaddr *)&v4
						     : (struct sockaddr *)&v6;
	socklen_t size = family == AF_INET ? sizeof(v4) : sizeof(v6);
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1, err;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (bind(fd, address, size) || listen(fd, CONNECTIONS_MAX) ||
	    getsockname(fd, address, &size)) {
		err = -errno;
		close(fd);
		return err;
	}
	*port = ntohs(family == AF_INET ? v4.sin_port : v6.sin6_port);
	return fd;
}

static void end(int signal)
{
	(void)signal;
	is_over = 1;
}

/* SIGINT and SIGTERM are blocked except in ppoll(). */
static void serve(struct server *server, struct pollfd *listeners)
{
	const struct sigaction ending = { .sa_handler = end };
	pthread_attr_t detached;
	sigset_t ends, before;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &ends, &before);
	sigaction(SIGINT, &ending, NULL);
	sigaction(SIGTERM, &ending, NULL);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	while (!is_over) {
		if (ppoll(listeners, 2, NULL, &before) < 0)
			continue;
		for (int i = 0; i < 2; i++) {
			int fd = listeners[i].revents & POLLIN
				 ? accept4(listeners[i].fd, NULL, NULL,
					   SOCK_CLOEXEC | SOCK_NONBLOCK) : -1;

			if (fd >= 0)
				start(server, fd, &detached);
		}
	}
	pthread_attr_destroy(&detached);
}

/* Returns only after an error. IPv6 is optional: a machine may not have it. */
static void run(const struct serve_options *options, uint16_t port)
{
	/* it asks the daemon, and the kernel who connects */
	const struct confine_needs needs = { .line_cache = true, .network = true };
	struct pollfd listeners[2] = { { .fd = -1 }, { .fd = -1 } };
	struct op_error e = { "" };
	struct server *server;

	listeners[0] = (struct pollfd){ listen_at(AF_INET, &port), POLLIN, 0 };
	if (listeners[0].fd < 0) {
		report_error("cannot listen on port %u of 127.0.0.1: %s", port,
			     strerror(-listeners[0].fd));
		return;
	}
	listeners[1] = (struct pollfd){ listen_at(AF_INET6, &port), POLLIN, 0 };
	if (confine(&needs, &e)) {
		report_error("%s", e.text);
		return;
	}
	printf("http://127.0.0.1:%u/\n", port);
	fflush(stdout);
	server = server_new(options);
	serve(server, listeners);
	_exit(0);		/* running threads use what would be freed */
}

/* A word for --NAME=VALUE; frees nothing, because the server ends with the process. */
static void add_word(struct serve_options *o, const char **words, const char *name,
		     const char *value)
{
	if (value)
		words[o->nr_page_words++] = xasprintf("--%s=%s", name, value);
}

/* opreport's command line for the page; its file is not written. */
static void set_page_words(const struct command_line *line, struct serve_options *o)
{
	const char **words = xcalloc(line->nr_args + 5, sizeof(*words));

	words[o->nr_page_words++] = "opreport";
	add_word(o, words, "html", "page");
	add_word(o, words, "demangle", raw.demangle);
	add_word(o, words, "image-path", raw.image_path);
	add_word(o, words, "root", raw.root);
	for (size_t i = 0; i < line->nr_args; i++)
		words[o->nr_page_words++] = line->args[i];
	o->page_words = words;
}

static int parse_and_run(const struct command_line *line, struct op_error *e)
{
	struct spec_list image_path = { 0 };
	struct profile_spec spec = { 0 };
	struct serve_options options = { .root = raw.root, .image_path = &image_path,
					 .spec = &spec };
	uint64_t port;
	int err = option_demangle(raw.demangle, false, &options.demangle, e);

	if (!err && number_parse_range(raw.port ? raw.port : PORT_DEFAULT, 0, UINT16_MAX, &port))
		err = op_error_set(e, -EINVAL, "invalid port '%s': expected 0 to 65535", raw.port);
	if (!err)
		err = profile_spec_parse(line->args, line->nr_args, &spec, e);
	if (err)
		return err;
	option_list_split(raw.image_path, &image_path);
	options.session_dir = option_session_dir(raw.session_dir, false, "session-dir");
	set_page_words(line, &options);
	run(&options, (uint16_t)port);
	option_list_free(&image_path);
	profile_spec_free(&spec);
	return -EIO;
}

int main(int argc, const char **argv)
{
	struct command_line line;
	struct op_error e = { "" };
	int err = command_line_read(&option_set, argc, argv, &line, &e);

	if (!err && line.asked != ASKED_WORK)
		option_set_print(&option_set, line.asked);
	else if (!err)
		err = parse_and_run(&line, &e);
	if (err && *e.text)
		report_error("%s", e.text);
	command_line_end(&option_set, &line);
	return finish_output(err ? 1 : 0);
}
