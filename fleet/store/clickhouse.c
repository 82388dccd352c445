// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clickhouse.c - requests, and answers as tab-separated text
 *
 * The status cannot be trusted: a query that fails when a part of its answer was sent has status
 * 200, and the exception is the end of the body. wait_end_of_query makes that rare, and a row that
 * is no row is looked at.
 */
#include "fleet/store/clickhouse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/http.h"
#include "libutil/number.h"
#include "libutil/plain_text.h"
#include "libutil/xalloc.h"

#define TIMEOUT_SECONDS	300
#define EXCEPTION	"DB::Exception: "

void sql_quote(struct strbuf *sql, const char *text)
{
	strbuf_add_char(sql, '\'');
	for (; *text; text++) {
		/* the only two that end a string or begin an escape */
		if (*text == '\'' || *text == '\\')
			strbuf_add_char(sql, '\\');
		strbuf_add_char(sql, *text);
	}
	strbuf_add_char(sql, '\'');
}

/* --- answers --- */

void store_error_text(const char *body, char *text, size_t size)
{
	const char *at = strstr(body, EXCEPTION);
	size_t n;

	at = at ? at + strlen(EXCEPTION) : body;
	n = strcspn(at, "\n");
	if (n >= size)
		n = size - 1;
	memcpy(text, at, n);
	text[n] = '\0';
	plain_text(text, n);
}

/* Undo the escapes of TabSeparated, in place. */
static void unescape(char *cell)
{
	static const char from[] = "btnrf0", to[] = "\b\t\n\r\f?";
	const char *known;
	char *out = cell;

	for (; *cell; cell++) {
		if (*cell != '\\' || !cell[1]) {
			*out++ = *cell;
			continue;
		}
		cell++;
		known = strchr(from, *cell);
		*out++ = known ? to[known - from] : *cell;
	}
	*out = '\0';
}

/* The cells of the rows in r->text. False: *bad is a line that is no row. */
static bool split_rows(struct store_rows *r, char **bad)
{
	char *rest = r->text, *line, *cell;

	while (*rest) {
		size_t nr = 0;

		line = *bad = rest;
		rest += strcspn(rest, "\n");
		if (*rest != '\n')
			return false;
		*rest++ = '\0';
		if ((r->nr + 1) * r->nr_columns > r->room) {
			r->room = 2 * (r->nr + 1) * r->nr_columns + 64;
			r->cells = xrealloc_array(r->cells, r->room, sizeof(*r->cells));
		}
		for (cell = line; cell; nr++) {
			char *tab = strchr(cell, '\t');

			if (nr == r->nr_columns)
				return false;
			if (tab)
				*tab = '\0';
			r->cells[r->nr * r->nr_columns + nr] = cell;
			cell = tab ? tab + 1 : NULL;
		}
		if (nr != r->nr_columns)
			return false;
		for (size_t i = 0; i < nr; i++)
			unescape(r->cells[r->nr * r->nr_columns + i]);
		r->nr++;
	}
	return true;
}

void store_rows_free(struct store_rows *r)
{
	free(r->cells);
	free(r->text);
	*r = (struct store_rows){ NULL, 0, 0, 0, NULL };
}

uint64_t store_number(const struct store_rows *r, size_t row, size_t column)
{
	uint64_t n = 0;

	if (row < r->nr)
		(void)number_parse_u64(store_cell(r, row, column), &n);
	return n;
}

double store_double(const struct store_rows *r, size_t row, size_t column)
{
	return row < r->nr ? strtod(store_cell(r, row, column), NULL) : 0;
}

/* --- requests --- */

static int post(struct store *s, const char *sql, struct strbuf *ret, struct op_error *e)
{
	struct strbuf url = STRBUF_INIT;
	struct http_request request = {
		.content_type = "text/plain", .bytes = sql, .size = strlen(sql),
		.answer_max = STORE_ANSWER_MAX,
	};
	struct http_answer answer;
	char why[300];
	int err = 0;

	strbuf_addf(&url, "%s/?wait_end_of_query=1", s->url);
	if (s->database)
		strbuf_addf(&url, "&database=%s", s->database);
	if (s->low_cardinality_is_new)
		strbuf_add(&url, "&allow_experimental_low_cardinality_type=1");
	request.url = url.text;
	http_post(s->http, &request, &answer);
	if (!answer.status) {
		err = op_error_set(e, -EIO, "%s: %s", s->url, answer.text);
	} else if (answer.status != 200) {
		store_error_text(answer.body.text, why, sizeof(why));
		err = op_error_set(e, -EIO, "%s: status %d: %s", s->url, answer.status, why);
	} else if (answer.cut) {
		err = op_error_set(e, -EFBIG, "%s: the answer is longer than %zu MiB; ask for "
				   "less: a service, a host, a shorter time", s->url,
				   STORE_ANSWER_MAX >> 20);
	} else if (strlen(answer.body.text) != answer.body.len) {
		err = op_error_set(e, -EIO, "%s: invalid answer: not text", s->url);
	}
	if (!err) {
		*ret = answer.body;
		answer.body = (struct strbuf)STRBUF_INIT;
	}
	http_answer_free(&answer);
	strbuf_free(&url);
	return err;
}

int store_ask(struct store *s, const char *sql, size_t nr_columns, struct store_rows *ret,
	      struct op_error *e)
{
	struct store_rows rows = { .nr_columns = nr_columns };
	char *with_format = xasprintf("%s FORMAT TabSeparated", sql), *bad = NULL, why[300];
	struct strbuf body = STRBUF_INIT;
	int err = post(s, with_format, &body, e);

	free(with_format);
	if (err)
		return err;
	rows.text = strbuf_steal(&body);
	if (!split_rows(&rows, &bad)) {
		store_error_text(bad, why, sizeof(why));
		err = op_error_set(e, -EIO, "%s: the answer ends with an error: %s", s->url, why);
		store_rows_free(&rows);
		return err;
	}
	*ret = rows;
	return 0;
}

int store_do(struct store *s, const char *sql, struct op_error *e)
{
	struct strbuf body = STRBUF_INIT;
	char why[300];
	int err = post(s, sql, &body, e);

	if (!err && strstr(body.text, EXCEPTION)) {
		store_error_text(body.text, why, sizeof(why));
		err = op_error_set(e, -EIO, "%s: %s", s->url, why);
	}
	strbuf_free(&body);
	return err;
}

const char *store_table(const struct store *s, const char *table, char text[64])
{
	snprintf(text, 64, "%s%s", table, s->is_sharded ? "_all" : "");
	return text;
}

/* --- opening --- */

/* "18.16.1" is 18016. */
static int read_server(struct store *s, struct op_error *e)
{
	struct store_rows rows = { NULL, 0, 0, 0, NULL };
	unsigned int major = 0, minor = 0;
	int err = store_ask(s, "SELECT version(), (SELECT count() FROM system.settings WHERE name "
			    "= 'allow_experimental_low_cardinality_type'), (SELECT count() FROM "
			    "system.tables WHERE database = '" STORE_DATABASE "' AND name = "
			    "'samples_all')", 3, &rows, e);

	if (err)
		return err;
	if (rows.nr != 1 || sscanf(store_cell(&rows, 0, 0), "%u.%u", &major, &minor) != 2) {
		err = op_error_set(e, -EIO, "%s: not a ClickHouse server", s->url);
	} else {
		s->version = major * 1000 + minor;
		/* since 19.11 the setting is not needed, and later it is obsolete */
		s->low_cardinality_is_new = s->version < 19011 && store_number(&rows, 0, 1);
		s->is_sharded = store_number(&rows, 0, 2);
	}
	store_rows_free(&rows);
	return err;
}

int store_open(const char *url, const char *headers, const char *ca_file, struct store **ret,
	       struct op_error *e)
{
	struct store *s;
	int err = http_check_url(url, true, e);

	if (err)
		return err;
	s = xcalloc(1, sizeof(*s));
	s->url = xstrdup(url);
	for (size_t n = strlen(s->url); n && s->url[n - 1] == '/'; n--)
		s->url[n - 1] = '\0';
	err = http_new(headers, ca_file, TIMEOUT_SECONDS, &s->http, e);
	if (!err)
		err = read_server(s, e);
	if (err) {
		store_close(s);
		return err;
	}
	*ret = s;
	return 0;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	http_free(s->http);
	free(s->url);
	free(s);
}
