// SPDX-License-Identifier: GPL-2.0-or-later
/* selection.c - words become conditions; what hostile ones do: opfleet.test */
#include "fleet/ask/selection.h"

#include <errno.h>
#include "tests/tap.h"

#define NS INT64_C(1000000000)

static const char *sql_of(const char *const *words, int64_t from, int64_t to)
{
	static struct strbuf sql = STRBUF_INIT;
	struct selection s = { .time = { from * NS, to * NS } };
	const struct store store = { .is_sharded = true };
	struct op_error e = { "" };

	for (; *words; words++)
		CHECK(!selection_add(&s, *words, &e), "%s: %s", *words, e.text);
	strbuf_reset(&sql);
	selection_sql(&s, &store, "", "stack", &sql);
	selection_free(&s);
	return sql.text;
}

TEST(conditions)
{
	const char *sql = sql_of((const char *[]){ "host:a,b'", "service:s", "label:z=1=2",
						   "version:1,2", NULL }, 10, 20);

	CHECK(!strcmp(sql, "(SELECT stack, sum(samples) AS n, sum(toFloat64(samples) * ns) AS v "
		      "FROM samples_all WHERE time >= toDateTime(10) AND time < toDateTime(20) AND "
		      "host IN ('a', 'b\\'') AND service IN ('s') AND source GLOBAL IN (SELECT "
		      "source FROM sources_all WHERE (has(labels, 'z=1=2')) AND (has(labels, "
		      "'version=1') OR has(labels, 'version=2'))) GROUP BY stack)"), "%s", sql);
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	while ((text = strstr(text, part)) != NULL) {
		text += strlen(part);
		n++;
	}
	return n;
}

TEST(whole_hours_come_from_their_table)
{
	static const struct {
		int64_t from, to;
		size_t hourly, samples;
	} cases[] = {
		{ 3600, 3600 + 7199, 0, 1 }, { 3600, 3 * 3600, 1, 0 }, { 3599, 3 * 3600, 1, 1 },
		{ 3600, 3 * 3600 + 1, 1, 1 }, { 3599, 3 * 3600 + 1, 1, 2 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *sql = sql_of((const char *[]){ NULL }, cases[i].from, cases[i].to);

		CHECK(count(sql, "FROM hourly_all") == cases[i].hourly &&
		      count(sql, "FROM samples_all") == cases[i].samples, "%zu: %s", i, sql);
	}
}

/* Each table, of hours and of minutes, is joined before it is added up. */
TEST(joins_are_made_where_the_samples_are)
{
	static const char join[] =
		" GLOBAL ANY LEFT JOIN (SELECT source, any(length(labels)) AS l FROM sources_all "
		"WHERE source GLOBAL IN (SELECT source FROM (SELECT source, ";
	struct selection s = { .time = { 3599 * NS, 10801 * NS } };
	const struct store store = { .is_sharded = true };
	struct strbuf sql = STRBUF_INIT;
	char *text = selection_join(&s, &store, "sources", "source", "length(labels)", "l");

	CHECK(!strncmp(text, join, strlen(join)), "%s", text);
	selection_sql(&s, &store, text, "l, stack", &sql);
	CHECK(count(sql.text, join) == 3, "%s", sql.text);
	CHECK(count(sql.text, " AS w) GROUP BY source) AS j USING source WHERE ") == 3, "%s",
	      sql.text);
	CHECK(count(sql.text, "(SELECT l, stack, sum(samples) AS n") == 1 &&
	      count(sql.text, " GROUP BY l, stack") == 3, "%s", sql.text);
	strbuf_free(&sql);
	free(text);
}

TEST(events_by_name_or_with_their_count)
{
	const char *sql = sql_of((const char *[]){ "event:cpu", NULL }, 1, 2);

	CHECK(strstr(sql, "AND splitByChar(':', toString(event))[1] IN ('cpu')"), "%s", sql);
	sql = sql_of((const char *[]){ "event:cpu:1000000", NULL }, 1, 2);
	CHECK(strstr(sql, "AND event IN ('cpu:1000000')"), "%s", sql);
}

TEST(what_is_no_word)
{
	static const char *const wrong[] = {
		"", "host", "host:", ":a", "ho'st:a", "1:a", "label:", "label:a", "label:=b",
		"label:a b=c", "a b:c",
	};
	struct op_error e = { "" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct selection s = { .nr = 0 };

		CHECK(selection_add(&s, wrong[i], &e) == -EINVAL && !s.nr, "%s", wrong[i]);
		selection_free(&s);
	}
}

TEST_MAIN()
