// SPDX-License-Identifier: GPL-2.0-or-later
/* proto_made.c - profile.proto made by hand: all it may be, and nothing that is broken */
#include <errno.h>
#include <sys/resource.h>

#include "formats/proto/wire.h"
#include "tests/profile_print.h"
#include "tests/tap.h"
#include "tests/unit/formats/proto_made.h"

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

/* A number of a list, in a field of its own. */
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
	CHECK(strstr(e.text, why), "expected '%s', got '%s'", why, e.text);
	CHECK(!strncmp(e.text, "offset ", 7), "'%s': no offset", e.text);
	profile_free(p);
}

TEST(dangling_references_are_refused)
{
	struct proto_buffer b = started();

	put_strings(&b);
	put_sample(&b, 4, 1, 1);
	check_refused(&b, "unknown location 4 in a sample");

	b = started();
	put_strings(&b);
	proto_put_bytes(&b, TOP_LOCATION, "\x08\x01\x10\x05", 4);
	check_refused(&b, "unknown mapping 5 in location 1");

	b = started();
	put_strings(&b);
	proto_put_bytes(&b, TOP_LOCATION, "\x08\x01\x22\x02\x08\x09", 6);
	check_refused(&b, "unknown function 9 in a line");

	b = started();
	put_strings(&b);
	proto_put_bytes(&b, TOP_FUNCTION, "\x08\x01\x10\x06", 4);
	check_refused(&b, "string index 6 is out of range: the table has 6");

	b = started();
	put_strings(&b);
	put_type(&b, UINT64_MAX, 1);
	check_refused(&b, "string index 18446744073709551615 is out of range");

	b = started();
	check_refused(&b, "string index 1 is out of range: the table has 0");
}

TEST(errors_have_an_offset)
{
	struct proto_buffer b = { NULL, 0, 0 };

	check_refused(&b, "offset 0: no sample_type before the end of the file");

	b = started();
	put_strings(&b);
	proto_put_bytes(&b, TOP_SAMPLE, "\x12\x01\x01", 3);
	check_refused(&b, "offset 65: sample with 1 values: expected 2, one for each");

	b = started();
	put_strings(&b);
	proto_put_bytes(&b, TOP_LOCATION, "\x08\x07", 2);
	check_refused(&b, "duplicate location id 7");

	b = started();
	put_strings(&b);
	proto_put_bytes(&b, TOP_MAPPING, "", 0);
	check_refused(&b, "mapping with id 0");

	b = started();
	proto_put_bytes(&b, TOP_STRING_TABLE, "x", 1);
	check_refused(&b, "expected the first string to be empty");

	b = started();
	put_strings(&b);
	proto_put_number(&b, TOP_TIME_NANOS, 1);
	proto_put_number(&b, TOP_TIME_NANOS, 1);
	check_refused(&b, "duplicate time_nanos: the file contains several profiles");

	b = started();
	put_strings(&b);
	proto_put_number(&b, TOP_SAMPLE, 1);
	check_refused(&b, "sample: expected wire type 2, got 0");

	b = started();
	put_strings(&b);
	proto_put_varint(&b, 50 << PROTO_WIRE_BITS | 3);
	check_refused(&b, "field 50 has the unknown wire type 3");

	b = started();
	put_strings(&b);
	proto_put_varint(&b, 0);
	check_refused(&b, "offset 65: invalid field tag");
}

TEST(malformed_fields_are_refused)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *why;
	} cases[] = {
		{ "\x50", 1, "offset 0: truncated number" },
		{ "\x50\x80", 2, "offset 0: truncated number" },
		{ "\x50\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12,
		  "offset 0: number longer than 64 bits" },
		{ "\x50\x01\x32\x05" "abc", 7,
		  "offset 2: field 6 is truncated: expected 5 bytes, got 3" },
		{ "\x51" "1234567", 8, "offset 0: field 10 is truncated" },
		{ "\x55" "123", 4, "offset 0: field 10 is truncated" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct proto_buffer b = { xmalloc(cases[i].size), cases[i].size, cases[i].size };

		memcpy(b.bytes, cases[i].bytes, b.len);
		check_refused(&b, cases[i].why);
	}
}

TEST(too_many_sample_types_are_refused)
{
	struct proto_buffer b = { NULL, 0, 0 };

	put_strings(&b);
	for (int i = 0; i < 257; i++)
		put_type(&b, 1, 2);
	check_refused(&b, "more than 256 sample types");
}

TEST(harmless_faults_are_warned_of_or_refused)
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
		CHECK(strict || (strstr(warned, "string cut at a NUL byte") &&
				 strstr(warned, "invalid line number") &&
				 strstr(warned, "skipped a label without a key")), "%s", warned);
		profile_free(p);
	}
}

TEST(stacks_that_are_too_deep_are_truncated)
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
		CHECK(strict ? err == -EPROTO && strstr(e.text, "truncated a stack") : !err, "%s",
		      e.text);
		CHECK(strict || (p->tree.nr == PROFILE_FRAMES_MAX &&
				 strstr(warned, "truncated a stack")), "%s", warned);
		proto_buffer_free(&m);
		proto_buffer_free(&list);
		profile_free(p);
	}
}

/* The most that a small file may unpack to, and no two stacks share frames. [PF-7] */
TEST(hostile_stacks_take_little_memory)
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
	CHECK(!err && p->tree.nr == 31 * PROFILE_FRAMES_MAX, "%zu nodes, %s", p->tree.nr, e.text);
	getrusage(RUSAGE_SELF, &usage);
#ifndef __SANITIZE_ADDRESS__
	/* 4 MB of these are the test's */
	CHECK(usage.ru_maxrss < 72 * 1024, "%ld KiB", usage.ru_maxrss);
#endif
	profile_free(p);
}

TEST_MAIN()
