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

TEST(stacks_beyond_the_limit_lose_their_outermost_frames)
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

/* As much as a small packed file may become [PF-7], all of it frames that no other stack has. */
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
	CHECK(!err && p->nr_nodes == 31 * PROFILE_FRAMES_MAX, "%u nodes, %s", p->nr_nodes, e.text);
	getrusage(RUSAGE_SELF, &usage);
#ifndef __SANITIZE_ADDRESS__
	CHECK(usage.ru_maxrss < 72 * 1024, "%ld KiB", usage.ru_maxrss);	/* 4 MB are the test's */
#endif
	profile_free(p);
}

TEST_MAIN()
