// SPDX-License-Identifier: GPL-2.0-or-later
/* cpuprofile_write.c - Google CPU profiles written as the strictest reader wants them */
#include <ctype.h>

#include "tests/unit/formats/cpuprofile_bytes.h"

/* What gperftools holds against files in its own tests, plainly. */
static const char *strict_complaint(const struct strbuf *file)
{
	struct cpuprofile_words words = LE64;
	size_t at = 5 * 8, nr = file->len / 8;
	const unsigned char *bytes = (const unsigned char *)file->text;

#define SLOT(i) cpuprofile_get(bytes + (i) * 8, words)
	if (nr < 8 || SLOT(0) || SLOT(1) != 3 || SLOT(2) || !SLOT(3) || SLOT(4))
		return "header";
	for (at = 5; at + 2 < nr; at += 2 + SLOT(at + 1)) {
		if (!SLOT(at))
			break;
		if (!SLOT(at + 1) || SLOT(at + 1) > nr - at - 2)
			return "number of addresses";
		for (size_t i = 0; i < SLOT(at + 1); i++)
			if (!SLOT(at + 2 + i))
				return "an address is 0";
	}
	if (at + 2 >= nr || SLOT(at) != 0 || SLOT(at + 1) != 1 || SLOT(at + 2) != 0)
		return "trailer";
#undef SLOT
	bytes += (at + 3) * 8;
	if (!*bytes || file->text[file->len - 1] != '\n')
		return "the text is empty, or its end missing";
	for (const char *line = (const char *)bytes; *line; line = strchr(line, '\n') + 1)
		if (!isxdigit((unsigned char)*line) && strncmp(line, "build=", 6))
			return "a line of another kind";
	return NULL;
}

static uint32_t add_image(struct profile *p, const char *path, uint64_t start, const char *id)
{
	struct profile_image image = {
		.path = profile_string(p, path), .build_id = profile_string(p, id),
		.start = start, .limit = start + 0x1000,
	};

	return profile_add_image(p, &image);
}

static struct profile *new_profile(const char *unit, uint64_t period)
{
	struct profile *p = profile_new();
	struct profile_event event = { .name = profile_string(p, "cpu"),
				       .unit = profile_string(p, unit), .period = period };

	profile_add_event(p, &event);
	return p;
}

static uint32_t stack(struct profile *p, uint64_t leaf, uint64_t caller)
{
	uint32_t places[] = { profile_place(p, 0, leaf, NULL, 0),
			      profile_place(p, 0, caller, NULL, 0) };

	return profile_stack(p, places, 2);
}

static uint32_t label(struct profile *p, const char *key, int64_t number)
{
	struct profile_label l = { .key = profile_string(p, key), .number = number };

	return profile_label_set(p, &l, 1);
}

/* What is read back from @file. */
static struct profile *read_back(const struct strbuf *file)
{
	struct made m = { .words = LE64, .bytes = *file };

	return read_made(&m, "strict");
}

TEST(files_survive_reading_and_writing)
{
	static const char *const files[] = { "cppbench.cpu", "go.crc32.cpu" };
	static const int64_t totals[] = { 712, 211 };
	static const uint32_t stacks[] = { 50, 7 };
	const char *testbed = getenv("OPROFILE_TESTBED");

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char path[4096], *text;
		struct strbuf out;
		struct profile *p = NULL;
		struct op_error e;
		size_t size;

		snprintf(path, sizeof(path), "%s/corpus/%s", testbed ? testbed : "../shared",
			 files[i]);
		if (file_read_all(path, 1 << 20, &text, &size))
			SKIP("no CPU profiles of other tools in OPROFILE_TESTBED/corpus");
		CHECK(!read_bytes(text, size, "strict", &p, &e), "%s", e.text);
		CHECK(profile_total(p, 0) == totals[i], "%lld", (long long)profile_total(p, 0));
		out = write_profile(p, NULL);
		CHECK(out.len == size && !memcmp(out.text, text, size), "%s", files[i]);
		CHECK(!warned.len, "%s", warned.text);
		profile_merge_samples(p);
		CHECK(p->nr_samples == stacks[i], "%u stacks", p->nr_samples);
		strbuf_free(&out);
		profile_free(p);
		free(text);
	}
}

TEST(written_files_pass_the_strictest_reader)
{
	struct profile *p = new_profile("nanoseconds", 1000000), *back;
	struct strbuf out, again;

	add_image(p, "/bin/prog", 0x400000, "");
	p->images[add_image(p, "/lib/liba.so.1", 0x500000, "abcd1234")].offset = 0x2000;
	add_image(p, "/lib/b.so", 0x600000, "abcd5678");
	add_image(p, "/opt/my app\n", 0x700000, "abcd9999");
	profile_add_sample(p, stack(p, 0x400010, 0x600010), 0)[0] = 3;
	profile_add_sample(p, stack(p, 0x500010, 0x700010), 0)[0] = 4;
	out = write_profile(p, "");
	CHECK(!strict_complaint(&out), "%s", strict_complaint(&out));
	CHECK(!warned.len, "%s", warned.text);
	back = read_back(&out);
	CHECK(back->events[0].period == 1000000, "period");
	CHECK(profile_total(back, 0) == 7, "%lld", (long long)profile_total(back, 0));
	CHECK(back->nr_images == 4, "%u", back->nr_images);
	for (uint32_t i = 0; i < 4 && back->nr_images == 4; i++) {
		const struct profile_image *a = &p->images[i], *b = &back->images[i];
		bool has_id = i == 1 || i == 2;	/* not if the path has a blank */

		CHECK(!strcmp(profile_text(p, a->path), profile_text(back, b->path)), "%s",
		      profile_text(back, b->path));
		CHECK(a->start == b->start && a->limit == b->limit && a->offset == b->offset,
		      "image %u", i);
		CHECK(!strcmp(has_id ? profile_text(p, a->build_id) : "",
			      profile_text(back, b->build_id)), "build ID %u", i);
	}
	again = write_profile(back, "");
	CHECK(out.len == again.len && !memcmp(out.text, again.text, out.len), "written again");
	strbuf_free(&out);
	strbuf_free(&again);
	profile_free(back);
	profile_free(p);
}

TEST(address_0_is_never_written)
{
	struct profile *p = new_profile("nanoseconds", 1000000), *back;
	uint32_t named, cut[2];
	struct profile_function f = { .name = profile_string(p, "[cut at the depth asked for]") };
	struct profile_line line = { .function = profile_function(p, &f) };
	struct strbuf out;

	add_image(p, "/bin/prog", 0x400000, "");
	named = profile_place(p, PROFILE_NONE, 0, &line, 1);
	cut[0] = profile_place(p, 0, 0x400010, NULL, 0);
	cut[1] = named;
	profile_add_sample(p, profile_stack(p, cut, 2), 0)[0] = 2;
	profile_add_sample(p, profile_node(p, PROFILE_NONE, named), 0)[0] = 30;
	profile_add_sample(p, stack(p, 0, 0x400020), 0)[0] = 10;
	profile_add_sample(p, stack(p, 0x400030, 0), 0)[0] = 5;
	profile_add_sample(p, PROFILE_NONE, 0)[0] = 1;
	profile_add_sample(p, stack(p, 0x400030, 0x400040), 0)[0] = -1;
	profile_add_sample(p, stack(p, 0x400030, 0x400040), 0)[0] = 0;
	out = write_profile(p, "");
	CHECK(strstr(warned.text, "skipped 41 samples without an address"), "%s", warned.text);
	CHECK(strstr(warned.text, "skipped 1 callers"), "the mark does not count: %s", warned.text);
	CHECK(strstr(warned.text, "skipped 1 samples with negative counts"), "%s",
	      warned.text);
	CHECK(!strict_complaint(&out), "%s", strict_complaint(&out));
	back = read_back(&out);
	CHECK(profile_total(back, 0) == 7, "%lld", (long long)profile_total(back, 0));
	strbuf_free(&out);
	profile_free(back);
	profile_free(p);
}

TEST(samples_that_differ_in_labels_are_one_record)
{
	struct profile *p = new_profile("nanoseconds", 1000000), *back;
	struct strbuf out;

	add_image(p, "/bin/prog", 0x400000, "");
	add_image(p, "/bin/other", 0x800000, "");
	for (int i = 0; i < 10; i++)
		profile_add_sample(p, stack(p, 0x400010 + i % 2, 0x400020),
				   label(p, "pid", i % 5))[0] = 1;
	out = write_profile(p, "");
	back = read_back(&out);
	CHECK(back->nr_samples == 2 && profile_total(back, 0) == 10, "%u", back->nr_samples);
	CHECK(back->nr_images == 2, "all images");
	strbuf_free(&out);
	profile_free(back);
	out = write_profile(p, "3");
	back = read_back(&out);
	CHECK(back->nr_samples == 2 && profile_total(back, 0) == 2, "one process");
	CHECK(back->nr_images == 1, "only its images");
	strbuf_free(&out);
	profile_free(back);
	profile_free(p);
}

TEST(periods_are_converted_to_microseconds)
{
	static const struct {
		const char *unit;
		uint64_t period, us;
		int64_t count;		/* of a value of 5000 */
		const char *warning;
	} cases[] = {
		{ "nanoseconds", 10000000, 10000, 5000, "" },
		{ "nanoseconds", 1234567, 1235, 5000, "1234567 ns to 1235" },
		{ "nanoseconds", 3, 1, 5000, "3 ns to 1" },
		{ "microseconds", 20, 20, 5000, "" },
		{ "milliseconds", 4, 4000, 5000, "" },
		{ "nanoseconds", 0, 1, 5, "" },
		{ "milliseconds", 0, 1000, 5000, "" },
		{ "count", 100000, 1, 5000, "event 'cpu' does not count time" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile *p = new_profile(cases[i].unit, cases[i].period), *back;
		struct strbuf out;

		add_image(p, "/bin/prog", 0x400000, "");
		profile_add_sample(p, stack(p, 0x400010, 0x400020), 0)[0] = 5000;
		out = write_profile(p, "");
		CHECK(!*cases[i].warning == !warned.len && strstr(warned.text, cases[i].warning),
		      "case %zu: %s", i, warned.text);
		back = read_back(&out);
		CHECK(back->events[0].period == cases[i].us * 1000, "case %zu: %llu", i,
		      (unsigned long long)back->events[0].period);
		CHECK(profile_total(back, 0) == cases[i].count, "case %zu", i);
		strbuf_free(&out);
		profile_free(back);
		profile_free(p);
	}
}

/* Lost samples are a frame that other readers see, and comments are read again. */
TEST(lost_samples_are_in_the_total)
{
	for (int low = 0; low < 2; low++) {
		struct profile *p = new_profile("nanoseconds", 1000000), *again;
		struct strbuf file, second;
		uint32_t place;

		add_image(p, "/a", low ? 0x1000 : 0x400000, "");
		profile_add_sample(p, stack(p, low ? 0x1100 : 0x400100, low ? 0x1200 : 0x400200),
				   0)[0] = 5;
		profile_add_lost(p, 0, 0, 5);
		CHECK(p->nr_samples == 1 && !p->nr_comments, "none");
		profile_add_lost(p, 0, 3, 8);
		file = write_profile(p, "");
		CHECK(!strict_complaint(&file), "%s", strict_complaint(&file));
		again = read_back(&file);
		CHECK(profile_total(again, 0) == 8, "%lld", (long long)profile_total(again, 0));
		CHECK(again->nr_comments == 1 && !strncmp(profile_text(again, again->comments[0]),
							  "lost 3 of 8 samples", 19), "comment");
		place = again->tree.nodes[again->samples[1].node].key;
		CHECK(!strcmp(profile_text(again, again->images[again->places[place].image].path),
			      "[lost]"), "image");
		CHECK(again->places[place].address != 0x1100, "a place of its own");
		second = write_profile(again, "");
		CHECK(second.len == file.len && !memcmp(second.text, file.text, file.len), "again");
		strbuf_free(&second);
		strbuf_free(&file);
		profile_free(again);
		profile_free(p);
	}
}

TEST(java_profiles_stay_java_profiles)
{
	MADE m = make_bytes(LE64);
	struct profile *p, *back;
	struct strbuf out;

	WORDS(&m, 0, 3, 1, 10000, 0, 5, 2, 4, 5, TRAILER);
	strbuf_add(&m.bytes, "0x4 run (Loop.java:17)\n0x5 native (lib.so)\n");
	p = read_made(&m, "strict");
	out = write_profile(p, "");
	CHECK(out.len == m.bytes.len && !memcmp(out.text, m.bytes.text, out.len), "unchanged");
	strbuf_free(&out);
	p->maps_text = 0;	/* as from another format */
	out = write_profile(p, "");
	back = read_back(&out);
	CHECK(back->symbolic_addresses && back->nr_functions == 2, "names are written, too");
	CHECK(memmem(out.text, out.len, "0x4 run (Loop.java:17)\n", 23), "and lines");
	strbuf_free(&out);
	profile_free(back);
	profile_free(p);
}

TEST(a_text_that_others_refuse_is_rewritten)
{
	MADE m = make_usual(LE64);
	struct profile *p;
	struct strbuf out;

	strbuf_add(&m.bytes, "what is this?\n");
	p = read_made(&m, "strict");
	out = write_profile(p, "");
	CHECK(!strict_complaint(&out), "%s", strict_complaint(&out));
	CHECK(strstr(out.text + out.len - 100, "/lib/libx.so.1"), "%s", out.text + out.len - 100);
	strbuf_free(&out);
	profile_free(p);
}

TEST_MAIN()
