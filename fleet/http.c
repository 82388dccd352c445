// SPDX-License-Identifier: GPL-2.0-or-later
/* http.c - one libcurl handle for each server */
#include "fleet/http.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/file.h"
#include "libutil/message.h"
#include "libutil/number.h"
#include "libutil/plain_text.h"
#include "libutil/progress.h"
#include "libutil/xalloc.h"

#define HEADERS_MAX	65536	/* bytes of an answer's, and of a file of ours */
#define CONNECT_SECONDS	10

struct http {
	CURL *curl;
	struct curl_slist *headers;
	char error[CURL_ERROR_SIZE];
	/* of a request */
	struct http_answer *answer;
	size_t max, header_bytes;
};

int http_check_url(const char *url, bool has_query, struct op_error *e)
{
	const char *host = !strncmp(url, "http://", 7) ? url + 7
			 : !strncmp(url, "https://", 8) ? url + 8 : NULL;

	if (!host || strchr("/?#:", *host))
		return op_error_set(e, -EINVAL, "invalid URL: expected http://HOST:PORT or "
				    "https://HOST:PORT");
	if (memchr(host, '@', strcspn(host, "/?#")))
		return op_error_set(e, -EINVAL, "a URL must have no user and password: put "
				    "headers into a file");
	for (const char *at = url; *at; at++)
		if ((unsigned char)*at <= ' ' || (unsigned char)*at >= 127)
			return op_error_set(e, -EINVAL, "invalid URL: expected no blanks and only "
					    "ASCII characters");
	if (host[strcspn(host, has_query ? "?#" : "#")])
		return op_error_set(e, -EINVAL, "invalid URL: expected no %s",
				    has_query ? "query" : "fragment");
	return 0;
}

int http_read_headers(const char *path, char **ret, struct op_error *e)
{
	int err = file_read_all(path, HEADERS_MAX, ret, NULL);

	return err ? op_error_set(e, err, "cannot read '%s': %s", path, strerror(-err)) : 0;
}

static void add_header(struct http *h, const char *line)
{
	struct curl_slist *longer = curl_slist_append(h->headers, line);

	if (!longer)
		report_no_memory(strlen(line));
	h->headers = longer;
}

/* "Name: value": nothing that could begin another header, or be read as one that we set. */
static bool is_header(const char *line)
{
	const char *colon = strchr(line, ':');

	if (!colon || colon == line || !colon[1])
		return false;
	for (const char *at = line; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 127 || (at < colon && *at == ' '))
			return false;
	return true;
}

static int add_headers(struct http *h, const char *lines, struct op_error *e)
{
	char *copy = xstrdup(lines), *rest = copy, *line;
	int err = 0;

	for (int nr = 1; !err && (line = strsep(&rest, "\n")) != NULL; nr++) {
		line[strcspn(line, "\r")] = '\0';
		if (!*line || *line == '#')
			continue;
		if (is_header(line))
			add_header(h, line);
		else	/* without the line: it may be a secret */
			err = op_error_set(e, -EINVAL, "invalid header in line %d: expected "
					   "NAME: VALUE", nr);
	}
	explicit_bzero(copy, strlen(lines));
	free(copy);
	return err;
}

static size_t take_body(char *bytes, size_t one, size_t n, void *context)
{
	struct http *h = context;
	size_t room = h->max - h->answer->body.len, take = n < room ? n : room;

	(void)one;
	strbuf_add_bytes(&h->answer->body, bytes, take);
	h->answer->cut |= take < n;
	return take;		/* less than @n ends the transfer */
}

/* " 12\r\n": 12; anything else: -1. */
static int number_after(const char *bytes, size_t n)
{
	char text[16], *at = text;
	uint64_t number;

	snprintf(text, sizeof(text), "%.*s", (int)(n < sizeof(text) ? n : sizeof(text) - 1), bytes);
	at += strspn(at, " \t");
	at[strcspn(at, " \t\r\n")] = '\0';
	return number_parse_range(at, 0, 999, &number) ? -1 : (int)number;
}

int http_grpc_status(const char *lines, size_t n)
{
	static const char name[] = "grpc-status:";
	const char *end = lines + n, *next;

	for (; lines < end; lines = next) {
		const char *newline = memchr(lines, '\n', (size_t)(end - lines));
		size_t len;

		next = newline ? newline + 1 : end;
		len = (size_t)(next - lines);
		if (len > strlen(name) && !strncasecmp(lines, name, strlen(name)))
			return number_after(lines + strlen(name), len - strlen(name));
	}
	return -1;
}

static size_t take_header(char *bytes, size_t one, size_t n, void *context)
{
	struct http *h = context;
	int status = http_grpc_status(bytes, n);

	(void)one;
	h->header_bytes += n;
	if (status >= 0)
		h->answer->grpc_status = status;
	return h->header_bytes <= HEADERS_MAX ? n : 0;
}

/* CURLINFO_REQUEST_SIZE counts the body, too, if it is sent with the headers. */
static int count_sent(CURL *curl, curl_infotype what, char *bytes, size_t n, void *context)
{
	struct http *h = context;

	(void)curl;
	(void)bytes;
	if (what == CURLINFO_HEADER_OUT || what == CURLINFO_DATA_OUT)
		h->answer->wire_bytes += n;
	return 0;
}

/* libcurl calls it while data comes, and each second while it waits. */
static int tick(void *context, curl_off_t total, curl_off_t received, curl_off_t to_send,
		curl_off_t sent)
{
	(void)context;
	(void)to_send;
	(void)sent;
	progress_tell(NULL, (size_t)received / 1000, (size_t)total / 1000, "kB of the answer");
	return 0;
}

static void set_options(struct http *h, const char *ca_file, unsigned int timeout_s)
{
	char *agent = xasprintf("%s/" OP_VERSION, program_invocation_short_name);
	CURL *c = h->curl;

	curl_easy_setopt(c, CURLOPT_USERAGENT, agent);
	free(agent);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, h->error);
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
	curl_easy_setopt(c, CURLOPT_TIMEOUT, (long)timeout_s);
	curl_easy_setopt(c, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	curl_easy_setopt(c, CURLOPT_POST, 1L);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, h);
	curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(c, CURLOPT_HEADERDATA, h);
	curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, tick);
	curl_easy_setopt(c, CURLOPT_VERBOSE, 1L);	/* or it does not call: */
	curl_easy_setopt(c, CURLOPT_DEBUGFUNCTION, count_sent);
	curl_easy_setopt(c, CURLOPT_DEBUGDATA, h);
#if LIBCURL_VERSION_NUM >= 0x075500
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	curl_easy_setopt(c, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
	if (ca_file)
		curl_easy_setopt(c, CURLOPT_CAINFO, ca_file);
}

int http_new(const char *headers, const char *ca_file, unsigned int timeout_s, struct http **ret,
	     struct op_error *e)
{
	struct http *h = xcalloc(1, sizeof(*h));
	int err = headers ? add_headers(h, headers, e) : 0;

	add_header(h, "Expect:");	/* or libcurl waits for a server that ignores it */
	h->curl = err ? NULL : curl_easy_init();
	if (!err && !h->curl)
		err = op_error_set(e, -ENOMEM, "cannot initialize libcurl");
	if (err) {
		http_free(h);
		return err;
	}
	set_options(h, ca_file, timeout_s);
	*ret = h;
	return 0;
}

void http_free(struct http *h)
{
	if (!h)
		return;
	curl_easy_cleanup(h->curl);
	curl_slist_free_all(h->headers);
	free(h);
}

static void measure(struct http *h, struct http_answer *ret)
{
	curl_off_t retry_after = 0;
	long status = 0;

	curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(h->curl, CURLINFO_RETRY_AFTER, &retry_after);
	ret->status = (int)status;
	if (retry_after > 0)
		ret->retry_after_s = (uint32_t)(retry_after < HTTP_WAIT_MAX ? retry_after
									    : HTTP_WAIT_MAX);
}

void http_post(struct http *h, const struct http_request *request, struct http_answer *ret)
{
	struct curl_slist type = { NULL, h->headers };
	struct curl_slist encoding = { (char *)"Content-Encoding: gzip", &type };
	CURLcode code;

	*ret = (struct http_answer){ .body = STRBUF_INIT, .grpc_status = -1 };
	h->answer = ret;
	h->header_bytes = 0;
	h->max = request->answer_max ? request->answer_max : HTTP_ANSWER_MAX;
	*h->error = '\0';
	type.data = xasprintf("Content-Type: %s", request->content_type);
	curl_easy_setopt(h->curl, CURLOPT_URL, request->url);
	curl_easy_setopt(h->curl, CURLOPT_HTTPHEADER, request->gzipped ? &encoding : &type);
	curl_easy_setopt(h->curl, CURLOPT_POSTFIELDS, request->bytes);
	curl_easy_setopt(h->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->size);
	curl_easy_setopt(h->curl, CURLOPT_NOPROGRESS, request->answer_max ? 0L : 1L);
	code = curl_easy_perform(h->curl);
	measure(h, ret);
	if (code && !(code == CURLE_WRITE_ERROR && ret->cut)) {
		/* an answer that did not come whole is none */
		ret->status = 0;
		snprintf(ret->text, sizeof(ret->text), "%.250s",
			 *h->error ? h->error : curl_easy_strerror(code));
		plain_text(ret->text, strlen(ret->text));
	}
	curl_easy_setopt(h->curl, CURLOPT_HTTPHEADER, NULL);
	free(type.data);
}

void http_answer_free(struct http_answer *a)
{
	strbuf_free(&a->body);
}
