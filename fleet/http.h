/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * http.h - post to a server with libcurl: certificates verified, every wait and answer bounded
 *
 * A proxy is that of the environment: https_proxy, no_proxy, ... (libcurl-env(3)). Redirects are
 * not followed, because they would take the credentials elsewhere.
 */
#ifndef FLEET_HTTP_H
#define FLEET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"
#include "libutil/strbuf.h"

#define HTTP_ANSWER_MAX	4096		/* bytes of an answer that are kept, by default */
#define HTTP_WAIT_MAX	86400		/* s: what a server may ask us to wait */

/*
 * "http://HOST..." or "https://HOST...", of ASCII characters without blanks. -EINVAL: it is not, or
 * has a user and password, which everybody who may run ps would see; @e does not repeat the URL.
 * @has_query: what is posted there has a query of its own, so the URL can have none.
 */
int http_check_url(const char *url, bool has_query, struct op_error *e);

/* The lines of a file of headers; malloc'd. -ENOENT and others, with @e. */
int http_read_headers(const char *path, char **ret, struct op_error *e);

struct http;				/* a connection, kept for the next request */

/*
 * @headers: lines "Name: value", or NULL. @ca_file: certificates to trust, or NULL: the system's.
 * @timeout_s: of a request with its answer.
 */
int http_new(const char *headers, const char *ca_file, unsigned int timeout_s, struct http **ret,
	     struct op_error *e);
void http_free(struct http *h);		/* NULL is fine */

struct http_request {
	const char *url, *content_type;
	bool gzipped;			/* Content-Encoding: gzip */
	const void *bytes;
	size_t size;
	size_t answer_max;		/* bytes; 0: HTTP_ANSWER_MAX, and no progress is told */
};

struct http_answer {
	int status;			/* 0: there was none; why is in text */
	uint32_t retry_after_s;		/* Retry-After; 0: none */
	int grpc_status;		/* of the header grpc-status; -1: there is none */
	struct strbuf body;		/* of it the first bytes; may have NULs */
	bool cut;			/* it was longer */
	uint64_t wire_bytes;		/* sent: headers and body */
	char text[256];			/* without a status: one line, printable */
};

/* *ret is the caller's to http_answer_free(). */
void http_post(struct http *h, const struct http_request *request, struct http_answer *ret);
void http_answer_free(struct http_answer *a);

/* The number of the first line "grpc-status: N" of @n bytes; -1: none. */
int http_grpc_status(const char *lines, size_t n);

#endif
