/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clickhouse.h - ask a ClickHouse server over HTTP: doc/fleet.md
 *
 * Servers from 18.16 on. Everything is in the database STORE_DATABASE. Whatever comes from users or
 * from profiles goes into SQL through sql_quote().
 */
#ifndef FLEET_STORE_CLICKHOUSE_H
#define FLEET_STORE_CLICKHOUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"
#include "libutil/strbuf.h"

#define STORE_DATABASE		"oprofile"
#define STORE_ANSWER_MAX	((size_t)256 << 20)	/* bytes */

/* Append @text as a string of SQL, quotes included. Any bytes are allowed. */
void sql_quote(struct strbuf *sql, const char *text);

struct store {
	struct http *http;
	char *url;			/* without a slash at the end */
	const char *database;		/* STORE_DATABASE; NULL while it may not exist */
	unsigned int version;		/* of the server: 18016 is 18.16 */
	bool low_cardinality_is_new;	/* it must be allowed where tables are created */
	bool is_sharded;		/* there are tables of all shards */
};

/*
 * @headers: "Name: value" lines with the credentials, or NULL. @ca_file may be NULL. The server is
 * asked for its version. -EINVAL: no such URL, or one with credentials. -EIO: it does not answer,
 * or refuses. The reason is in @e.
 */
int store_open(const char *url, const char *headers, const char *ca_file, struct store **ret,
	       struct op_error *e);
void store_close(struct store *s);	/* NULL is fine */

/* The rows of an answer; cells may have any bytes but NUL, of which there is none. */
struct store_rows {
	char **cells;			/* nr_columns of each row, one row after the other */
	size_t nr, room;		/* rows */
	size_t nr_columns;
	char *text;			/* has the cells */
};
static inline const char *store_cell(const struct store_rows *r, size_t row, size_t column)
{
	return r->cells[row * r->nr_columns + column];
}
/* 0: the cell is no number, or there is no such row. */
uint64_t store_number(const struct store_rows *r, size_t row, size_t column);
double store_double(const struct store_rows *r, size_t row, size_t column);

/*
 * Ask @sql, without FORMAT, whose answer has @nr_columns >= 1. -EIO: the server refused, failed in
 * the middle, or the answer is longer than STORE_ANSWER_MAX. *ret is the caller's to free.
 */
int store_ask(struct store *s, const char *sql, size_t nr_columns, struct store_rows *ret,
	      struct op_error *e);
void store_rows_free(struct store_rows *r);

/* A statement without an answer. */
int store_do(struct store *s, const char *sql, struct op_error *e);

/* The name of @table where questions read it: of all shards, if there are several. */
const char *store_table(const struct store *s, const char *table, char text[64]);

/* What a server says is wrong: the message of the body of an answer, on one line, printable. */
void store_error_text(const char *body, char *text, size_t size);

#endif
