/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * http.h - one request and one response of HTTP/1.1 on a connection, with an untrusted peer
 *
 * A subset for programs on the same machine: GET and POST, without keep-alive. A peer has
 * HTTP_PATIENCE_MS to send its request, HTTP_HEADER_MAX bytes for its header, and HTTP_SEND_MS to
 * receive the response. Rules: doc/opserve.md [SV-n].
 */
#ifndef LIVE_HTTP_H
#define LIVE_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#define HTTP_HEADER_MAX		8192
#define HTTP_BODY_MAX		(1u << 20)
#define HTTP_PATIENCE_MS	10000
#define HTTP_SEND_MS		60000

struct http_request {
	char buffer[HTTP_HEADER_MAX + 1];
	bool is_post;
	const char *path;		/* before '?' */
	const char *query;		/* after it, or "" */
	const char *host;		/* the Host field, or NULL */
	const char *origin;		/* the fields Origin, Referer and Sec-Fetch-Site, or NULL */
	const char *referer, *fetch_site;
	char *body;			/* malloc'd, NUL-terminated; or NULL */
	size_t body_size;
};

/*
 * Read and parse a request. 0, or the status of the response: 400, 405, 408, 411, 413, 431, 505;
 * -1: the peer is gone. @fd is non-blocking. The caller frees ret->body.
 */
int http_read(int fd, struct http_request *ret);

/* Send a response; @type NULL: plain text. Gives up after HTTP_SEND_MS. */
void http_answer(int fd, int status, const char *type, const void *bytes, size_t size);
void http_error(int fd, int status, const char *why);

/*
 * Whether the request was made for this machine itself, and not by a page of another site. Such a
 * page can reach the server by a name that its DNS server resolves to 127.0.0.1, and, without
 * seeing the answer, as the address of a picture: browsers then send no Origin [SV-2].
 */
bool http_is_local(const struct http_request *r);

/* The number NAME= of the query; @otherwise: missing; -1: not a number. */
long http_number(const struct http_request *r, const char *name, long otherwise);

/*
 * The value NAME= of the query, decoded; "" if it is missing. -EINVAL: it is malformed, has control
 * characters, or does not fit into @size bytes.
 */
int http_text(const struct http_request *r, const char *name, char *ret, size_t size);

/* Wait up to @ms. True: the peer has closed the connection, or its side of it. */
bool http_is_gone(int fd, int ms);

#endif
