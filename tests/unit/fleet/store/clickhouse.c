// SPDX-License-Identifier: GPL-2.0-or-later
/* clickhouse.c - quoting, messages of servers, and URLs; what servers answer: opfleet.test */
#include "fleet/store/clickhouse.h"

#include <errno.h>
#include "tests/tap.h"

static const char *quoted(const char *text)
{
	static struct strbuf sql = STRBUF_INIT;

	strbuf_reset(&sql);
	sql_quote(&sql, text);
	return sql.text;
}

TEST(strings_end_where_they_do)
{
	static const char *const pairs[][2] = {
		{ "", "''" }, { "a b", "'a b'" }, { "'", "'\\''" }, { "\\", "'\\\\'" },
		{ "\\'", "'\\\\\\''" }, { "' OR 1=1 --", "'\\' OR 1=1 --'" },
		{ "a\\", "'a\\\\'" }, { "\xff'\n", "'\xff\\'\n'" },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		CHECK(!strcmp(quoted(pairs[i][0]), pairs[i][1]), "%s", quoted(pairs[i][0]));
}

/* Whatever the text, a reader of SQL finds the end of the string at its end, and the same text. */
TEST(any_bytes_come_back)
{
	char text[4] = "", back[8];

	for (int i = 0; i < 4 * 4 * 4; i++) {
		static const char bytes[] = "'\\a\n";
		const char *at;
		size_t n = 0;

		for (int k = 0; k < 3; k++)
			text[k] = bytes[i >> 2 * k & 3];
		for (at = quoted(text) + 1; *at && *at != '\''; at++) {
			at += *at == '\\';
			back[n++] = *at;
		}
		back[n] = '\0';
		CHECK(*at == '\'' && !at[1] && !strcmp(back, text), "%d: %s", i, quoted(text));
	}
}

TEST(messages_of_old_and_new_servers)
{
	char text[40];

	store_error_text("Code: 60, e.displayText() = DB::Exception: no table\n", text, 40);
	CHECK(!strcmp(text, "no table"), "%s", text);
	store_error_text("1\t2\nCode: 60. DB::Exception: a\033[1m b", text, 40);
	CHECK(!strcmp(text, "a?[1m b"), "%s", text);
	store_error_text("something much longer than there is room for here", text, 10);
	CHECK(!strcmp(text, "something"), "%s", text);
}

TEST(an_answer_without_rows_has_no_numbers)
{
	const struct store_rows none = { .nr_columns = 2 };

	CHECK(store_number(&none, 0, 1) == 0 && store_double(&none, 0, 1) == 0, "a number");
}

TEST(urls)
{
	static const char *const wrong[] = {
		"", "host:8123", "ftp://host", "http://user:secret@host", "http://host/?a=b",
		"http://ho st", "http://host/#x", "http://", "http:///x", "http://:8123",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct op_error e = { "" };
		struct store *s;

		CHECK(store_open(wrong[i], NULL, NULL, &s, &e) == -EINVAL, "%s", wrong[i]);
		CHECK(*e.text && !strstr(e.text, "secret"), "%s", e.text);
	}
}

TEST_MAIN()
