// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_ibs.c - the kernel's IBS PMUs: what is asked of them, and what their raw data becomes */
#include <errno.h>
#include "perf_ibs.h"
#include "tap.h"
#include "tmpdir.h"

#define PMUS "sys/bus/event_source/devices/"

static void put_line(const char *name, const char *line)
{
	char path[5000];

	snprintf(path, sizeof(path), "%s", tmpdir_path(name));
	file_make_parent_dirs(path, 0755);
	put_text(path, line);
}

static struct ibs_config asked(const char *args)
{
	struct ibs_config c;
	struct op_error e;

	CHECK(!ibs_config_parse(args, &c, &e), "%s", e.text);
	return c;
}

TEST(what_is_asked)
{
	struct ibs_config c = asked("fetch:IBS_FETCH_ALL:1048575:0|op:IBS_OP_ALL:100001:5");
	struct perf_ibs_event events[2];
	struct op_error e = { "" };
	unsigned int nr = 9;

	tmpdir_make();
	CHECK(perf_ibs_make(&c, tmpdir, events, &nr, &e) == -ENODEV && nr == 9 &&
	      strstr(e.text, "ibs_fetch/type"), "%s", e.text);
	put_line(PMUS "ibs_fetch/type", "9\n");
	put_line(PMUS "ibs_fetch/format/rand_en", "config:57\n");
	CHECK(perf_ibs_make(&c, tmpdir, events, &nr, &e) == -ENODEV && strstr(e.text, "ops"),
	      "%s", e.text);
	put_line(PMUS "ibs_op/type", "10\n");
	CHECK(perf_ibs_make(&c, tmpdir, events, &nr, &e) == -ENODEV &&
	      strstr(e.text, "dispatched ops"), "%s", e.text);
	put_line(PMUS "ibs_op/format/cnt_ctl", "config:19\n");
	CHECK(!perf_ibs_make(&c, tmpdir, events, &nr, &e) && nr == 2, "%s", e.text);
	CHECK(events[0].code == OP_IBS_FETCH && events[0].type == 9 &&
	      events[0].config == UINT64_C(1) << 57 && events[0].period == 1048560, "fetch");
	CHECK(events[1].code == OP_IBS_OP && events[1].type == 10 &&
	      events[1].config == 1 << 19 && events[1].period == 100000, "op");

	c = asked("op:IBS_OP_ALL:100000:0");
	CHECK(!perf_ibs_make(&c, tmpdir, events, &nr, &e) && nr == 1 && !events[0].config, "%s",
	      e.text);
	put_line(PMUS "ibs_op/type", "what\n");
	CHECK(perf_ibs_make(&c, tmpdir, events, &nr, &e) == -ENODEV, "no number");
	put_line(PMUS "ibs_op/type", "10\n");
	put_line(PMUS "ibs_op/format/cnt_ctl", "config:99\n");
	c = asked("op:IBS_OP_ALL:100000:1");
	CHECK(perf_ibs_make(&c, tmpdir, events, &nr, &e) == -ENODEV, "no such bit");
}

/* As the kernel writes it: capabilities, then registers, not aligned. */
struct raw {
	uint32_t caps;
	uint64_t regs[9];
} __attribute__((packed));

static size_t size_of(unsigned int nr_regs)
{
	return sizeof(uint32_t) + nr_regs * sizeof(uint64_t);
}

static void check_words(const char *what, size_t nr, const op_word *got, size_t nr_want,
			const op_word *want)
{
	CHECK(nr == nr_want && !memcmp(got, want, nr * sizeof(*got)), "%s: %zu words", what, nr);
}

TEST(raw_data)
{
	static const struct raw fetch = { 0x3ff, { 0x1100000012, 0x2100000022, 0x3100000032, 99 } };
	static const struct raw op = {
		0x3ff, { 99, 0x1100000012, 0x2100000022, 0x3100000032, 0x4100000042, 0x5100000052,
			 0x6100000062, 0x7100000072, 98 } };
	static const op_word fetch_words[] = { 0x22, 0x21, 0x12, 0x11, 0x32, 0x31 };
	static const op_word op_words[] = { 0x12, 0x11, 0x22, 0x21, 0x32, 0x31, 0x42, 0x41, 0x52,
					    0x51, 0x62, 0x61, 0x7100000072 };
	struct raw old = op;
	op_word got[PERF_IBS_WORDS_MAX];

	check_words("fetch", perf_ibs_words(OP_IBS_FETCH, false, &fetch, size_of(3), got), got, 6,
		    fetch_words);
	check_words("fetch, a register more", perf_ibs_words(OP_IBS_FETCH, true, &fetch,
							       size_of(4), got),
		    got, 6, fetch_words);
	check_words("op", perf_ibs_words(OP_IBS_OP, false, &op, size_of(9), got), got, 12,
		    op_words);
	check_words("op and target", perf_ibs_words(OP_IBS_OP, true, &op, size_of(9), got), got,
		    13, op_words);
	old.caps = 0x1f;	/* what follows is another register */
	CHECK(perf_ibs_words(OP_IBS_OP, true, &old, size_of(8), got) == 13 && !got[12], "target");
	CHECK(perf_ibs_words(OP_IBS_OP, true, &op, size_of(7), got) == 13 && !got[12], "cut off");
	old = op;
	old.regs[7] = OP_ESCAPE;
	CHECK(perf_ibs_words(OP_IBS_OP, true, &old, size_of(8), got) == 13 && !got[12], "escape");
	for (unsigned int size = 0; size < size_of(3); size++)
		CHECK(!perf_ibs_words(OP_IBS_FETCH, false, &fetch, size, got), "%u", size);
	for (unsigned int size = 0; size < size_of(7); size++)
		CHECK(!perf_ibs_words(OP_IBS_OP, true, &op, size, got), "%u", size);
}

TEST_MAIN()
