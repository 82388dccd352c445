// SPDX-License-Identifier: GPL-2.0-or-later
/* text.c - numbers, strings, errors, hashes */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include "libutil/csv_text.h"
#include "libutil/error.h"
#include "libutil/hash.h"
#include "libutil/number.h"
#include "libutil/plain_text.h"
#include "libutil/print_line.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"
#include "tests/tap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

TEST(numbers)
{
	static const struct {
		const char *text;
		int err;
		uint64_t want;
	} rows[] = {
		{ "0", 0, 0 }, { "1", 0, 1 }, { "100000", 0, 100000 }, { "0x41", 0, 0x41 },
		{ "0XfF", 0, 255 }, { "010", 0, 8 }, { "00", 0, 0 },
		{ "18446744073709551615", 0, UINT64_MAX }, { "0xffffffffffffffff", 0, UINT64_MAX },
		{ "01777777777777777777777", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 7 }, { "0x10000000000000000", -ERANGE, 7 },
		{ "99999999999999999999999999x", -EINVAL, 7 },
		{ "", -EINVAL, 7 }, { "-1", -EINVAL, 7 }, { "+1", -EINVAL, 7 },
		{ " 1", -EINVAL, 7 },
		{ "1 ", -EINVAL, 7 }, { "0x", -EINVAL, 7 }, { "08", -EINVAL, 7 },
		{ "1k", -EINVAL, 7 },
		{ "0xg", -EINVAL, 7 }, { "1.5", -EINVAL, 7 }, { "x", -EINVAL, 7 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t got = 7;
		int err = number_parse_u64(rows[i].text, &got);

		CHECK(err == rows[i].err && got == rows[i].want, "'%s': %d %llu", rows[i].text, err,
		      (unsigned long long)got);
	}
}

TEST(ranges)
{
	uint64_t got = 7;

	CHECK(number_parse_range("5", 5, 9, &got) == 0 && got == 5, "lowest");
	CHECK(number_parse_range("9", 5, 9, &got) == 0 && got == 9, "highest");
	CHECK(number_parse_range("4", 5, 9, &got) == -ERANGE && got == 9, "below");
	CHECK(number_parse_range("10", 5, 9, &got) == -ERANGE && got == 9, "above");
	CHECK(number_parse_range("a", 5, 9, &got) == -EINVAL && got == 9, "no number");
}

/* What a file name could do to a terminal, or to the text beside it. */
TEST(plain_characters)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "plain", "plain" }, { "", "" }, { "tab\tline\nend\x7f", "tab?line?end?" },
		{ "\x1b[2J", "?[2J" }, { "gr\xc3\xbc\xc3\x9f" "e", "gr\xc3\xbc\xc3\x9f" "e" },
		{ "\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80" },
		{ "csi \xc2\x9b" "2J", "csi ??2J" },		/* C1 as UTF-8 */
		{ "csi \x9b" "2J", "csi ?2J" },			/* and as a byte */
		{ "nbsp\xc2\xa0", "nbsp\xc2\xa0" },
		{ "\xe2\x80\xae" "txt.exe", "???txt.exe" },	/* right to left */
		{ "\xe2\x81\xa6", "???" }, { "\xe2\x81\xa9", "???" }, { "\xd8\x9c", "??" },
		{ "\xe2\x80\x8f", "???" }, { "\xe2\x80\xa8", "???" },
		{ "\xe2\x80\xa6", "\xe2\x80\xa6" },		/* an ellipsis */
		{ "su\xe2\x80\x8b" "do", "su???do" },		/* invisible ones */
		{ "\xc2\xad", "??" }, { "\xe2\x81\xa0", "???" }, { "\xe2\x81\xaf", "???" },
		{ "\xef\xbb\xbf", "???" }, { "\xef\xbf\xba", "???" },
		{ "\xf3\xa0\x81\xa1", "????" }, { "\xf3\xa0\x80\x80", "????" },
		{ "\xe2\x80\x8d\xef\xbf\xbc", "\xe2\x80\x8d\xef\xbf\xbc" },
		{ "latin\xe9", "latin?" }, { "cut\xe2\x80", "cut??" },
	};
	char *put;
	size_t size;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct strbuf added = STRBUF_INIT;
		FILE *out = open_memstream(&put, &size);

		strbuf_add(&added, "\t");	/* what is there already stays */
		plain_add(&added, rows[i].text);
		plain_put(rows[i].text, out);
		fclose(out);
		CHECK(!strcmp(added.text + 1, rows[i].want) && added.text[0] == '\t',
		      "row %zu: '%s'", i, added.text);
		CHECK(!strcmp(put, rows[i].want), "row %zu: '%s'", i, put);
		free(put);
		strbuf_free(&added);
	}
}

/* Cells that a spreadsheet would run as formulas. */
TEST(csv_cells)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "main", "main" }, { "", "" }, { "a,b", "\"a,b\"" }, { "a\"b", "\"a\"\"b\"" },
		{ "=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0" }, { "+1", "'+1" }, { "-1", "'-1" },
		{ "@SUM(1,2)", "\"'@SUM(1,2)\"" }, { "'a", "''a" }, { "\t=1", "?=1" },
		{ "  =1", "'  =1" }, { " a=1", " a=1" }, { " ", " " },
		{ "\xef\xbc\x9d" "1", "'\xef\xbc\x9d" "1" },
	};
	char *put;
	size_t size;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		FILE *out = open_memstream(&put, &size);

		csv_put_text(rows[i].text, out);
		fclose(out);
		CHECK(!strcmp(put, rows[i].want), "row %zu: '%s'", i, put);
		free(put);
	}
}

TEST(long_words)
{
	struct op_error e;
	char path[4001];

	memset(path, 'a', sizeof(path) - 1);
	memcpy(path, "/first", 6);
	strcpy(path + sizeof(path) - 6, "/last");
	op_error_set(&e, 0, "cannot open '%s': too  long: '%s'", path, path);
	CHECK(strlen(e.text) < 600 && !strncmp(e.text, "cannot open '/first", 19), "%s", e.text);
	op_error_set(&e, 0, "cannot open '%s': too  long", path);
	CHECK(strlen(e.text) == strlen("cannot open : too  long") - 1 + 301 - 1 &&
	      strstr(e.text, "a...a") && strstr(e.text, "a/last': too  long"), "%s", e.text);
	op_error_set(&e, 0, " %s:%.300s", "", path);
	CHECK(strlen(e.text) == 301, "%zu", strlen(e.text));
	op_error_set(&e, 0, "%.300s", path);
	CHECK(!strncmp(e.text, path, 300) && strlen(e.text) == 300, "not longer than shown");
}

TEST(percents)
{
	static const struct {
		const char *text;
		int err;
		double want;
	} rows[] = {
		{ "0", 0, 0 }, { "100", 0, 100 }, { "0.5", 0, 0.5 }, { ".25", 0, 0.25 },
		{ "5.", 0, 5 }, { "100.0", 0, 100 }, { "100.1", -ERANGE, 7 }, { "101", -ERANGE, 7 },
		{ "", -EINVAL, 7 }, { ".", -EINVAL, 7 }, { "1.2.3", -EINVAL, 7 },
		{ "-1", -EINVAL, 7 },
		{ "1e1", -EINVAL, 7 }, { "nan", -EINVAL, 7 }, { "inf", -EINVAL, 7 },
		{ "1,5", -EINVAL, 7 }, { "5%", -EINVAL, 7 }, { "0x1", -EINVAL, 7 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		double got = 7;
		int err = number_parse_percent(rows[i].text, &got);

		CHECK(err == rows[i].err && got > rows[i].want - 1e-9 && got < rows[i].want + 1e-9,
		      "'%s': %d %f", rows[i].text, err, got);
	}
}

TEST(times_and_sizes)
{
	static const struct {
		const char *text;
		int err;
		uint64_t want;
	} times[] = {
		{ "90s", 0, 90 }, { "1h30m", 0, 5400 }, { "2d", 0, 172800 }, { "1w1s", 0, 604801 },
		{ "0s", 0, 0 }, { "", -EINVAL, 7 }, { "5", -EINVAL, 7 }, { "m", -EINVAL, 7 },
		{ "1m1h", -EINVAL, 7 }, { "1m1m", -EINVAL, 7 }, { "-1m", -EINVAL, 7 },
		{ "1y", -EINVAL, 7 }, { "1 m", -EINVAL, 7 }, { "1m5", -EINVAL, 7 },
		{ "99999999999999999999s", -ERANGE, 7 }, { "99999999999999999w", -ERANGE, 7 },
	}, sizes[] = {
		{ "5", 0, 5 }, { "2K", 0, 2048 }, { "500M", 0, 500ull << 20 },
		{ "2G", 0, 2ull << 30 }, { "1T", 0, 1ull << 40 }, { "", -EINVAL, 7 },
		{ "G", -EINVAL, 7 }, { "2g", -EINVAL, 7 }, { "2GB", -EINVAL, 7 },
		{ "-2G", -EINVAL, 7 }, { "99999999T", -ERANGE, 7 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		uint64_t got = 7;
		int err = number_parse_duration(times[i].text, &got);

		CHECK(err == times[i].err && got == times[i].want, "'%s': %d", times[i].text, err);
	}
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		uint64_t got = 7;
		int err = number_parse_bytes(sizes[i].text, &got);

		CHECK(err == sizes[i].err && got == sizes[i].want, "'%s': %d", sizes[i].text, err);
	}
}

TEST(percents_in_words)
{
	static const struct {
		double part, total;
		const char *want;
	} rows[] = {
		{ 0, 10, "0 %" }, { 0, 0, "0 %" }, { 10, 10, "100 %" }, { 20, 10, "200 %" },
		{ 996, 1000, "99.6 %" }, { 9999, 10000, "more than 99.9 %" },
		{ 994, 1000, "99 %" }, { 1, 3, "33 %" }, { 996, 10000, "10 %" },
		{ 1, 30, "3.3 %" }, { 1, 1000, "0.1 %" }, { 12, 100000, "0.012 %" },
		{ 1, 1e8, "less than 0.001 %" },
	};
	char text[PERCENT_TEXT];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *got = number_format_percent(text, rows[i].part, rows[i].total);

		CHECK(!strcmp(got, rows[i].want), "%s, not %s", got, rows[i].want);
	}
}

static void sane(const struct strbuf *s, const char *want)
{
	CHECK(s->text && s->len == strlen(want) && !strcmp(s->text, want), "'%s', not '%s'",
	      s->text, want);
	CHECK(s->room ? s->len < s->room : s->text == strbuf_empty, "room %zu", s->room);
}

TEST(strings)
{
	struct strbuf s = STRBUF_INIT;
	char *stolen;

	sane(&s, "");
	strbuf_reset(&s);
	strbuf_add(&s, "");
	strbuf_add_bytes(&s, NULL, 0);
	strbuf_addf(&s, "%s", "");
	sane(&s, "");
	strbuf_add(&s, "ab");
	strbuf_add_char(&s, 'c');
	strbuf_addf(&s, "%d%s", 42, "x");
	strbuf_add_bytes(&s, "yz", 1);
	sane(&s, "abc42xy");
	strbuf_truncate(&s, 3);
	sane(&s, "abc");
	stolen = strbuf_steal(&s);
	CHECK(!strcmp(stolen, "abc"), "%s", stolen);
	free(stolen);
	sane(&s, "");
	stolen = strbuf_steal(&s);
	CHECK(stolen != strbuf_empty && !*stolen, "an empty string can be freed");
	free(stolen);
	for (int i = 0; i < 10000; i++)
		strbuf_addf(&s, "%04d", i);
	CHECK(s.len == 40000 && !strncmp(s.text + 4 * 1234, "1234", 4), "grown");
	strbuf_reset(&s);
	sane(&s, "");
	strbuf_free(&s);
	strbuf_free(&s);
	sane(&s, "");
}

TEST(errors)
{
	struct op_error e = { "" };
	char longer[2000];

	CHECK(op_error_set(NULL, -EINVAL, "x") == -EINVAL, "without a place for the message");
	CHECK(op_error_set(&e, -ENOENT, "no '%s'", "a") == -ENOENT && !strcmp(e.text, "no 'a'"),
	      "%s", e.text);
	op_error_set(&e, 0, "more: %s", e.text);
	CHECK(!strcmp(e.text, "more: no 'a'"), "made of the old message: %s", e.text);
	for (size_t i = 0; i < sizeof(longer); i++)
		longer[i] = i % 9 ? 'x' : ' ';
	longer[sizeof(longer) - 1] = '\0';
	op_error_set(&e, 0, "%s", longer);
	CHECK(strlen(e.text) == sizeof(e.text) - 1, "truncated");
}

TEST(hashes)
{
	unsigned int used[256] = { 0 }, worst = 0;

	CHECK(hash_string("abc") == hash_bytes("abc", 3), "string");
	CHECK(hash_bytes("abc", 3) != hash_bytes("abc\0", 4), "length counts");
	CHECK(hash_bytes("", 0) == hash_string(""), "empty");
	CHECK(hash_mix(1, 2) != hash_mix(2, 1), "order counts");
	for (uint64_t i = 0; i < 25600; i++)
		used[hash_u64(i << 12) & 255]++;
	for (int i = 0; i < 256; i++)
		worst = used[i] > worst ? used[i] : worst;
	CHECK(worst < 150, "a bucket got %u of 100", worst);
}

TEST(grown_array)
{
	int *a = NULL;
	size_t nr = 0, room = 0;

	for (int i = 0; i < 1000; i++) {
		xgrow(a, nr, room);
		a[nr++] = i;
	}
	CHECK(a[999] == 999 && room >= 1000 && room < 2000, "room %zu", room);
	free(a);
}

/* Without memory the program prints a line and exits with status 1. */
TEST(out_of_memory)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(9);
		xrealloc_array(NULL, SIZE_MAX / 2, 4);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1, "%x", status);
}

TEST_MAIN()
