// SPDX-License-Identifier: GPL-2.0-or-later
/* control_event_spec.c - what an --event= may say, and what it means */
#include <errno.h>
#include "event_spec.h"
#include "op_abi.h"
#include "tap.h"

#define NR(a) (sizeof(a) / sizeof((a)[0]))
#define LONG_NAME "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOP"

static const struct {
	const char *text;
	int err;
	struct event_spec want;
} specs[] = {
	{ "CYCLES:6000", 0, { "CYCLES", 6000, 0, true, true } },
	{ "CYCLES:0x1770", 0, { "CYCLES", 6000, 0, true, true } },
	{ "LLC:500:0x4f", 0, { "LLC", 500, 0x4f, true, true } },
	{ "LLC:500:0x4f:0", 0, { "LLC", 500, 0x4f, false, true } },
	{ "LLC:500:0x4f:0:1", 0, { "LLC", 500, 0x4f, false, true } },
	{ "LLC:500:1:1:0", 0, { "LLC", 500, 1, true, false } },
	{ "A-b_9:2147483647", 0, { "A-b_9", 2147483647, 0, true, true } },
	{ "", -EINVAL, { .name = "" } },
	{ ":", -EINVAL, { .name = "" } },
	{ "CYCLES", -EINVAL, { .name = "" } },
	{ "CYCLES:", -EINVAL, { .name = "" } },
	{ ":6000", -EINVAL, { .name = "" } },
	{ "CYCLES:0", -EINVAL, { .name = "" } },
	{ "CYCLES:-1", -EINVAL, { .name = "" } },
	{ "CYCLES:2147483648", -EINVAL, { .name = "" } },
	{ "CYCLES:99999999999999999999", -EINVAL, { .name = "" } },
	{ "CYCLES:6000x", -EINVAL, { .name = "" } },
	{ "CYCLES:6000:", -EINVAL, { .name = "" } },
	{ "CYCLES:6000:user", -EINVAL, { .name = "" } },
	{ "CYCLES:6000:0:2", -EINVAL, { .name = "" } },
	{ "CYCLES:6000:0:1:", -EINVAL, { .name = "" } },
	{ "CYCLES:6000:0:0:0", -EINVAL, { .name = "" } },
	{ "CYCLES:6000:0:0:1:9", -EINVAL, { .name = "" } },
	{ "CY CLES:6000", -EINVAL, { .name = "" } },
	{ "CY/CLES:6000", -EINVAL, { .name = "" } },
	{ LONG_NAME ":6000", -EINVAL, { .name = "" } },
};

TEST(parse)
{
	for (size_t i = 0; i < NR(specs); i++) {
		struct event_spec got = { .name = "untouched" };
		struct op_error e = { "" };
		int err = event_spec_parse(specs[i].text, &got, &e);

		CHECK(err == specs[i].err, "\"%s\": want %d, got %d", specs[i].text,
		      specs[i].err, err);
		if (err) {
			CHECK(!strcmp(got.name, "untouched"), "\"%s\" left its mark",
			      specs[i].text);
			CHECK(e.text[0], "\"%s\": no reason given", specs[i].text);
			continue;
		}
		CHECK(!strcmp(got.name, specs[i].want.name), "\"%s\": %s", specs[i].text, got.name);
		CHECK(got.count == specs[i].want.count, "\"%s\"", specs[i].text);
		CHECK(got.unit_mask == specs[i].want.unit_mask, "\"%s\"", specs[i].text);
		CHECK(got.kernel == specs[i].want.kernel, "\"%s\"", specs[i].text);
		CHECK(got.user == specs[i].want.user, "\"%s\"", specs[i].text);
	}
}

TEST(format_reads_back)
{
	for (size_t i = 0; i < NR(specs); i++) {
		struct strbuf text = STRBUF_INIT;
		struct event_spec again;

		if (specs[i].err)
			continue;
		event_spec_format(&specs[i].want, &text);
		CHECK(!event_spec_parse(text.text, &again, NULL), "%s", text.text);
		CHECK(!memcmp(&again.count, &specs[i].want.count,
			      sizeof(again) - offsetof(struct event_spec, count)), "%s", text.text);
		strbuf_free(&text);
	}
}

TEST(too_long)
{
	char text[5000];
	struct event_spec got;

	memset(text, 'A', sizeof(text));
	memcpy(text + sizeof(text) - 6, ":6000", 6);
	CHECK(event_spec_parse(text, &got, NULL) == -EINVAL, "5000 bytes");
}

TEST(check)
{
	const struct {
		const char *text;
		uint64_t khz;
		int err;
		const char *says;
	} cases[] = {
		{ "CPU_CLK_UNHALTED:100000", 2600000, 0, "" },
		{ "CPU_CLK_UNHALTED:39000", 2600000, 0, "" },
		{ "CPU_CLK_UNHALTED:38999", 2600000, -ERANGE, "minimum, 39000" },
		{ "CPU_CLK_UNHALTED:15000", 1000000, 0, "" },
		{ "CPU_CLK_UNHALTED:14999", 1000000, -ERANGE, "count 14999" },
		{ "CPU_CLK_UNHALTED:100000:1", 2600000, -EINVAL, "unit mask" },
		{ "LLC_MISSES:100000", 2600000, -ENOENT, "'LLC_MISSES'" },
		{ "cpu_clk_unhalted:100000", 2600000, -ENOENT, "no such event" },
	};

	for (size_t i = 0; i < NR(cases); i++) {
		struct op_error e = { "" };
		struct event_spec spec;
		int err = event_spec_parse(cases[i].text, &spec, &e);

		CHECK(!err, "%s", e.text);
		err = event_spec_check(&spec, cases[i].khz, &e);
		CHECK(err == cases[i].err, "%s: %d", cases[i].text, err);
		CHECK(strstr(e.text, cases[i].says), "%s: \"%s\"", cases[i].text, e.text);
	}
}

TEST(least_count_is_the_floor)
{
	for (uint64_t khz = 1; khz < 6000000; khz += 98765) {
		uint64_t least = event_min_count(khz);

		CHECK(least * 1000000 >= OP_TIMER_MIN_PERIOD_NS * khz, "%llu kHz",
		      (unsigned long long)khz);
		CHECK((least - 1) * 1000000 < OP_TIMER_MIN_PERIOD_NS * khz, "%llu kHz",
		      (unsigned long long)khz);
	}
}

TEST_MAIN()
