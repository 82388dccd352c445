// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto.c - profile.proto as we write it: read back nothing is lost, and of a file that is
 * cut what is whole
 */
#include <errno.h>

#include "formats/file/gunzip.h"
#include "tests/profile_print.h"
#include "tests/tap.h"
#include "tests/unit/formats/proto_made.h"

struct bytes {
	unsigned char *bytes;
	size_t size;
};

/* What is written, unpacked. */
static struct bytes written(const struct profile *p)
{
	struct format_write_options options = { .warnings = &warnings };
	struct format_read_options read_options = { .strict = true };
	struct op_error e = { "" };
	struct bytes packed, b = { NULL, 0 };
	char *text;
	FILE *out = open_memstream(&text, &packed.size);

	CHECK(!format_pprof.write(p, &options, out, &e), "write: %s", e.text);
	fclose(out);
	packed.bytes = (unsigned char *)text;
	CHECK(is_gzip(packed.bytes, packed.size), "packed");
	CHECK(!profile_gunzip(packed.bytes, packed.size, &read_options, &b.bytes, &b.size, &e),
	      "gunzip: %s", e.text);
	free(text);
	return b;
}

static struct profile *read_back(struct bytes b)
{
	struct format_read_options options = { .strict = true };
	struct profile *p = profile_new();
	struct op_error e = { "" };

	CHECK(format_pprof.detect(b.bytes, b.size), "detected");
	CHECK(!format_pprof.read(b.bytes, b.size, &options, p, &e), "read: %s", e.text);
	return p;
}

static void check_same(const struct profile *a, const struct profile *b)
{
	char *x = profile_printed(a), *y = profile_printed(b);

	CHECK(!strcmp(x, y), "is\n%s\nand was\n%s", y, x);
	free(x);
	free(y);
}

/* Write @p and read it, which gives the same; writing that gives the same bytes. Frees @p. */
static void check_round_trip(struct profile *p)
{
	struct bytes first = written(p), second;
	struct profile *again = read_back(first);

	check_same(p, again);
	CHECK(again->nr_events == p->nr_events, "%u events", again->nr_events);
	for (uint32_t i = 0; i < p->nr_events && i < again->nr_events; i++) {
		const struct profile_event *x = &p->events[i], *y = &again->events[i];

		CHECK(x->period == y->period && x->unit_mask == y->unit_mask, "event %u", i);
		CHECK(!strcmp(profile_text(p, x->name), profile_text(again, y->name)), "event %u",
		      i);
	}
	second = written(again);
	CHECK(first.size == second.size && !memcmp(first.bytes, second.bytes, first.size),
	      "the same bytes again");
	free(first.bytes);
	free(second.bytes);
	profile_free(again);
	profile_free(p);
}

TEST(everything_in_a_profile_survives)
{
	check_round_trip(profile_made());
}

static struct profile *with_event(const char *name, const char *unit, uint64_t period)
{
	struct profile *p = profile_new();
	struct profile_event e = { .period = period };

	e.name = profile_string(p, name);
	e.unit = profile_string(p, unit);
	profile_add_event(p, &e);
	return p;
}

static void add_event(struct profile *p, const char *name, uint64_t period, uint64_t unit_mask)
{
	struct profile_event e = { .period = period, .unit_mask = unit_mask };

	e.name = profile_string(p, name);
	e.unit = profile_string(p, "count");
	profile_add_event(p, &e);
}

static void add_sample(struct profile *p, int64_t first, int64_t second)
{
	uint32_t place = profile_place(p, PROFILE_NONE, 0x1000, NULL, 0);
	int64_t *values = profile_add_sample(p, profile_node(p, PROFILE_NONE, place), 0);

	values[0] = first;
	if (p->nr_events > 1)
		values[1] = second;
}

static bool has_text(struct bytes b, const char *text)
{
	return memmem(b.bytes, b.size, text, strlen(text)) != NULL;
}

TEST(no_comment_if_columns_are_enough)
{
	struct profile *p = with_event("cpu", "nanoseconds", 10000000);
	struct bytes b;

	add_sample(p, 17, 0);
	add_sample(p, 4, 0);
	b = written(p);
	CHECK(!has_text(b, "event:"), "no comment");
	free(b.bytes);
	check_round_trip(p);
	/* without a sample only the period shows it */
	check_round_trip(with_event("cpu", "nanoseconds", 10000000));
	check_round_trip(with_event("cpu", "nanoseconds", 0));
}

TEST(events_that_differ_only_in_mask_or_period)
{
	struct profile *p = with_event("LLC-MISSES", "count", 1000);
	struct bytes b;

	add_event(p, "LLC-MISSES", 1000, 0x41);
	add_event(p, "LLC-MISSES", 1000, 0x4f);
	add_event(p, "LLC_MISSES", 7, 0x4f);
	add_event(p, "samples", 0, 0);
	add_event(p, "", 3, 0);
	add_sample(p, 17, 3);
	b = written(p);
	CHECK(has_text(b, "LLC_MISSES:0x41") && has_text(b, "LLC_MISSES_2"), "columns differ");
	free(b.bytes);
	/* comments have their names */
	p->values[2] = 2;
	p->values[3] = 5;
	p->values[4] = 11;
	p->values[5] = 1;
	check_round_trip(p);
}

TEST(amounts_stay_amounts)
{
	struct profile *p = with_event("samples", "count", 0);

	/* looks like an event with a period of 1000, but is not */
	add_event(p, "bytes", 0, 0);
	add_sample(p, 3, 3000);
	add_sample(p, -1, -1000);
	check_round_trip(p);
	p = with_event("alloc_objects", "count", 0);
	add_event(p, "alloc_space", 0, 0);
	add_sample(p, 3, 3000);
	check_round_trip(p);
}

TEST(values_beyond_64_bits_are_warned_of)
{
	struct profile *p = with_event("cpu", "nanoseconds", UINT64_C(1) << 62), *again;
	struct bytes b;

	add_sample(p, 17, 0);
	b = written(p);
	CHECK(strstr(warned, "beyond 64 bits"), "%s", warned);
	again = read_back(b);
	CHECK(again->nr_events == 2 && again->values[1] == INT64_MAX, "no longer samples");
	free(b.bytes);
	profile_free(again);
	profile_free(p);
}

TEST(invalid_utf8_is_repaired)
{
	struct profile *p = with_event("cpu", "nanoseconds", 1), *again;
	struct bytes b;

	profile_comment(p, "a\xff" "b\xc3");
	b = written(p);
	CHECK(strstr(warned, "in 1 names"), "%s", warned);
	again = read_back(b);
	CHECK(!strcmp(profile_text(again, again->comments[0]), "a\xef\xbf\xbd" "b\xef\xbf\xbd"),
	      "%s", profile_text(again, again->comments[0]));
	free(b.bytes);
	profile_free(again);
	profile_free(p);
}

/* Samples come first and names last: counts and stacks are kept without them. [PP-25] */
TEST(salvage_of_truncated_files)
{
	struct format_read_options options = { .warnings = &warnings, .salvage = true };
	struct profile *p = profile_made(), *cut;
	struct bytes whole = written(p);
	struct op_error e = { "" };
	size_t size, kept = 0;

	for (size = 0; size < whole.size; size++) {
		unsigned char *bytes = xmalloc(size + 1);

		memcpy(bytes, whole.bytes, size);
		cut = profile_new();
		warned[0] = '\0';
		if (!format_pprof.read(bytes, size, &options, cut, &e)) {
			kept++;
			CHECK(cut->nr_samples <= p->nr_samples && cut->nr_events, "%zu", size);
		} else {
			CHECK(strstr(e.text, "no sample_type"), "%zu: %s", size, e.text);
		}
		profile_free(cut);
		free(bytes);
	}
	CHECK(kept > whole.size - 20, "%zu of %zu cut files kept something", kept, whole.size);
	/* after the samples and before the strings */
	size = (size_t)((unsigned char *)memmem(whole.bytes, whole.size, "samples", 7) -
			whole.bytes);
	cut = profile_new();
	warned[0] = '\0';
	CHECK(!format_pprof.read(whole.bytes, size, &options, cut, &e), "cut");
	CHECK(cut->nr_samples == p->nr_samples, "%u samples", cut->nr_samples);
	CHECK(strstr(warned, "; kept the complete fields before it") &&
	      strstr(warned, "treated as unknown names and places"), "%s", warned);
	profile_free(cut);
	profile_free(p);
	free(whole.bytes);
}

/* A truncated file is refused, unless only times and comments are missing. */
TEST(truncated_files)
{
	struct profile *p = profile_made(), *cut;
	struct bytes whole = written(p);
	unsigned int nr_accepted = 0;

	for (size_t size = 0; size < whole.size; size++) {
		struct proto_buffer b = { xmalloc(size + 1), size, size + 1 };
		struct op_error e;
		int err;

		memcpy(b.bytes, whole.bytes, size);
		cut = read_made(&b, true, &err, &e);
		CHECK(!err || err == -EPROTO, "%zu: %d", size, err);
		CHECK(err || (cut->nr_samples == p->nr_samples && cut->tree.nr == p->tree.nr),
		      "%zu: accepted, but incomplete", size);
		nr_accepted += !err;
		profile_free(cut);
	}
	CHECK(nr_accepted > 1 && nr_accepted < 12, "only times and comments may be missing: %u",
	      nr_accepted);
	free(whole.bytes);
	profile_free(p);
}

TEST_MAIN()
