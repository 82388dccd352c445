// SPDX-License-Identifier: GPL-2.0-or-later
/* http.c - read requests and send responses, with limits for each length and time */
#include "live/http.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libutil/clock.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"

/* Wait until @fd can be read or written. False: timeout. */
static bool wait_for(int fd, short events, int64_t deadline)
{
	for (;;) {
		struct pollfd p = { fd, events, 0 };
		int64_t left = deadline - now_ms();
		int n = left > 0 ? poll(&p, 1, (int)left) : 0;

		if (n > 0)
			return true;
		if (!n || errno != EINTR)
			return false;
	}
}

/* The number of bytes read, 0 at the end, or -status. */
static ssize_t read_some(int fd, char *into, size_t room, int64_t deadline)
{
	for (;;) {
		ssize_t n = recv(fd, into, room, 0);

		if (n >= 0)
			return n;
		if (errno == EAGAIN && !wait_for(fd, POLLIN, deadline))
			return -408;
		if (errno != EAGAIN && errno != EINTR)
			return 0;
	}
}

/* Read up to the empty line; *ret_end is after it. */
static int read_header(int fd, struct http_request *r, size_t *ret_size, char **ret_end,
		       int64_t deadline)
{
	size_t size = 0;
	char *end = NULL;

	while (!end) {
		ssize_t n = read_some(fd, r->buffer + size, HTTP_HEADER_MAX - size, deadline);

		if (n < 0)
			return (int)-n;
		if (!n)
			return size == HTTP_HEADER_MAX ? 431 : -1;
		if (memchr(r->buffer + size, '\0', (size_t)n))
			return 400;
		size += (size_t)n;
		r->buffer[size] = '\0';
		end = strstr(r->buffer, "\r\n\r\n");
	}
	*end = '\0';
	*ret_size = size;
	*ret_end = end + 4;
	return 0;
}

/* "GET /path?query HTTP/1.1" */
static int parse_first_line(struct http_request *r, char *line)
{
	char *path = strchr(line, ' '), *version = path ? strchr(path + 1, ' ') : NULL, *query;

	if (!version)
		return 400;
	*path++ = *version++ = '\0';
	if (strncmp(version, "HTTP/1.", 7))
		return strncmp(version, "HTTP/", 5) ? 400 : 505;
	if (strcmp(line, "GET") && strcmp(line, "POST"))
		return 405;
	if (*path != '/')
		return 400;
	r->is_post = *line == 'P';
	query = strchr(path, '?');
	if (query)
		*query++ = '\0';
	r->path = path;
	r->query = query ? query : "";
	return 0;
}

static int parse_field(struct http_request *r, char *line, size_t *ret_length)
{
	char *value = strchr(line, ':'), *end;
	uint64_t length;

	if (!value || value == line)
		return 400;
	*value++ = '\0';
	value += strspn(value, " \t");
	for (end = value + strlen(value); end > value && (end[-1] == ' ' || end[-1] == '\t');)
		*--end = '\0';
	if (!strcasecmp(line, "Host")) {
		if (r->host)
			return 400;	/* two are ambiguous */
		r->host = value;
	} else if (!strcasecmp(line, "Origin")) {
		r->origin = value;
	} else if (!strcasecmp(line, "Referer")) {
		r->referer = value;
	} else if (!strcasecmp(line, "Sec-Fetch-Site")) {
		r->fetch_site = value;
	} else if (!strcasecmp(line, "Transfer-Encoding")) {
		return 411;
	} else if (!strcasecmp(line, "Content-Length")) {
		if (number_parse_u64(value, &length))
			return 400;
		if (length > HTTP_BODY_MAX)
			return 413;
		*ret_length = (size_t)length;
	}
	return 0;
}

static int parse_header(struct http_request *r, size_t *ret_length)
{
	char *next, *line = r->buffer;
	int status = 0;

	for (bool first = true; line && !status; line = next, first = false) {
		next = strstr(line, "\r\n");
		if (next) {
			*next = '\0';
			next += 2;
		}
		status = first ? parse_first_line(r, line) : parse_field(r, line, ret_length);
	}
	return status;
}

static int read_body(int fd, struct http_request *r, const char *have, size_t nr_have,
		     size_t length, int64_t deadline)
{
	if (nr_have > length)
		nr_have = length;
	r->body = xmalloc(length + 1);
	memcpy(r->body, have, nr_have);
	while (nr_have < length) {
		ssize_t n = read_some(fd, r->body + nr_have, length - nr_have, deadline);

		if (n <= 0)
			return n ? (int)-n : -1;
		nr_have += (size_t)n;
	}
	r->body[length] = '\0';
	r->body_size = length;
	return 0;
}

int http_read(int fd, struct http_request *ret)
{
	int64_t deadline = now_ms() + HTTP_PATIENCE_MS;
	size_t size = 0, length = 0;
	char *end = NULL;
	int status;

	memset(ret, 0, sizeof(*ret));
	status = read_header(fd, ret, &size, &end, deadline);
	if (!status)
		status = parse_header(ret, &length);
	if (!status && ret->is_post)
		status = read_body(fd, ret, end, (size_t)(ret->buffer + size - end), length,
				   deadline);
	return status;
}

/* --- responses --- */

static const char *status_text(int status)
{
	switch (status) {
	case 200: return "OK";
	case 400: return "Bad Request";
	case 403: return "Forbidden";
	case 404: return "Not Found";
	case 405: return "Method Not Allowed";
	case 408: return "Request Timeout";
	case 411: return "Length Required";
	case 413: return "Content Too Large";
	case 431: return "Request Header Fields Too Large";
	case 503: return "Service Unavailable";
	case 505: return "HTTP Version Not Supported";
	default: return "Internal Server Error";
	}
}

static bool send_all(int fd, const char *bytes, size_t size, int64_t deadline)
{
	while (size) {
		ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);

		if (n > 0) {
			bytes += n;
			size -= (size_t)n;
		} else if (n < 0 && errno == EAGAIN) {
			if (!wait_for(fd, POLLOUT, deadline))
				return false;
		} else if (n < 0 && errno != EINTR) {
			return false;
		}
	}
	return true;
}

/* Read the rest of the request: closing with unread data would reset the connection. */
static void finish(int fd, int64_t deadline)
{
	char rest[4096];
	size_t nr = 0;

	shutdown(fd, SHUT_WR);
	while (nr < HTTP_BODY_MAX && read_some(fd, rest, sizeof(rest), deadline) > 0)
		nr += sizeof(rest);
}

void http_answer(int fd, int status, const char *type, const void *bytes, size_t size)
{
	int64_t now = now_ms();
	char *header = xasprintf("HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
				 "X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n"
				 "Content-Security-Policy: frame-ancestors 'none'\r\n"
				 "Connection: close\r\n\r\n", status, status_text(status),
				 type ? type : "text/plain; charset=utf-8", size);

	if (send_all(fd, header, strlen(header), now + HTTP_SEND_MS) &&
	    send_all(fd, bytes, size, now + HTTP_SEND_MS))
		finish(fd, now_ms() + 1000);
	free(header);
}

void http_error(int fd, int status, const char *why)
{
	char *text = xasprintf("%s\n", why ? why : status_text(status));

	http_answer(fd, status, NULL, text, strlen(text));
	free(text);
}

/* --- fields of a request --- */

static bool is_loopback(const char *host, size_t len)
{
	static const char *const names[] = { "localhost", "127.0.0.1", "[::1]" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t n = strlen(names[i]);

		if (len >= n && !strncasecmp(host, names[i], n) &&
		    (len == n || (host[n] == ':' &&
				  strspn(host + n + 1, "0123456789") == len - n - 1)))
			return true;
	}
	return false;
}

/* An origin, or any address: "http://localhost:6060/". */
static bool is_local_url(const char *url)
{
	return !strncmp(url, "http://", 7) && is_loopback(url + 7, strcspn(url + 7, "/?#"));
}

bool http_is_local(const struct http_request *r)
{
	if (!r->host || !is_loopback(r->host, strlen(r->host)))
		return false;
	if (r->fetch_site && strcmp(r->fetch_site, "same-origin") && strcmp(r->fetch_site, "none"))
		return false;
	return (!r->origin || is_local_url(r->origin)) && (!r->referer || is_local_url(r->referer));
}

/* The value NAME= of the query as it is, or NULL; *ret_len bytes. */
static const char *find_value(const struct http_request *r, const char *name, size_t *ret_len)
{
	size_t n = strlen(name);

	for (const char *p = r->query; *p; p += strcspn(p, "&"), p += *p == '&') {
		size_t len = strcspn(p, "&");

		if (len <= n || strncmp(p, name, n) || p[n] != '=')
			continue;
		*ret_len = len - n - 1;
		return p + n + 1;
	}
	return NULL;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10
	     : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int http_text(const struct http_request *r, const char *name, char *ret, size_t size)
{
	size_t len = 0, nr = 0;
	const char *p = find_value(r, name, &len);

	for (size_t i = 0; i < len; i++) {
		int c = p[i] == '+' ? ' ' : (unsigned char)p[i];

		if (p[i] == '%') {
			if (len - i < 3 || hex_digit(p[i + 1]) < 0 || hex_digit(p[i + 2]) < 0)
				return -EINVAL;
			c = hex_digit(p[i + 1]) << 4 | hex_digit(p[i + 2]);
			i += 2;
		}
		if (c < ' ' || c > '~' || nr + 1 >= size)
			return -EINVAL;
		ret[nr++] = (char)c;
	}
	ret[nr] = '\0';
	return 0;
}

long http_number(const struct http_request *r, const char *name, long otherwise)
{
	size_t len = 0;
	const char *value = find_value(r, name, &len);
	char digits[8];
	uint64_t number;

	if (!value)
		return otherwise;
	if (len >= sizeof(digits))
		return -1;
	memcpy(digits, value, len);
	digits[len] = '\0';
	return number_parse_u64(digits, &number) ? -1 : (long)number;
}

bool http_is_gone(int fd, int ms)
{
	struct pollfd p = { fd, POLLRDHUP, 0 };

	return poll(&p, 1, ms) > 0;
}
