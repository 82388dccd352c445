/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * http.h - one request and one answer of HTTP/1.1 on a connection, whoever is at the other end
 *
 * As much of it as a program on the same machine needs: GET and POST, no connection is kept.
 * A peer has HTTP_PATIENCE_MS to send its request, HTTP_HEADER_MAX bytes for its header, and may
 * take what it was sent as slowly as HTTP_SEND_MS in all. Rules: doc/opserve.md [SV-n].
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
	const char *path;		/* up to '?' */
	const char *query;		/* behind it, "" */
	const char *host;		/* as the peer calls us; NULL: it did not say */
	const char *origin;		/* NULL: no browser's, or a page of its own */
	char *body;			/* malloc'd, ends in a NUL; or NULL */
	size_t body_size;
};

/*
 * Read and take apart a request. 0, or the status to answer with: 400, 405, 408, 411, 413, 431,
 * 505; -1: there is nobody to answer. @fd is non-blocking. The caller frees ret->body.
 */
int http_read(int fd, struct http_request *ret);

/* Answer; @type NULL: @bytes are plain text. What cannot be sent in time is not. */
void http_answer(int fd, int status, const char *type, const void *bytes, size_t size);
void http_error(int fd, int status, const char *why);

/*
 * May a page in a browser be behind this? Only names of this machine itself are good: a name that
 * somebody else's server made lead here is not [SV-2].
 */
bool http_is_local(const struct http_request *r);

/* The number NAME= of the query; @otherwise if it is not there, -1 if it is none. */
long http_number(const struct http_request *r, const char *name, long otherwise);

/* Has the peer gone? Waits for it up to @ms. */
bool http_is_gone(int fd, int ms);

#endif
