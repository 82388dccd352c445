// SPDX-License-Identifier: GPL-2.0-or-later
/* ibs.c - instruction-based samples: from words to sample files and reports */
#include <sys/stat.h>
#include "daemon/collect/ibs/events.h"
#include "daemon/record/ibs.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "tests/unit/daemon/collect/ibs/reference.h"
#include "tests/unit/daemon/record/stacks.h"

static struct sfile_event events[2 + DERIVED_EVENTS_MAX];
static struct ext *ext;

/* A recorder with two counters and the events of @args, on a CPU without reserved bits. */
static struct recorder *open_with(const char *args)
{
	struct op_error e = { "" };

	test_prepare();
	CHECK(!ext_parse(args, &ext, &e), "%s", e.text);
	((struct ibs_config *)ibs_config_of(ext))->family = 0;
	memcpy(events, test_events, sizeof(test_events));
	test_config.cpu_type = "x86-64/family10";
	test_config.events = events;
	test_config.nr_events = 2 + ext_events(ext, events + 2);
	test_config.ext = ext;
	file_make_parent_dirs(tmpdir_path("samples/x"), 0755);
	CHECK(!ext_open(ext, tmpdir, &e), "%s", e.text);
	return test_open();
}

static void close_all(struct recorder *r)
{
	ext_close(ext);
	test_close(r);
	ext_free(ext);
}

static void put_halves(uint64_t reg)
{
	fake_put(&fake, (uint32_t)reg);
	fake_put(&fake, reg >> 32);
}

static void put_fetch(uint64_t pc, uint64_t control)
{
	fake.counts.cpu[fake.cpu].received++;
	fake_put(&fake, OP_ESCAPE);
	fake_put(&fake, OP_IBS_FETCH);
	fake_put(&fake, pc);
	put_halves(0x7f0000000000 + pc);
	put_halves(control);
	put_halves(0x123456789000);
}

static void put_op(uint64_t pc, const struct ibs_raw *r)
{
	fake.counts.cpu[fake.cpu].received++;
	fake_put(&fake, OP_ESCAPE);
	fake_put(&fake, OP_IBS_OP);
	fake_put(&fake, pc);
	put_halves(0x7f0000000000 + pc);
	put_halves(r->data1);
	put_halves(r->data2);
	put_halves(r->data3);
	put_halves(0x7fff12345678);
	put_halves(0x234567890);
}

static void put_context(void)
{
	fake_cpu(&fake, 1);
	fake_task(&fake, 22, APP, 21);
	fake_user(&fake);
	fake_cookie(&fake, APP);
}

#define APP_DIR "{root}/bin/app/{dep}/{root}/bin/app/"

/* All samples, each at another pc. */
static struct ibs_raw raws[2 * 7 * NR_IBS_CASES];
static bool is_op[ARRAY_SIZE(raws)];
static unsigned int nr_raws;

static void put_raw(bool op, const struct ibs_raw *raw)
{
	uint64_t pc = 0x1000 + 16 * nr_raws;

	if (op)
		put_op(pc, raw);
	else
		put_fetch(pc, raw->data1);
	raws[nr_raws] = *raw;
	is_op[nr_raws++] = op;
}

static char *all_events(void)
{
	struct strbuf text = STRBUF_INIT;
	size_t nr;
	const struct ibs_event *table = ibs_event_table(&nr);
	const char *before = "ibs:fetch:";

	for (size_t i = 0; i < nr; i++) {
		if (i && table[i].code == table[i - 1].code)
			continue;
		if (i && ibs_event_is_op(&table[i]) && !ibs_event_is_op(&table[i - 1]))
			before = ":100000:0|op:";
		strbuf_addf(&text, "%s%s", before, table[i].name);
		before = ",";
	}
	strbuf_add(&text, ":200000:1");
	return strbuf_steal(&text);
}

/* Compare the sample file of @event with the reference. */
static void check_event(const struct ibs_event *event)
{
	char name[300];
	int64_t sum = 0;
	uint64_t all = 0;

	snprintf(name, sizeof(name), APP_DIR "%s.%s.all.all.all", event->name,
		 ibs_event_is_op(event) ? "200000.1" : "100000.0");
	for (unsigned int i = 0; i < nr_raws; i++) {
		int64_t want = is_op[i] == ibs_event_is_op(event) ?
			       ibs_reference(event->code, &raws[i]) : 0,
			got = file_samples("current", name, 0x1000 + 16 * i, &all);

		CHECK(got == want, "%s of sample %u: %d, want %d", event->name, i, (int)got,
		      (int)want);
		sum += want;
	}
	CHECK(sum > 0 && (uint64_t)sum == all, "%s: %d in all, want %d", event->name, (int)all,
	      (int)sum);
}

static void check_every_event(size_t chunk)
{
	char *args = all_events();
	struct recorder *r = open_with(args);
	size_t nr;
	const struct ibs_event *table = ibs_event_table(&nr);
	struct cpu_counts all;

	fake.chunk = chunk;
	put_context();
	for (size_t c = 0; c < NR_IBS_CASES; c++) {
		bool op = ibs_cases[c].code >= 0xf100;

		put_raw(op, &ibs_cases[c].yes);
		for (size_t i = 0; !ibs_case_ends(&ibs_cases[c], i); i++)
			put_raw(op, &ibs_cases[c].no[i]);
		fake_sample(&fake, 0x10, 0);	/* mixed with other samples */
	}
	test_drain(r);
	for (size_t i = 0; i < nr; i++)
		check_event(&table[i]);
	CHECK_FILE("current", APP_DIR "TIMER.0.0.all.all.all", 0x10, NR_IBS_CASES, NR_IBS_CASES);
	all = test_totals(r);
	CHECK(all.recorded == nr_raws + NR_IBS_CASES, "each sample is one: %lu recorded, not %lu",
	      all.recorded, nr_raws + NR_IBS_CASES);
	close_all(r);
	free(args);
}

TEST(every_event)
{
	check_every_event(0);
}

TEST(every_event_word_by_word)
{
	check_every_event(1);
}

TEST(every_event_in_chunks)
{
	check_every_event(7);
}

/* Samples that are not recorded are accounted for. */
TEST(invalid_and_filtered)
{
	struct recorder *r = open_with("ibs:op:IBS_OP_LOAD,IBS_OP_STORE:200000:0:0:1");
	struct ibs_raw invalid = { H(6), 0, L(0) }, load = { 0, 0, L(0) }, none = { 0, 0, 0 };
	struct cpu_counts all;

	put_context();
	put_op(0x10, &invalid);
	put_op(0x20, &load);
	put_op(0x30, &none);
	put_fetch(0x40, ~0ul);		/* fetches were not requested */
	fake_kernel(&fake);
	put_op(0xffffffff81001000, &load);	/* nor was kernel code */
	fake_user(&fake);
	fake_cookie(&fake, UNKNOWN);
	put_op(0x50, &load);
	test_drain(r);
	CHECK_FILE("current", APP_DIR "IBS_OP_LOAD.200000.0.all.all.all", 0x20, 1, 1);
	all = test_totals(r);
	CHECK(all.recorded == 1 && all.lost[LOST_INVALID_PC] == 1 && all.filtered == 3 &&
	      all.lost[LOST_UNKNOWN_IMAGE] == 1, "%lu %lu %lu %lu", all.recorded,
	      all.lost[LOST_INVALID_PC], all.filtered, all.lost[LOST_UNKNOWN_IMAGE]);
	close_all(r);
}

TEST(kernel_anonymous_and_no_feature)
{
	struct recorder *r = open_with("ibs:fetch:IBS_FETCH_ALL,IBS_FETCH_LATENCY:100000:0");
	struct cpu_counts all;

	put_context();
	fake_kernel(&fake);
	put_fetch(0xffffffff81001000, CYCLES);
	fake_user(&fake);
	fake_anon(&fake, 0x7000, 0x9000, "[heap]");
	put_fetch(0x7010, 0);
	test_drain(r);
	CHECK_FILE("current", "{kern}/no-vmlinux/{dep}/{kern}/no-vmlinux/"
		   "IBS_FETCH_LATENCY.100000.0.all.all.all", 0xffffffff81001000, 300, 300);
	CHECK_FILE("current", "{root}/bin/app/{dep}/{anon:[heap]}/21.0x7000.0x9000/"
		   "IBS_FETCH_ALL.100000.0.all.all.all", 0x10, 1, 1);
	close_all(r);

	test_prepare();
	r = test_open();
	put_context();
	put_fetch(0x40, 0);
	test_drain(r);
	all = test_totals(r);
	CHECK(all.lost[LOST_STREAM] == 1, "without the feature: %lu", all.lost[LOST_STREAM]);
	test_close(r);
}

/* A stack counts for each derived event, with its weight, and is one stack. [EB-81] */
TEST(callers)
{
	struct recorder *r = open_with("ibs:fetch:IBS_FETCH_ALL,IBS_FETCH_LATENCY:100000:0:0:1");
	struct cpu_counts all;

	put_context();
	fake_stack(&fake);
	put_fetch(0x100, CYCLES);
	fake_caller(&fake, 0x20);
	fake_stack_end(&fake, OP_STACK_COMPLETE);
	fake_stack(&fake);
	put_fetch(0x110, 0);			/* no latency */
	fake_caller(&fake, 0x20);
	fake_stack_end(&fake, OP_STACK_COMPLETE);
	put_fetch(0x120, 0);			/* without a stack */
	fake_stack(&fake);
	fake_sample(&fake, 0x130, 1);		/* of a counter */
	fake_caller(&fake, 0x20);
	fake_stack_end(&fake, OP_STACK_COMPLETE);
	fake_stack(&fake);
	fake_kernel(&fake);
	put_fetch(0xffffffff81001000, CYCLES);	/* not requested */
	fake_stack_end(&fake, OP_STACK_COMPLETE);
	test_drain(r);
	CHECK_STACKS("current", "1 IBS_FETCH_ALL app+100 app+1f complete\n"
				"300 IBS_FETCH_LATENCY app+100 app+1f complete\n"
				"1 IBS_FETCH_ALL app+110 app+1f complete\n"
				"1 SECOND app+130 app+1f complete\n");
	CHECK_FILE("current", APP_DIR "IBS_FETCH_ALL.100000.0.all.all.all", 0x100, 1, 3);
	all = test_totals(r);
	CHECK(all.stacks[OP_STACK_COMPLETE] == 3, "%lu", all.stacks[OP_STACK_COMPLETE]);
	close_all(r);
}

/* Garbage loses only the samples inside it. */
TEST(malformed_words)
{
	struct recorder *r = open_with("ibs:op:IBS_OP_ALL:200000:0");
	struct ibs_raw none = { 0, 0, 0 };

	put_context();
	put_op(0x10, &none);
	fake.words[fake.nr - 1] = 1ull << 40;	/* half a register, with too many bits */
	fake_sample(&fake, 0x20, 0);
	put_op(0x30, &none);
	fake.words[fake.nr - 13] = OP_ESCAPE;	/* the address */
	put_context();
	put_op(0x40, &none);
	fake_put(&fake, OP_ESCAPE);
	fake_put(&fake, OP_IBS_OP);
	for (int i = 0; i < 12; i++)
		fake_put(&fake, i);
	put_context();				/* cuts the note off */
	put_op(0x50, &none);
	test_drain(r);
	CHECK_FILE("current", APP_DIR "IBS_OP_ALL.200000.0.all.all.all", 0x40, 1, 2);
	CHECK_FILE("current", APP_DIR "IBS_OP_ALL.200000.0.all.all.all", 0x50, 1, 2);
	close_all(r);
}

static char *text_of(const char *name)
{
	char *text = NULL;

	CHECK(!file_read_all(tmpdir_path(name), 1 << 20, &text, NULL), "%s", name);
	return text ? text : strdup("");
}

TEST(logs)
{
	struct recorder *r = open_with("ibs:op:IBS_OP_ALL:200000:6");
	struct ibs_raw load = { 0, 0, L(0) | L(7) | L(17) | L(18) | CYCLES },
		       store = { 0, 0, L(1) }, none = { 0, 0, 0 }, branch = { H(5), 0, 0 };
	struct stat st;
	char *memory, *targets;

	put_context();
	put_op(0x10, &load);
	fake_put(&fake, 0x1);			/* each note has a branch target */
	put_op(0x20, &store);
	fake_put(&fake, 0x2);
	put_op(0x30, &none);
	fake_put(&fake, 0x3);
	put_op(0x40, &branch);
	fake_put(&fake, 0x7f00000abcde);
	test_drain(r);
	CHECK_FILE("current", APP_DIR "IBS_OP_ALL.200000.6.all.all.all", 0x40, 1, 4);
	memory = text_of("samples/ibs_memaccess.log");
	targets = text_of("samples/ibs_bta.log");
	CHECK(!strcmp(memory, "# app_cookie,cookie,cpu,tgid,tid,pc,phys-hi:phys-low,"
			      "lin-hi:lin-low,access-type,latency\n"
			      "0x0000000000000001,0x0000000000000001,01,00000021,00000022,"
			      "0x00000010,0x00000002:34567890,0x00007fff:12345678,LD,00000300\n"
			      "0x0000000000000001,0x0000000000000001,01,00000021,00000022,"
			      "0x00000020,0x00000000:00000000,0x00000000:00000000,ST,00000000\n"),
	      "%s", memory);
	CHECK(!strcmp(targets, "# app_cookie,cookie,cpu,tgid,tid,pc,branch-target-address\n"
			       "0x0000000000000001,0x0000000000000001,01,00000021,00000022,"
			       "0x00000040,0x7f00000abcde\n"), "%s", targets);
	CHECK(!stat(tmpdir_path("samples/ibs_bta.log"), &st) && (st.st_mode & 0777) == 0600,
	      "mode %o", st.st_mode);
	close_all(r);
	free(memory);
	free(targets);
}

TEST(statistics)
{
	struct recorder *r = open_with("ibs:fetch:IBS_FETCH_ALL:100000:0|"
				       "op:IBS_OP_ALL,IBS_OP_LOAD:200000:1");
	struct ibs_raw load = { 0, 0, L(0) }, invalid = { H(6), 0, 0 };
	struct strbuf status = STRBUF_INIT;
	char *text;

	put_context();
	put_fetch(0x10, 0);
	put_fetch(0x10, 0);
	put_op(0x10, &load);
	put_op(0x20, &invalid);
	test_drain(r);
	recorder_log_statistics(r);
	text = text_of("log");
	CHECK(strstr(text, "Nr. IBS Fetch samples     : 2 (14 entries)\n") &&
	      strstr(text, "Nr. IBS Op samples        : 2 (26 entries)\n") &&
	      strstr(text, "Nr. IBS Op invalid RIP    : 1\n") &&
	      strstr(text, "Nr. IBS derived events    : 4\n"), "%s", text);
	ext_status(ext, &status);
	CHECK(!strcmp(status.text, "ibs.fetch_samples 2\nibs.op_samples 2\nibs.op_invalid_rip 1\n"
				   "ibs.derived_events 4\nibs.log_lines_left_out 0\n"), "%s",
	      status.text);
	strbuf_reset(&status);
	ext_print_events(ext, &status);
	CHECK(!strcmp(status.text, "IBS_FETCH_ALL:100000:0:1:1 IBS_OP_ALL:200000:1:1:1 "
				   "IBS_OP_LOAD:200000:1:1:1"), "%s", status.text);
	strbuf_free(&status);
	close_all(r);
	free(text);
}

/* opreport's rows; a latency is in cycles. */
TEST(report)
{
	struct recorder *r = open_with("ibs:op:IBS_OP_LOAD,IBS_OP_DC_LOAD_LAT:200000:1");
	struct ibs_raw miss = { 0, 0, L(0) | L(7) | CYCLES }, hit = { 0, 0, L(0) };
	char *dir = path_program_dir(), *command, out[4000];
	FILE *f;

	put_context();
	put_op(0x10, &miss);
	put_op(0x20, &hit);
	test_drain(r);
	close_all(r);
	command = xasprintf("%s/../bin/opreport --session-dir='%s' 2>/dev/null", dir, tmpdir);
	f = popen(command, "r");
	out[f ? fread(out, 1, sizeof(out) - 1, f) : 0] = '\0';
	CHECK(f && !pclose(f) && strstr(out, "IBS_OP_LOAD") && strstr(out, "IBS_OP_DC_LOAD"),
	      "%s", out);
	CHECK(strstr(out, " 300 100.000         2 100.000 app\n"), "%s", out);
	free(command);
	free(dir);
}

TEST_MAIN()
