// SPDX-License-Identifier: GPL-2.0-or-later
/* ibs.c - the kernel's IBS PMUs: their configuration, and conversion of their raw data */
#include <errno.h>
#include "daemon/collect/perf/attribute.h"
#include "daemon/collect/perf/ibs.h"
#include "daemon/collect/perf/order.h"
#include "daemon/collect/perf/stacks.h"
#include "tests/tap.h"
#include "tests/unit/daemon/collect/perf/build.h"
#include "tests/unit/tmpdir.h"

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

TEST(events_requested)
{
	struct ibs_config c = asked("fetch:IBS_FETCH_ALL:1048575:0|op:IBS_OP_ALL:100001:5");
	struct perf_counter events[PERF_IBS_MAX];
	struct op_error e = { "" };
	unsigned int nr = 9;

	tmpdir_make();
	CHECK(perf_ibs_make(&c, tmpdir, events, &nr, &e) == -ENODEV && nr == 9 &&
	      strstr(e.text, "PMU 'ibs_fetch'"), "%s", e.text);
	put_line(PMUS "ibs_fetch/type", "9\n");
	put_line(PMUS "ibs_fetch/format/rand_en", "config:57\n");
	CHECK(perf_ibs_make(&c, tmpdir, events, &nr, &e) == -ENODEV && strstr(e.text, "ops"),
	      "%s", e.text);
	put_line(PMUS "ibs_op/type", "10\n");
	CHECK(perf_ibs_make(&c, tmpdir, events, &nr, &e) == -ENODEV &&
	      strstr(e.text, "dispatched ops"), "%s", e.text);
	put_line(PMUS "ibs_op/format/cnt_ctl", "config:19\n");
	CHECK(!perf_ibs_make(&c, tmpdir, events, &nr, &e) && nr == 2, "%s", e.text);
	CHECK(PERF_IBS_CODE(events[0].counter) == OP_IBS_FETCH && events[0].type == 9 &&
	      events[0].config == UINT64_C(1) << 57 && events[0].period == 1048560, "fetch");
	CHECK(PERF_IBS_CODE(events[1].counter) == OP_IBS_OP && events[1].type == 10 &&
	      events[1].config == 1 << 19 && events[1].period == 100000, "op");
	for (unsigned int i = 0; i < nr; i++)
		CHECK(events[i].raw && events[i].kernel && events[i].user && events[i].guests_too &&
		      !events[i].exclude_idle && events[i].counter >= COLLECTOR_COUNTERS_MAX,
		      "event %u", i);

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

/* A record with raw data waits whole, and becomes a note after the sample's own notes. */

static op_word words[1000];
static size_t nr_words;

static void take_words(void *context, const op_word *w, size_t nr)
{
	(void)context;
	memcpy(words + nr_words, w, nr * sizeof(*w));
	nr_words += nr;
}

static void make_raw_sample(struct bytes *b, uint64_t ip, uint64_t time, const void *raw,
			    uint32_t size, uint32_t size_told)
{
	make_sample(b, PERF_RECORD_MISC_KERNEL, ip, 10, 11, time, 1);
	add32(b, size_told);
	add(b, raw, size);
	end(b);
}

static void check_raw(const struct bytes *b, const void *want, size_t want_size)
{
	struct perf_record r;
	size_t size = 0;
	const void *raw = perf_record_raw(b->at, b->size, false, &size);

	CHECK(!perf_record_parse(b->at, b->size, &r) && r.kind == PERF_KIND_SAMPLE &&
	      r.sample.pc == 0x1234, "a sample in any case");
	CHECK(!raw == !want && size == want_size && (!raw || !memcmp(raw, want, size)),
	      "%zu bytes, not %zu", size, want_size);
}

TEST(raw_record)
{
	struct raw fetch = { 0x3ff, { 1, 2, 3 } };
	struct bytes b;

	make_raw_sample(&b, 0x1234, 5, &fetch, 28, 28);
	check_raw(&b, &fetch, 28);
	make_raw_sample(&b, 0x1234, 5, &fetch, 28, 20);
	check_raw(&b, &fetch, 20);
	make_raw_sample(&b, 0x1234, 5, &fetch, 28, 29);		/* more than there is */
	check_raw(&b, NULL, 0);
	make_raw_sample(&b, 0x1234, 5, &fetch, 28, UINT32_MAX);
	check_raw(&b, NULL, 0);
	make_sample(&b, PERF_RECORD_MISC_KERNEL, 0x1234, 10, 11, 5, 1);
	check_raw(&b, NULL, 0);
	add(&b, "ab", 2);					/* half a size */
	end(&b);
	check_raw(&b, NULL, 0);
}

static void add_raw_sample(struct perf_order *o, uint64_t time, enum op_code code, const void *raw,
			   uint32_t size)
{
	struct perf_record r;
	struct bytes b;

	make_raw_sample(&b, 0xffffffff81000000 + time, time, raw, size, size);
	CHECK(!perf_record_parse(b.at, b.size, &r), "parse");
	r.sample.counter = PERF_IBS_COUNTER(code);
	perf_order_add_change(o, &r, b.at, b.size);
}

TEST(from_records_to_words)
{
	static const struct raw fetch = { 0x3ff, { 0x1100000012, 0x2100000022, 0x3100000032 } };
	static const struct raw op = { 0x3ff, { 0, 1, 2, 3, 4, 5, 6, 7 } };
	static struct perf_emit emit;
	static struct perf_cpu_state states[2];
	struct perf_attribute a = { .emit = &emit, .cpus = states, .nr_cpus = 2,
				    .branch_target = true };
	struct perf_sample plain = { 20, 0xffffffff81000020, 10, 11, PERF_MODE_KERNEL, false, 3, 0,
				     NULL, 0, 0 };
	struct perf_processes processes;
	struct perf_order *o = perf_order_new();

	a.cookies = perf_cookies_new();
	perf_processes_init(&processes, a.cookies, "/no/such");
	a.processes = &processes;
	add_raw_sample(o, 0x30, OP_IBS_OP, &op, size_of(8));
	perf_order_add_sample(o, 1, &plain);
	add_raw_sample(o, 0x10, OP_IBS_FETCH, &fetch, size_of(3));
	add_raw_sample(o, 0x40, OP_IBS_OP, &op, size_of(3));	/* too short */
	perf_emit_begin(&emit, take_words, NULL);
	perf_attribute_run(&a, o, 1000);
	perf_emit_end(&emit);
	check_words("in the order of time", nr_words, words, 39, (const op_word[]){
		OP_ESCAPE, OP_CPU_SWITCH, 1, OP_ESCAPE, OP_CTX_SWITCH, 11, OP_NO_COOKIE,
		OP_ESCAPE, OP_CTX_TGID, 10, OP_ESCAPE, OP_KERNEL_ENTER,
		OP_ESCAPE, OP_IBS_FETCH, 0xffffffff81000010, 0x22, 0x21, 0x12, 0x11, 0x32, 0x31,
		0xffffffff81000020, 3,
		OP_ESCAPE, OP_IBS_OP, 0xffffffff81000030, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7 });
	CHECK(states[1].counts.received == 4 && states[1].counts.lost[LOST_STREAM] == 1,
	      "each is somewhere: %lu", states[1].counts.received);
	perf_order_free(o);
	perf_processes_free(&processes);
	perf_cookies_free(a.cookies);
}

TEST(control_group)
{
	static const struct raw fetch = { 0x3ff, { 0x1100000012, 0x2100000022, 0x3100000032 } };
	const struct perf_record r = { .kind = PERF_KIND_SAMPLE, .time = 0x10, .sample = {
		.counter = PERF_IBS_COUNTER(OP_IBS_FETCH), .cgroup = 0x77 } };
	struct perf_order *o = perf_order_new();
	struct perf_order_item item;
	struct bytes b;

	make_raw_sample(&b, 0x1234, 0x10, &fetch, size_of(3), size_of(3));
	add64(&b, 0x77);
	end(&b);
	CHECK(perf_record_cgroup(b.at, b.size) == 0x77, "the record's last part");
	perf_order_add_change(o, &r, b.at, b.size);
	CHECK(perf_order_next(o, 1000, &item) && item.change && item.change->raw &&
	      item.change->sample.cgroup == 0x77, "the sample still has it when it is written");
	perf_order_free(o);
}

/* The list of addresses lies before the raw data, the rest of a stack behind it. */
TEST(callers)
{
	static const struct raw fetch = { 0x3ff, { 0x1100000012, 0x2100000022, 0x3100000032 } };
	static struct perf_emit emit;
	static struct perf_cpu_state states[2];
	struct perf_stacks stacks = { .depth = 8, .max_addresses = 8 };
	struct perf_attribute a = { .emit = &emit, .cpus = states, .nr_cpus = 2,
				    .stacks = &stacks };
	struct perf_sample_stack stack;
	struct perf_processes processes;
	struct perf_order *o = perf_order_new();
	struct perf_record r;
	struct bytes b;
	size_t size;

	a.cookies = perf_cookies_new();
	perf_processes_init(&processes, a.cookies, "/no/such");
	a.processes = &processes;
	make_sample(&b, PERF_RECORD_MISC_KERNEL, 0xffffffff81000010, 10, 11, 0x10, 1);
	add64(&b, 3);
	add64(&b, PERF_CONTEXT_KERNEL);
	add64(&b, 0xffffffff81000018);		/* of the interrupt */
	add64(&b, 0xffffffff81002000);
	add32(&b, size_of(3));
	add(&b, &fetch, size_of(3));
	end(&b);
	CHECK(!perf_record_parse(b.at, b.size, &r), "parse");
	r.sample.stack = "";
	r.sample.counter = PERF_IBS_COUNTER(OP_IBS_FETCH);
	perf_order_add_change(o, &r, b.at, b.size);
	nr_words = 0;
	perf_emit_begin(&emit, take_words, NULL);
	perf_attribute_run(&a, o, 1000);
	perf_emit_end(&emit);
	check_words("a stack", nr_words, words, 28, (const op_word[]){
		OP_ESCAPE, OP_CPU_SWITCH, 1, OP_ESCAPE, OP_CTX_SWITCH, 11, OP_NO_COOKIE,
		OP_ESCAPE, OP_CTX_TGID, 10, OP_ESCAPE, OP_TRACE_BEGIN, OP_ESCAPE, OP_KERNEL_ENTER,
		OP_ESCAPE, OP_IBS_FETCH, 0xffffffff81000010, 0x22, 0x21, 0x12, 0x11, 0x32, 0x31,
		0xffffffff81002000, 0, OP_ESCAPE, OP_STACK_END, OP_STACK_NO_USER });
	for (size_t cut = b.size - 8; cut >= PERF_SAMPLE_BYTES; cut -= 8)
		CHECK(!perf_record_raw(b.at, cut, true, &size), "cut at %zu", cut);

	add64(&b, PERF_SAMPLE_REGS_ABI_NONE);
	add64(&b, 0);				/* no copy */
	CHECK(!perf_sample_stack_parse(b.at + PERF_SAMPLE_BYTES, b.size - PERF_SAMPLE_BYTES, true,
				       true, &stack) && stack.nr_addresses == 3, "behind the data");
	perf_order_free(o);
	perf_processes_free(&processes);
	perf_cookies_free(a.cookies);
}

TEST_MAIN()
