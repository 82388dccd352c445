// SPDX-License-Identifier: GPL-2.0-or-later
/* selection.c - conditions of SQL, from words that may be hostile */
#include "fleet/ask/selection.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/clock.h"
#include "libutil/xalloc.h"

#define HOUR		3600
#define HOURS_MIN	2	/* fewer whole hours are not worth a second table */

static bool is_name(const char *text, size_t n)
{
	static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

	return n && strchr(first, *text) &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") >= n;
}

int selection_add(struct selection *s, const char *word, struct op_error *e)
{
	bool is_label = !strncmp(word, "label:", 6);
	const char *start = is_label ? word + 6 : word;
	size_t n = strcspn(start, is_label ? "=" : ":");
	char *values, *rest, *value;

	if (!is_name(start, n) || !start[n] || !start[n + 1])
		return op_error_set(e, -EINVAL, "invalid selection '%.200s': expected NAME:VALUE "
				    "or label:NAME=VALUE", word);
	rest = values = xstrdup(start + n + 1);
	while ((value = strsep(&rest, ",")) != NULL) {
		xgrow(s->words, s->nr, s->room);
		s->words[s->nr++] = (struct selection_word){
			.name = xasprintf("%.*s", (int)n, start), .value = xstrdup(value) };
	}
	free(values);
	return 0;
}

void selection_free(struct selection *s)
{
	for (size_t i = 0; i < s->nr; i++) {
		free(s->words[i].name);
		free(s->words[i].value);
	}
	free(s->words);
	*s = (struct selection){ .nr = 0 };
}

/* --- conditions --- */

static bool is_column(const char *name)
{
	return !strcmp(name, "host") || !strcmp(name, "service") || !strcmp(name, "event");
}

/* Whether word @i is the first of its name. */
static bool is_first(const struct selection *s, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(s->words[k].name, s->words[i].name))
			return false;
	return true;
}

static void add_value(struct strbuf *sql, const struct selection_word *w)
{
	char *label;

	if (is_column(w->name)) {
		sql_quote(sql, w->value);
		return;
	}
	label = xasprintf("%s=%s", w->name, w->value);
	sql_quote(sql, label);
	free(label);
}

/*
 * "host IN ('a', 'b')"; events are NAME:COUNT, and found by their name alone, too; labels:
 * "(has(labels, 'zone=a') OR has(labels, 'zone=b'))"
 */
static void add_condition(const struct selection *s, size_t first, struct strbuf *sql)
{
	const char *name = s->words[first].name;
	bool column = is_column(name);

	if (!strcmp(name, "event") && !strchr(s->words[first].value, ':'))
		strbuf_add(sql, "splitByChar(':', toString(event))[1] IN (");
	else
		strbuf_addf(sql, column ? "%s IN (" : "(", name);
	for (size_t i = first; i < s->nr; i++) {
		if (strcmp(s->words[i].name, name))
			continue;
		if (i > first)
			strbuf_add(sql, column ? ", " : " OR ");
		if (!column)
			strbuf_add(sql, "has(labels, ");
		add_value(sql, &s->words[i]);
		if (!column)
			strbuf_add_char(sql, ')');
	}
	strbuf_add_char(sql, ')');
}

static void add_conditions(const struct selection *s, const struct store *store,
			   struct strbuf *sql)
{
	bool has_labels = false;
	char table[64];

	for (size_t i = 0; i < s->nr; i++)
		if (is_first(s, i) && is_column(s->words[i].name)) {
			strbuf_add(sql, " AND ");
			add_condition(s, i, sql);
		}
	for (size_t i = 0; i < s->nr; i++) {
		if (!is_first(s, i) || is_column(s->words[i].name))
			continue;
		if (has_labels)
			strbuf_add(sql, " AND ");
		else
			strbuf_addf(sql, " AND source GLOBAL IN (SELECT source FROM %s WHERE ",
				    store_table(store, "sources", table));
		has_labels = true;
		add_condition(s, i, sql);
	}
	if (has_labels)
		strbuf_add_char(sql, ')');
}

/* --- subqueries --- */

static void add_part(const struct selection *s, const struct store *store, const char *join,
		     const char *keys, const char *table, const char *column, int64_t from,
		     int64_t to, struct strbuf *sql)
{
	char name[64];

	strbuf_addf(sql, "SELECT %s, sum(samples) AS n, sum(toFloat64(samples) * ns) AS v FROM "
		    "%s%s WHERE %s >= toDateTime(%" PRId64 ") AND %s < toDateTime(%" PRId64 ")",
		    keys, store_table(store, table, name), join, column, from, column, to);
	add_conditions(s, store, sql);
	strbuf_addf(sql, " GROUP BY %s", keys);
}

/* Seconds at or after @ns that a DateTime can have. */
static int64_t seconds_up(int64_t ns)
{
	const int64_t second = NS_PER_SECOND;
	int64_t s = ns / second + (ns > 0 && ns % second);

	return s < 0 ? 0 : s > UINT32_MAX ? UINT32_MAX : s;
}

void selection_sql(const struct selection *s, const struct store *store, const char *join,
		   const char *keys, struct strbuf *sql)
{
	int64_t from = seconds_up(s->time.from_ns), to = seconds_up(s->time.to_ns);
	int64_t first = (from + HOUR - 1) / HOUR * HOUR, last = to / HOUR * HOUR;

	strbuf_add_char(sql, '(');
	if (last - first < HOURS_MIN * HOUR) {
		add_part(s, store, join, keys, "samples", "time", from, to, sql);
	} else {
		add_part(s, store, join, keys, "hourly", "hour", first, last, sql);
		if (from < first) {
			strbuf_add(sql, " UNION ALL ");
			add_part(s, store, join, keys, "samples", "time", from, first, sql);
		}
		if (last < to) {
			strbuf_add(sql, " UNION ALL ");
			add_part(s, store, join, keys, "samples", "time", last, to, sql);
		}
	}
	strbuf_add_char(sql, ')');
}

char *selection_join(const struct selection *s, const struct store *store, const char *table,
		     const char *key, const char *expression, const char *column)
{
	struct strbuf sql = STRBUF_INIT;
	char name[64];

	strbuf_addf(&sql, " GLOBAL ANY LEFT JOIN (SELECT %s, any(%s) AS %s FROM %s WHERE %s "
		    "GLOBAL IN (SELECT %s FROM ", key, expression, column,
		    store_table(store, table, name), key, key);
	selection_sql(s, store, "", key, &sql);
	strbuf_addf(&sql, " AS w) GROUP BY %s) AS j USING %s", key, key);
	return strbuf_steal(&sql);
}

void selection_leaves(const struct selection *s, const struct store *store, struct strbuf *sql)
{
	char table[64];

	strbuf_addf(sql, "(SELECT stack, leaf, leaf_image FROM %s WHERE stack GLOBAL IN (SELECT "
		    "stack FROM ", store_table(store, "stacks", table));
	selection_sql(s, store, "", "stack", sql);
	strbuf_add(sql, " AS w))");
}

int selection_seconds(const struct selection *s, struct store *store, double *ret,
		      struct op_error *e)
{
	struct strbuf sql = STRBUF_INIT;
	struct store_rows rows;
	char table[64];
	int err;

	/* numbers have no services or labels: the time of all hosts that were asked for */
	strbuf_addf(&sql, "SELECT count(), max(toUInt32(time) + value / 2) - min(toUInt32(time) - "
		    "value / 2) FROM %s WHERE name = 'seconds' AND time >= toDateTime(%" PRId64
		    ") AND time < toDateTime(%" PRId64 ")", store_table(store, "numbers", table),
		    seconds_up(s->time.from_ns), seconds_up(s->time.to_ns));
	for (size_t i = 0; i < s->nr; i++)
		if (is_first(s, i) && !strcmp(s->words[i].name, "host")) {
			strbuf_add(&sql, " AND ");
			add_condition(s, i, &sql);
		}
	err = store_ask(store, sql.text, 2, &rows, e);
	strbuf_free(&sql);
	if (err)
		return err;
	if (store_number(&rows, 0, 0))
		*ret = store_double(&rows, 0, 1);
	else
		err = op_error_set(e, -ENOENT, "%s: no slices of that time and these hosts",
				   store->url);
	store_rows_free(&rows);
	return err;
}
