/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_record.c - make records of line and inline tables, and look up what they contain */
#include <errno.h>
#include <inttypes.h>

#include "pp/binary/line/record.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

TEST(units)
{
	struct line_unit units[] = {
		{ 0x3000, 0x4000, 30 }, { 0x1000, 0x2000, 10 }, { 0x1400, 0x1500, 11 },
	};
	static const struct {
		uint64_t address;
		uint64_t unit;	/* 0: none */
	} wants[] = {
		{ 0xfff, 0 }, { 0x1000, 10 }, { 0x13ff, 10 }, { 0x1400, 11 }, { 0x14ff, 11 },
		{ 0x1500, 10 }, { 0x1fff, 10 }, { 0x2000, 0 }, { 0x3fff, 30 }, { UINT64_MAX, 0 },
	};
	struct line_record r;

	CHECK(line_record_units(units, ARRAY_SIZE(units), &r) == 0, "made");
	CHECK(line_record_check(LINE_UNITS, r.bytes, r.size), "sound");
	for (size_t i = 0; i < ARRAY_SIZE(wants); i++) {
		uint64_t unit = 0;

		line_find_unit(&r, wants[i].address, &unit);
		CHECK(unit == wants[i].unit, "0x%" PRIx64 ": %" PRIu64, wants[i].address, unit);
	}
	line_record_free(&r);
}

TEST(rows)
{
	static const char a[] = "/a.c", b[] = "/b.h";
	static const struct line_row rows[] = {
		{ 0x1000, a, 1 }, { 0x1004, a, 2 }, { 0x1004, b, 7 },	/* of two the last counts */
		{ 0x1008, b, 7 }, { 0x100c, a, 3 }, { 0x1010, NULL, 0 }, { 0x2000, b, 0 },
	};
	static const struct {
		uint64_t address;
		const char *file;
		uint32_t line;
	} wants[] = {
		{ 0xfff, NULL, 0 }, { 0x1000, a, 1 }, { 0x1003, a, 1 }, { 0x1004, b, 7 },
		{ 0x100b, b, 7 }, { 0x100c, a, 3 }, { 0x1010, NULL, 0 }, { 0x1fff, NULL, 0 },
		{ 0x2000, b, 0 },
	};
	struct line_record r;

	CHECK(line_record_rows(rows, ARRAY_SIZE(rows), &r) == 0, "made");
	CHECK(line_record_check(LINE_ROWS, r.bytes, r.size), "sound");
	for (size_t i = 0; i < ARRAY_SIZE(wants); i++) {
		struct line_place place = { NULL, 0 };
		bool found = line_find_row(&r, wants[i].address, &place);

		CHECK(found == (wants[i].file != NULL), "0x%" PRIx64, wants[i].address);
		CHECK(!found || (!strcmp(place.file, wants[i].file) && place.line == wants[i].line),
		      "0x%" PRIx64 ": %s:%u", wants[i].address, place.file, place.line);
	}
	line_record_free(&r);
}

TEST(too_wide)
{
	static const struct line_row rows[] = { { 0, "a", 1 }, { 1ull << 33, "a", 2 } };
	struct line_record r = { 0 };

	CHECK(line_record_rows(rows, 2, &r) == -EOVERFLOW, "a unit of 8 GB");
	CHECK(!r.bytes, "untouched");
}

/* main() has f() inlined twice, once within g(); the second time in two pieces. */
TEST(inlines)
{
	struct inline_span spans[] = {
		{ 0x110, 0x118, 1, "m.c", 5, "f", 0, 0 },
		{ 0x100, 0x200, 0, NULL, 0, "main", 0, 0 },
		{ 0x128, 0x12c, 2, "g.c", 9, "f", 0, 0 },
		{ 0x120, 0x140, 1, "m.c", 6, "g", 0, 0 },
		{ 0x130, 0x132, 2, "g.c", 9, "f", 0, 0 },
		{ 0x300, 0x301, 0, NULL, 0, NULL, 0, 0 },
	};
	static const struct {
		uint64_t address;
		const char *stack;
	} wants[] = {
		{ 0xff, "" }, { 0x100, "main" }, { 0x110, "f<main" }, { 0x118, "main" },
		{ 0x120, "g<main" }, { 0x12b, "f<g<main" }, { 0x12c, "g<main" },
		{ 0x131, "f<g<main" }, { 0x140, "main" }, { 0x1ff, "main" }, { 0x200, "" },
		{ 0x300, "?" }, { 0x301, "" },
	};
	struct inline_span frames[8], *again;
	struct line_record r;
	size_t nr;

	CHECK(line_record_inlines(spans, ARRAY_SIZE(spans), &r) == 0, "made");
	CHECK(line_record_check(LINE_INLINES, r.bytes, r.size), "sound");
	for (size_t i = 0; i < ARRAY_SIZE(wants); i++) {
		char stack[64] = "";

		nr = line_find_inlines(&r, wants[i].address, frames, 8);
		for (size_t j = 0; j < nr; j++) {
			strcat(stack, j ? "<" : "");
			strcat(stack, frames[j].function ? frames[j].function : "?");
			CHECK(frames[j].depth == nr - 1 - j, "depth %u", frames[j].depth);
		}
		CHECK(!strcmp(stack, wants[i].stack), "0x%" PRIx64 ": %s", wants[i].address, stack);
	}
	nr = line_find_inlines(&r, 0x12b, frames, 1);
	CHECK(nr == 3 && !strcmp(frames[0].function, "f") && frames[0].call_line == 9,
	      "room for one");
	again = line_record_spans(&r, &nr);
	CHECK(nr == ARRAY_SIZE(spans), "%zu", nr);
	CHECK(!memcmp(&again[0].low, &(uint64_t){ 0x100 }, 8) && again[1].depth == 1, "the same");
	free(again);
	line_record_free(&r);
}

/* In random bytes that pass the check, lookups of any address stay inside the record. */
TEST(any_bytes)
{
	static const uint64_t addresses[] = { 0, 1, 0x1000, 0x1004, UINT32_MAX, UINT64_MAX };
	size_t passed = 0;

	for (int round = 0; round < 200000; round++) {
		struct line_record r = { malloc(16 + 24 * 3 + 4), 0 };
		enum line_record_kind kind = 1 + test_random() % 4;
		size_t size = kind == LINE_ROWS ? 12 : 24;
		uint32_t header[4] = { 0, 0, test_random() % 4, test_random() % 2 * 4 };
		struct inline_span frames[2];
		struct line_place place;
		uint64_t unit;

		r.size = 16 + size * header[2] + header[3];
		for (size_t i = 0; i < r.size; i++)
			r.bytes[i] =
				test_random() % 4 ? test_random() % 4 : 0xff * (test_random() % 2);
		memcpy(r.bytes, header, sizeof(header));
		if (line_record_check(kind, r.bytes, r.size)) {
			passed++;
			for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
				if (kind == LINE_UNITS)
					line_find_unit(&r, addresses[i], &unit);
				else if (kind == LINE_ROWS &&
					 line_find_row(&r, addresses[i], &place))
					CHECK(strlen(place.file) < 5, "text inside");
				else if (kind == LINE_INLINES || kind == LINE_NAMES)
					line_find_inlines(&r, addresses[i], frames, 2);
			}
		}
		free(r.bytes);
	}
	CHECK(passed > 1000, "%zu passed", passed);
}

TEST(truncated)
{
	static const struct line_row rows[] = { { 16, "file", 1 }, { 17, "other", 2 } };
	struct line_record r;

	line_record_rows(rows, 2, &r);
	for (size_t size = 0; size < r.size; size++)
		CHECK(!line_record_check(LINE_ROWS, r.bytes, size), "%zu bytes", size);
	r.bytes[r.size - 1] = 'x';
	CHECK(!line_record_check(LINE_ROWS, r.bytes, r.size), "text without its end");
	line_record_free(&r);
}

TEST_MAIN()
