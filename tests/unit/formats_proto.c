// SPDX-License-Identifier: GPL-2.0-or-later
/* formats_proto.c - profile.proto written and read: nothing gets lost, nothing broken gets in */
#include <errno.h>
#include <sys/resource.h>

#include "all_formats.h"
#include "profile_gunzip.h"
#include "profile_print.h"
#include "proto_encode.h"
#include "proto_wire.h"
#include "tap.h"
#include "xalloc.h"

static char warned[1000];

static void keep_warning(void *context, const char *text)
{
	(void)context;
	snprintf(warned + strlen(warned), sizeof(warned) - strlen(warned), "%s\n", text);
}

static const struct format_warnings warnings = { keep_warning, NULL };

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

TEST(all_that_a_profile_can_hold)
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

TEST(an_event_needs_no_comment_where_the_columns_tell_it)
{
	struct profile *p = with_event("cpu", "nanoseconds", 10000000);
	struct bytes b;

	add_sample(p, 17, 0);
	add_sample(p, 4, 0);
	b = written(p);
	CHECK(!has_text(b, "event:"), "no comment");
	free(b.bytes);
	check_round_trip(p);
	/* without a sample the period alone tells it */
	check_round_trip(with_event("cpu", "nanoseconds", 10000000));
	check_round_trip(with_event("cpu", "nanoseconds", 0));
}

TEST(events_that_differ_in_mask_or_period_only)
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
	/* their names are told by the comments */
	p->values[2] = 2;
	p->values[3] = 5;
	p->values[4] = 11;
	p->values[5] = 1;
	check_round_trip(p);
}

TEST(amounts_stay_amounts)
{
	struct profile *p = with_event("samples", "count", 0);

	/* it looks like an event with a period of 1000, and is not */
	add_event(p, "bytes", 0, 0);
	add_sample(p, 3, 3000);
	add_sample(p, -1, -1000);
	check_round_trip(p);
	p = with_event("alloc_objects", "count", 0);
	add_event(p, "alloc_space", 0, 0);
	add_sample(p, 3, 3000);
	check_round_trip(p);
}

TEST(values_beyond_64_bits_are_said)
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

TEST(names_that_are_no_utf8_are_repaired)
{
	struct profile *p = with_event("cpu", "nanoseconds", 1), *again;
	struct bytes b;

	profile_comment(p, "a\xff" "b\xc3");
	b = written(p);
	CHECK(strstr(warned, "1 names"), "%s", warned);
	again = read_back(b);
	CHECK(!strcmp(profile_text(again, again->comments[0]), "a\xef\xbf\xbd" "b\xef\xbf\xbd"),
	      "%s", profile_text(again, again->comments[0]));
	free(b.bytes);
	profile_free(again);
	profile_free(p);
}

/* Files made by hand: */

static void put_type(struct proto_buffer *b, uint64_t type, uint64_t unit)
{
	struct proto_buffer m = { NULL, 0, 0 };

	proto_put_number(&m, VALUE_TYPE_TYPE, type);
	proto_put_number(&m, VALUE_TYPE_UNIT, unit);
	proto_put_buffer(b, TOP_SAMPLE_TYPE, &m);
	proto_buffer_free(&m);
}

static void put_strings(struct proto_buffer *b)
{
	static const char *const strings[] = {
		"", "samples", "count", "cpu", "nanoseconds", "key",
	};

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		proto_put_bytes(b, TOP_STRING_TABLE, strings[i], strlen(strings[i]));
}

/* Two columns, locations 7 and 3; what comes behind is the test's. */
static struct proto_buffer started(void)
{
	struct proto_buffer b = { NULL, 0, 0 }, m = { NULL, 0, 0 };

	put_type(&b, 1, 2);
	put_type(&b, 3, 4);
	for (uint64_t id = 7; id; id = id == 7 ? 3 : 0) {
		proto_put_number(&m, LOCATION_ID, id);
		proto_put_number(&m, LOCATION_ADDRESS, id * 16);
		proto_put_buffer(&b, TOP_LOCATION, &m);
	}
	proto_buffer_free(&m);
	return b;
}

static struct profile *read_made(struct proto_buffer *b, bool strict, int *ret_err,
				 struct op_error *e)
{
	struct format_read_options options = { .warnings = &warnings, .strict = strict };
	struct profile *p = profile_new();
	/* of its own, so that a checker sees what reaches past the end */
	unsigned char *bytes = xmalloc(b->len + 1);

	if (b->len)
		memcpy(bytes, b->bytes, b->len);
	e->text[0] = '\0';
	*ret_err = format_pprof.read(bytes, b->len, &options, p, e);
	free(bytes);
	proto_buffer_free(b);
	return p;
}

/* One number of a list in a field of its own. */
static void put_single(struct proto_buffer *m, uint32_t field, uint64_t n)
{
	proto_put_varint(m, field << PROTO_WIRE_BITS | PROTO_VARINT);
	proto_put_varint(m, n);
}

TEST(lists_packed_or_not_ids_in_any_order_strings_last)
{
	struct proto_buffer b = started(), m = { NULL, 0, 0 }, list = { NULL, 0, 0 };
	struct op_error e;
	struct profile *p;
	char *text;
	int err;

	put_single(&m, SAMPLE_LOCATION_ID, 3);
	put_single(&m, SAMPLE_LOCATION_ID, 7);
	put_single(&m, SAMPLE_VALUE, 2);
	put_single(&m, SAMPLE_VALUE, 20);
	proto_put_buffer(&b, TOP_SAMPLE, &m);
	proto_put_varint(&list, 7);
	proto_put_buffer(&m, SAMPLE_LOCATION_ID, &list);
	put_single(&m, SAMPLE_LOCATION_ID, 3);
	proto_put_varint(&list, 3);
	proto_put_varint(&list, 30);
	proto_put_buffer(&m, SAMPLE_VALUE, &list);
	proto_put_buffer(&b, TOP_SAMPLE, &m);
	/* unknown fields of every kind */
	proto_put_bytes(&b, 99, "unknown", 7);
	proto_put_varint(&b, 98 << PROTO_WIRE_BITS | PROTO_FIXED64);
	proto_put_bytes(&b, 0, "123456", 6);
	proto_put_varint(&b, 97 << PROTO_WIRE_BITS | PROTO_FIXED32);
	proto_put_bytes(&b, 0, "12", 2);
	put_single(&b, 96, UINT64_MAX);
	put_strings(&b);
	p = read_made(&b, true, &err, &e);
	CHECK(!err, "%s", e.text);
	text = profile_printed(p);
	CHECK(!strcmp(text, "type samples/count\ntype cpu/nanoseconds\ntime 0 0\n"
		      "sample 2 20 | | 0x30@[] 0x70@[]\nsample 3 30 | | 0x70@[] 0x30@[]\n"), "%s",
	      text);
	CHECK(p->nr_events == 1 && p->events[0].period == 10, "the rows show the period");
	free(text);
	proto_buffer_free(&m);
	proto_buffer_free(&list);
	profile_free(p);
}

static void put_sample(struct proto_buffer *b, uint64_t location, uint64_t x, uint64_t y)
{
	struct proto_buffer m = { NULL, 0, 0 };

	put_single(&m, SAMPLE_LOCATION_ID, location);
	put_single(&m, SAMPLE_VALUE, x);
	put_single(&m, SAMPLE_VALUE, y);
	proto_put_buffer(b, TOP_SAMPLE, &m);
	proto_buffer_free(&m);
}

TEST(no_constant_period_gives_two_events)
{
	struct proto_buffer b = started();
	struct op_error e;
	struct profile *p;
	int err;

	put_sample(&b, 3, 2, 20);
	put_sample(&b, 3, 2, 21);
	put_strings(&b);
	p = read_made(&b, true, &err, &e);
	CHECK(!err, "%s", e.text);
	CHECK(p->nr_events == 2 && !p->events[0].period && !p->events[1].period, "amounts");
	CHECK(profile_total(p, 1) == 41, "%lld", (long long)profile_total(p, 1));
	profile_free(p);
}

static void check_refused(struct proto_buffer *b, const char *why)
{
	struct op_error e;
	struct profile *p;
	int err;

	p = read_made(b, true, &err, &e);
	CHECK(err == -EPROTO, "error %d", err);
	CHECK(strstr(e.text, why), "'%s' does not say '%s'", e.text, why);
	CHECK(!strncmp(e.text, "offset ", 7) && strstr(e.text, " [PP-"), "'%s': no place, or no "
	      "rule", e.text);
	profile_free(p);
}

TEST(references_to_nothing_are_refused)
{
	struct proto_buffer b = started();

	put_strings(&b);
	put_sample(&b, 4, 1, 1);
	check_refused(&b, "a sample is at location 4, which is not there [PP-21]");

	b = started();
	put_strings(&b);
	proto_put_bytes(&b, TOP_LOCATION, "\x08\x01\x10\x05", 4);
	check_refused(&b, "location 1 is in mapping 5, which is not there [PP-21]");

	b = started();
	put_strings(&b);
	proto_put_bytes(&b, TOP_LOCATION, "\x08\x01\x22\x02\x08\x09", 6);
	check_refused(&b, "a line is of function 9, which is not there [PP-21]");

	b = started();
	put_strings(&b);
	proto_put_bytes(&b, TOP_FUNCTION, "\x08\x01\x10\x06", 4);
	check_refused(&b, "there is no string 6, the table has 6 [PP-22]");

	b = started();
	put_strings(&b);
	put_type(&b, UINT64_MAX, 1);
	check_refused(&b, "there is no string 18446744073709551615");

	b = started();
	check_refused(&b, "there is no string 1, the table has 0");
}

TEST(broken_rules_are_refused_with_their_place)
{
	struct proto_buffer b = { NULL, 0, 0 };

	check_refused(&b, "offset 0: it ends, and there was no sample_type [PP-23]");

	b = started();
	put_strings(&b);
	proto_put_bytes(&b, TOP_SAMPLE, "\x12\x01\x01", 3);
	check_refused(&b, "offset 65: a sample has 1 values, and there are 2 sample types [PP-23]");

	b = started();
	put_strings(&b);
	proto_put_bytes(&b, TOP_LOCATION, "\x08\x07", 2);
	check_refused(&b, "a second location has id 7 [PP-21]");

	b = started();
	put_strings(&b);
	proto_put_bytes(&b, TOP_MAPPING, "", 0);
	check_refused(&b, "a mapping has id 0, which means none [PP-21]");

	b = started();
	proto_put_bytes(&b, TOP_STRING_TABLE, "x", 1);
	check_refused(&b, "the first string has to be empty [PP-22]");

	b = started();
	put_strings(&b);
	proto_put_number(&b, TOP_TIME_NANOS, 1);
	proto_put_number(&b, TOP_TIME_NANOS, 1);
	check_refused(&b, "one behind the other [PP-23]");

	b = started();
	put_strings(&b);
	proto_put_number(&b, TOP_SAMPLE, 1);
	check_refused(&b, "sample has to be of kind 2, and is of kind 0 [PP-18]");

	b = started();
	put_strings(&b);
	proto_put_varint(&b, 50 << PROTO_WIRE_BITS | 3);
	check_refused(&b, "of the unknown kind 3 [PP-18]");

	b = started();
	put_strings(&b);
	proto_put_varint(&b, 0);
	check_refused(&b, "offset 65: no field of profile.proto begins so [PP-18]");
}

TEST(bytes_that_are_no_fields)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *why;
	} cases[] = {
		{ "\x50", 1, "offset 0: a number is cut off [PP-18]" },
		{ "\x50\x80", 2, "offset 0: a number is cut off [PP-18]" },
		{ "\x50\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12,
		  "offset 0: a number is longer than 64 bits [PP-18]" },
		{ "\x50\x01\x32\x05" "abc", 7,
		  "offset 2: field 6 is 5 bytes long, 3 are there [PP-18]" },
		{ "\x51" "1234567", 8, "offset 0: field 10 is cut off [PP-18]" },
		{ "\x55" "123", 4, "offset 0: field 10 is cut off [PP-18]" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct proto_buffer b = { xmalloc(cases[i].size), cases[i].size, cases[i].size };

		memcpy(b.bytes, cases[i].bytes, b.len);
		check_refused(&b, cases[i].why);
	}
}

TEST(too_many_sample_types)
{
	struct proto_buffer b = { NULL, 0, 0 };

	put_strings(&b);
	for (int i = 0; i < 257; i++)
		put_type(&b, 1, 2);
	check_refused(&b, "there are more than 256 sample types [PP-23]");
}

/* Samples come first and names last: counts and chains are kept without them. [PP-25] */
TEST(salvage_of_cut_files)
{
	struct format_read_options options = { .warnings = &warnings, .salvage = true };
	struct profile *p = profile_made(), *cut;
	struct bytes whole = written(p);
	size_t size, kept = 0;

	for (size = 0; size < whole.size; size++) {
		unsigned char *bytes = xmalloc(size + 1);
		struct op_error e = { "" };

		memcpy(bytes, whole.bytes, size);
		cut = profile_new();
		warned[0] = '\0';
		if (!format_pprof.read(bytes, size, &options, cut, &e)) {
			kept++;
			CHECK(cut->nr_samples <= p->nr_samples && cut->nr_events, "%zu", size);
		} else {
			CHECK(strstr(e.text, "no sample_type [PP-23]"), "%zu: %s", size, e.text);
		}
		profile_free(cut);
		free(bytes);
	}
	CHECK(kept > whole.size - 20, "%zu of %zu cut files kept something", kept, whole.size);
	/* behind the samples and before the strings */
	size = (size_t)((unsigned char *)memmem(whole.bytes, whole.size, "samples", 7) -
			whole.bytes);
	cut = profile_new();
	warned[0] = '\0';
	CHECK(!format_pprof.read(whole.bytes, size, &options, cut, NULL), "cut");
	CHECK(cut->nr_samples == p->nr_samples, "%u samples", cut->nr_samples);
	CHECK(strstr(warned, "kept what is whole before that [PP-25]") &&
	      strstr(warned, "are taken for unknown names and places [PP-25]"), "%s", warned);
	profile_free(cut);
	profile_free(p);
	free(whole.bytes);
}

/* Cut anywhere: refused, or what is left is a profile by itself; never more. */
TEST(cut_files)
{
	struct profile *p = profile_made(), *cut;
	struct bytes whole = written(p);
	unsigned int whole_ones = 0;

	for (size_t size = 0; size < whole.size; size++) {
		struct proto_buffer b = { xmalloc(size + 1), size, size + 1 };
		struct op_error e;
		int err;

		memcpy(b.bytes, whole.bytes, size);
		cut = read_made(&b, true, &err, &e);
		CHECK(!err || err == -EPROTO, "%zu: %d", size, err);
		CHECK(err || (cut->nr_samples == p->nr_samples && cut->nr_nodes == p->nr_nodes),
		      "%zu: accepted, and not whole", size);
		whole_ones += !err;
		profile_free(cut);
	}
	CHECK(whole_ones > 1 && whole_ones < 12, "only times and comments may be missing: %u",
	      whole_ones);
	free(whole.bytes);
	profile_free(p);
}

TEST(doubts_are_warned_of_or_refused)
{
	/* NUL in a string, a line number beyond 32 bits, a label without key */
	for (int strict = 0; strict < 2; strict++) {
		struct proto_buffer b = started();
		struct op_error e;
		struct profile *p;
		int err;

		put_strings(&b);
		proto_put_bytes(&b, TOP_STRING_TABLE, "a\0b", 3);
		proto_put_bytes(&b, TOP_FUNCTION, "\x08\x01\x28\x80\x80\x80\x80\x7f", 8);
		proto_put_bytes(&b, TOP_SAMPLE, "\x12\x02\x01\x0a\x1a\x02\x18\x05", 8);
		warned[0] = '\0';
		p = read_made(&b, strict, &err, &e);
		CHECK(strict ? err == -EPROTO : !err, "%d %s", err, e.text);
		CHECK(strict || (strstr(warned, "NUL") && strstr(warned, "[PP-22]") &&
				 strstr(warned, "is no line") && strstr(warned, "[PP-24]") &&
				 strstr(warned, "no key")), "%s", warned);
		profile_free(p);
	}
}

TEST(chains_beyond_the_limit_lose_their_outermost_frames)
{
	for (int strict = 0; strict < 2; strict++) {
		struct proto_buffer b = started(), m = { NULL, 0, 0 }, list = { NULL, 0, 0 };
		struct op_error e;
		struct profile *p;
		int err;

		put_strings(&b);
		for (int i = 0; i < PROFILE_FRAMES_MAX; i++)
			proto_put_varint(&list, 3);
		proto_put_varint(&list, 7);
		proto_put_buffer(&m, SAMPLE_LOCATION_ID, &list);
		put_single(&m, SAMPLE_VALUE, 1);
		put_single(&m, SAMPLE_VALUE, 1);
		proto_put_buffer(&b, TOP_SAMPLE, &m);
		warned[0] = '\0';
		p = read_made(&b, strict, &err, &e);
		CHECK(strict ? err == -EPROTO && strstr(e.text, "[PP-24]") : !err, "%s", e.text);
		CHECK(strict || (p->nr_nodes == PROFILE_FRAMES_MAX &&
				 strstr(warned, "loses the outermost [PP-24]")), "%s", warned);
		proto_buffer_free(&m);
		proto_buffer_free(&list);
		profile_free(p);
	}
}

/* As much as a small packed file may become [PF-7], all of it frames that no other chain has. */
TEST(hostile_chains_take_little_memory)
{
	struct proto_buffer b = { NULL, 0, 0 }, m = { NULL, 0, 0 }, list = { NULL, 0, 0 };
	struct rusage usage;
	struct op_error e;
	struct profile *p;
	int err;

	put_type(&b, 1, 2);
	put_strings(&b);
	for (uint64_t id = 1; id < 100; id++) {
		proto_put_number(&m, LOCATION_ID, id);
		proto_put_number(&m, LOCATION_ADDRESS, id);
		proto_put_buffer(&b, TOP_LOCATION, &m);
	}
	for (uint64_t root = 2; root < 33; root++) {
		for (int i = 0; i < PROFILE_FRAMES_MAX - 1; i++)
			proto_put_varint(&list, 1);
		proto_put_varint(&list, root);
		proto_put_buffer(&m, SAMPLE_LOCATION_ID, &list);
		put_single(&m, SAMPLE_VALUE, 1);
		proto_put_buffer(&b, TOP_SAMPLE, &m);
	}
	proto_buffer_free(&m);
	proto_buffer_free(&list);
	p = read_made(&b, true, &err, &e);
	CHECK(!err && p->nr_nodes == 31 * PROFILE_FRAMES_MAX, "%u nodes, %s", p->nr_nodes, e.text);
	getrusage(RUSAGE_SELF, &usage);
#ifndef __SANITIZE_ADDRESS__
	CHECK(usage.ru_maxrss < 72 * 1024, "%ld KiB", usage.ru_maxrss);	/* 4 MB are the test's */
#endif
	profile_free(p);
}

TEST_MAIN()
