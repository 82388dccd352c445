// SPDX-License-Identifier: GPL-2.0-or-later
/* cpuprofile.c - read Google CPU profiles: one file for each rule [GC-1..17] */
#include "tests/unit/formats/cpuprofile_bytes.h"

static uint64_t address(const struct profile *p, uint32_t sample, int frame)
{
	uint32_t node = p->samples[sample].node;

	while (frame--)
		node = p->tree.nodes[node].parent;
	return p->places[p->tree.nodes[node].key].address;
}

static const char *image(const struct profile *p, uint32_t sample)
{
	uint32_t id = p->places[p->tree.nodes[p->samples[sample].node].key].image;

	return id == PROFILE_NONE ? "none" : profile_text(p, p->images[id].path);
}

/* Check the profile of make_usual(), whatever its words. */
static void check_usual(const struct profile *p)
{
	CHECK(p->nr_events == 1 && p->events[0].period == 10000000, "10 ms");
	CHECK(p->nr_samples == 3 && profile_total(p, 0) == 14, "%lld of %u",
	      (long long)profile_total(p, 0), p->nr_samples);
	CHECK(profile_values(p, 1)[0] == 8, "the second");
	CHECK(address(p, 0, 0) == 0x400100, "the innermost address is its own");
	CHECK(address(p, 0, 1) == 0x400200, "a caller's is the call's");
	CHECK(address(p, 1, 2) == 0x400200, "and so is its");
	CHECK(p->tree.nodes[p->samples[0].node].parent ==
	      p->tree.nodes[p->tree.nodes[p->samples[1].node].parent].parent,
	      "stacks share callers");
	CHECK(!strcmp(image(p, 0), "/bin/prog"), "%s", image(p, 0));
	CHECK(!strcmp(image(p, 1), "/lib/libx.so.1"), "%s", image(p, 1));
	CHECK(!strcmp(image(p, 2), "/bin/prog"), "data is an image if asked for: %s", image(p, 2));
	CHECK(p->main_image == 0, "the program");
	CHECK(profile_offset(&p->images[1], 0x70000010) == 0x2010, "offset");
}

static const struct cpuprofile_words kinds[] = {
	{ 4, false }, { 4, true }, { 8, false }, { 8, true },
};

TEST(all_four_kinds_of_words)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		MADE m = make_usual(kinds[i]);
		struct profile *p = read_made(&m, "strict");
		struct strbuf out;

		CHECK(profile_format_detect((unsigned char *)m.bytes.text, m.bytes.len) ==
		      &format_cpuprofile, "known without being named");
		check_usual(p);
		CHECK(!warned.len, "%s", warned.text);
		out = write_profile(p, "");
		CHECK(out.len == m.bytes.len && !memcmp(out.text, m.bytes.text, out.len),
		      "written as it was read");
		strbuf_free(&out);
		profile_free(p);
	}
}

TEST(duplicate_stacks_are_one_after_merging)
{
	MADE m = make_bytes(LE64);
	struct profile *p;

	WORDS(&m, HEADER);
	add_records(&m);
	add_records(&m);
	WORDS(&m, TRAILER);
	p = read_made(&m, "strict");
	CHECK(p->nr_samples == 6 && profile_total(p, 0) == 28, "unchanged");
	profile_merge_samples(p);
	CHECK(p->nr_samples == 3 && profile_total(p, 0) == 28, "merged");
	profile_free(p);
}

TEST(a_longer_header_is_skipped)
{
	MADE m = make_bytes(LE64);
	struct profile *p;

	WORDS(&m, 0, 5, 0, 10000, 0, 77, 78);
	add_records(&m);
	WORDS(&m, TRAILER);
	p = read_made(&m, "strict");
	CHECK(profile_total(p, 0) == 14, "%lld", (long long)profile_total(p, 0));
	profile_free(p);
}

TEST(no_samples_is_a_profile)
{
	MADE m = make_bytes(LE64);
	struct profile *p;

	WORDS(&m, HEADER, TRAILER);
	p = read_made(&m, "strict");
	CHECK(!p->nr_samples && p->nr_events == 1, "none");
	profile_free(p);
}

TEST(invalid_headers_are_refused)
{
	static const struct {
		uint64_t header[5];
		const char *why;
	} cases[] = {
		{ { 1, 3, 0, 10000, 0 }, "not a CPU profile" },
		{ { 0, 0, 0, 10000, 0 }, "not a CPU profile" },
		{ { 0, 2, 0, 10000, 0 }, "got 2" },
		{ { 0, 3000, 0, 10000, 0 }, "truncated header" },
		{ { 0, 3, 2, 10000, 0 }, "unsupported version 2" },
		{ { 0, 3, 0, 0, 0 }, "period of 0" },
		{ { 0, 3, 0, UINT64_MAX, 0 }, "period of 18446744073709551615" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		MADE m = make_bytes(LE64);

		add_words(&m, cases[i].header, 5);
		add_records(&m);
		WORDS(&m, TRAILER);
		check_refused(&m, "", cases[i].why);
	}
}

/* Harmless faults give a warning, and an error with --strict. */
static void check_warned(const struct made *m, const char *why, int64_t total)
{
	struct profile *p = read_made(m, "");

	CHECK(profile_total(p, 0) == total, "%lld", (long long)profile_total(p, 0));
	CHECK(strstr(warned.text, why), "expected '%s', got '%s'", why, warned.text);
	profile_free(p);
	check_refused(m, "strict", why);
}

TEST(padding_is_warned_of)
{
	MADE m = make_bytes(LE64);

	WORDS(&m, 0, 3, 0, 10000, 1);
	add_records(&m);
	WORDS(&m, TRAILER);
	check_warned(&m, "offset 32: nonzero padding", 14);
}

TEST(a_zero_leaf_is_warned_of)
{
	MADE m = make_bytes(LE64);

	WORDS(&m, HEADER, 3, 2, 0, 0x400201);
	add_records(&m);
	WORDS(&m, TRAILER);
	check_warned(&m, "offset 56: record begins with address 0", 17);
}

TEST(a_zero_caller_is_warned_of)
{
	MADE m = make_bytes(LE64);
	struct profile *p;

	WORDS(&m, HEADER, 3, 2, 0x400100, 0, TRAILER);
	check_warned(&m, "offset 64: address of a caller is 0", 3);
	p = read_made(&m, "");
	CHECK(address(p, 0, 1) == 0, "0 stays 0");
	profile_free(p);
}

TEST(counts_of_zero_are_skipped)
{
	MADE m = make_bytes(LE64);
	struct profile *p;

	WORDS(&m, HEADER, 0, 2, 0x400100, 0x400201, 0, 1, 0x400100);
	add_records(&m);
	WORDS(&m, TRAILER);
	check_warned(&m, "offset 40: skipped a record with count 0", 14);
	p = read_made(&m, "");
	CHECK(p->nr_samples == 3 && strstr(warned.text, "(2 in all)"), "%s", warned.text);
	profile_free(p);
}

TEST(a_missing_trailer_is_warned_of)
{
	MADE m = make_bytes(LE64);

	WORDS(&m, HEADER);
	add_records(&m);
	check_warned(&m, "missing trailer", 14);
	strbuf_add(&m.bytes, MAPS);
	check_refused(&m, "", "truncated record: expected");
}

TEST(a_second_trailer_is_warned_of)
{
	MADE m = make_bytes(LE64);
	struct profile *p;

	WORDS(&m, HEADER);
	add_records(&m);
	WORDS(&m, TRAILER, TRAILER);
	strbuf_add(&m.bytes, MAPS);
	check_warned(&m, "ignored another trailer", 14);
	p = read_made(&m, "");
	check_usual(p);
	profile_free(p);
}

/* Bytes between the trailer and the text do not cost its first line, and are not passed over. */
TEST(junk_after_the_trailer)
{
	static const struct {
		const char *junk;
		size_t len;
		const char *path;
	} cases[] = {
		{ "\0\0\0\0\1\2\3\4", 8, "/b" }, { "junk\377", 5, "/b" }, { "xyz", 3, "/b" },
		{ "\0\1\n", 3, "/b" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		MADE m = make_bytes(LE64);
		struct profile *p;

		WORDS(&m, HEADER, 1, 1, 0x1000, TRAILER);
		strbuf_add_bytes(&m.bytes, cases[i].junk, cases[i].len);
		strbuf_add(&m.bytes, "build=/b\n1000-2000 r-xp 0 08:01 1 $build\n");
		check_refused(&m, "strict", "bytes between the trailer and the text");
		p = read_made(&m, "");
		CHECK(!strcmp(image(p, 0), cases[i].path), "%zu: %s", i, image(p, 0));
		CHECK(strstr(warned.text, "line 1: ignored"), "%s", warned.text);
		profile_free(p);
	}
}

/* A line of another kind without bytes that no text has is not junk. */
TEST(an_unknown_first_line)
{
	MADE m = make_bytes(LE64);
	struct profile *p;

	WORDS(&m, HEADER, 1, 1, 0x1000, TRAILER);
	strbuf_add(&m.bytes, "MAPPED_LIBRARIES:\t\303\244\n1000-2000 r-xp 0 08:01 1 /a\n");
	p = read_made(&m, "strict");
	CHECK(!strcmp(image(p, 0), "/a") && !warned.len, "%s", warned.text);
	profile_free(p);
}

/* The text behind a fault in the records is kept. */
TEST(salvaged_records_have_their_mappings)
{
	static const char text[] = "00001000-00002000 r-xp 00000000 08:01 1 /a\n";
	static const struct {
		uint64_t words[6];
		size_t nr;
		const char *lost;
	} cases[] = {
		{ { 1, 0, 0x1000, 0, 1, 0 }, 6, "lost 48 bytes" },	/* no address */
		{ { 1, UINT64_C(1) << 40, 0x1000, 0, 1, 0 }, 6, "lost 48 bytes" },
		{ { 1, 1, 0x1000 }, 3, "bytes between them" },		/* no trailer */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		MADE m = make_bytes(LE64);
		struct profile *p;

		WORDS(&m, HEADER, 7, 1, 0x1000);
		add_words(&m, cases[i].words, cases[i].nr);
		strbuf_add(&m.bytes, text);
		p = read_made(&m, "salvage");
		CHECK(profile_values(p, 0)[0] == 7 && !strcmp(image(p, 0), "/a"), "%zu: %s", i,
		      warned.text);
		CHECK(strstr(warned.text, "and the text") || i == 2, "%s", warned.text);
		CHECK(strstr(warned.text, cases[i].lost) || i == 2, "%s", warned.text);
		profile_free(p);
	}
}

TEST(invalid_records_are_refused)
{
	static const struct {
		uint64_t record[3];
		const char *why;
	} cases[] = {
		{ { 1, 0, 0x400100 }, "record without addresses" },
		{ { 1, UINT64_C(1) << 32, 0x400100 }, "4294967296 addresses" },
		{ { 1, UINT64_C(1) << 63, 0x400100 }, "9223372036854775808 addresses" },
		{ { 1, UINT64_MAX, 0x400100 }, "addresses" },
		{ { UINT64_C(1) << 63, 1, 0x400100 }, "count 9223372036854775808 is too large" },
		{ { INT64_MAX / 10000000 + 1, 1, 0x400100 }, "2^63" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		MADE m = make_bytes(LE64);
		struct profile *p;

		WORDS(&m, HEADER);
		add_records(&m);
		add_words(&m, cases[i].record, 3);
		WORDS(&m, TRAILER);
		check_refused(&m, "", cases[i].why);
		p = read_made(&m, "salvage");
		CHECK(p->nr_samples == 3, "records before are kept: %u", p->nr_samples);
		CHECK(strstr(warned.text, "kept the 3 records before it"), "%s", warned.text);
		profile_free(p);
	}
}

TEST(too_large_sums_of_counts_are_refused)
{
	MADE m = make_bytes(LE64);
	uint64_t half = INT64_MAX / 10000000 / 2 + 1;

	WORDS(&m, HEADER, half, 1, 0x400100, half, 1, 0x400100, TRAILER);
	check_refused(&m, "", "offset 64");
}

TEST(stacks_that_are_too_deep_are_refused)
{
	MADE m = make_bytes(LE64);

	WORDS(&m, HEADER, 1, PROFILE_FRAMES_MAX + 1);
	for (int i = 0; i <= PROFILE_FRAMES_MAX; i++)
		WORDS(&m, 0x400101);
	WORDS(&m, TRAILER);
	check_refused(&m, "", "at most 65536");
}

/* A truncated file is refused, or lacks its trailer; complete records can be salvaged. */
TEST(truncated_files)
{
	for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		MADE whole = make_usual(kinds[kind]);
		struct made m = whole;
		size_t slot = kinds[kind].size, records = 5 * slot;
		size_t trailer = whole.bytes.len - strlen(MAPS) - 3 * slot;

		for (m.bytes.len = 1; m.bytes.len < trailer + 3 * slot; m.bytes.len++) {
			size_t at = m.bytes.len / slot;
			bool border = at * slot == m.bytes.len &&
				      (at == 5 || at == 9 || at == 14 || at == 17);
			struct profile *p;

			if (border)
				check_warned(&m, "missing trailer", at == 5 ? 0 : at == 9 ? 5 :
					 at == 14 ? 13 : 14);
			else
				check_refused(&m, "", m.bytes.len < 2 * slot ? "header" :
					      "truncated");
			if (m.bytes.len < records)
				continue;
			p = read_made(&m, "salvage");
			CHECK(p->nr_samples == 0u + (at >= 17) + (at >= 14) + (at >= 9), "%zu: %u",
			      at, p->nr_samples);
			profile_free(p);
		}
	}
}

TEST(java_has_ids_and_names)
{
	MADE m = make_bytes(LE64);
	const struct profile_line *line;
	const struct profile_place *place;
	struct profile *p;

	WORDS(&m, 0, 3, 1, 10000, 0, 5, 2, 4, 5, TRAILER);
	strbuf_add(&m.bytes, "0x4 java.util.Loop.run (Loop.java:17)\n 0x5 native (lib.so)\nelse\n");
	p = read_made(&m, "strict");
	CHECK(p->symbolic_addresses, "ids");
	CHECK(address(p, 0, 0) == 4 && address(p, 0, 1) == 5, "unchanged");
	place = &p->places[p->tree.nodes[p->samples[0].node].key];
	CHECK(p->line_lists[place->lines].nr == 1, "named");
	line = &p->lines[p->line_lists[place->lines].first];
	CHECK(line->line == 17, "%u", line->line);
	CHECK(!strcmp(profile_text(p, p->functions[line->function].name), "java.util.Loop.run"),
	      "%s", profile_text(p, p->functions[line->function].name));
	CHECK(!strcmp(profile_text(p, p->functions[line->function].file), "Loop.java"), "file");
	profile_free(p);
}

/* 32 records, @others of which have another second frame. [GC-23] */
static void check_dropping(uint64_t others, uint32_t expected)
{
	MADE m = make_bytes(LE64);
	struct profile *p;

	WORDS(&m, HEADER);
	for (uint64_t i = 0; i < 32; i++)
		WORDS(&m, 1, 4, 0x400100 + i, i < others ? 0x500001 : 0x400201, 0x400301 + i,
		      0x400501);
	WORDS(&m, TRAILER);
	p = read_made(&m, "");
	CHECK(address(p, 31, 1) == 0x400200 && !warned.len, "kept by default");
	profile_free(p);
	p = read_made(&m, "drop-handler-frames");
	CHECK(address(p, 31, 0) == 0x40011f, "the first stays");
	CHECK(address(p, 31, 1) == expected, "second is %llx",
	      (unsigned long long)address(p, 31, 1));
	CHECK(!others || address(p, 0, 1) == 0x500000, "another second frame stays");
	CHECK(!!warned.len == (expected != 0x400200), "warned: %s", warned.text);
	profile_free(p);
}

TEST(frames_of_the_handler)
{
	check_dropping(0, 0x40031f);
	check_dropping(1, 0x40031f);
	check_dropping(2, 0x400200);
}

TEST(a_second_frame_that_repeats_the_first)
{
	MADE m = make_bytes(LE64);
	struct profile *p;

	WORDS(&m, HEADER, 1, 3, 0x400100, 0x400100, 0x400201, 1, 3, 0x400100, 0x400105, 0x400201);
	WORDS(&m, 1, 1, 0x400100, TRAILER);
	p = read_made(&m, "drop-handler-frames");
	CHECK(address(p, 0, 1) == 0x400200 && address(p, 1, 1) == 0x400104, "of one record");
	CHECK(strstr(warned.text, "of 1 records"), "%s", warned.text);
	profile_free(p);
}

TEST(symbolized_by_google_pprof)
{
	MADE m = make_bytes(LE64);
	const struct profile_place *place;
	struct profile *p;

	strbuf_add(&m.bytes, "--- symbol\nbinary=/bin/prog\n0x0000000000400100 inner--outer\n"
		   "0x0000000000400200 operator--\n---\n--- profile\n");
	WORDS(&m, HEADER, 5, 2, 0x400100, 0x400200, TRAILER);
	CHECK(format_cpuprofile.detect((unsigned char *)m.bytes.text, m.bytes.len), "known");
	p = read_made(&m, "strict");
	CHECK(address(p, 0, 1) == 0x400200, "addresses are those of calls already");
	place = &p->places[p->tree.nodes[p->samples[0].node].key];
	CHECK(p->line_lists[place->lines].nr == 2, "inlined: %u", p->line_lists[place->lines].nr);
	place = &p->places[p->tree.nodes[p->tree.nodes[p->samples[0].node].parent].key];
	CHECK(p->line_lists[place->lines].nr == 1 &&
	      !strcmp(profile_text(p, p->functions[p->lines[
		      p->line_lists[place->lines].first].function].name), "operator--"),
	      "dashes in the name");
	CHECK(!strcmp(profile_text(p, p->images[p->main_image].path), "/bin/prog"), "binary");
	profile_free(p);
}

TEST_MAIN()
