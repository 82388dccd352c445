// SPDX-License-Identifier: GPL-2.0-or-later
/* options.c - oprofiled's command line: what is accepted, and the error messages for the rest */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/options.h"
#include "daemon/requested_events.h"
#include "libutil/log.h"
#include "tests/tap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define EVENT "--events=CPU_CLK_UNHALTED:0:0:100000:0:1:1"

static const struct {
	const char *text;
	unsigned int nr;
	const char *error;		/* part of it; NULL: fine */
} lists[] = {
	{ "A:0:0:100:0:1:1", 1, NULL },
	{ "A:0x3c:0:100:0x41:1:0,", 1, NULL },
	{ "A:1:0:100:0:1:1,B:2:1:200:0:0:1", 2, NULL },
	{ "", 0, "the list is empty" },
	{ ",", 0, "the list is empty" },
	{ "A", 0, "expected NAME:value" },
	{ "A:0:0:100:0:1", 0, "expected NAME:value" },
	{ "A:0:0:100:0:1:1:1", 1, NULL },
	{ "A:0:0:100:0:1:1:0x840000:", 1, NULL },
	{ "A:0:0:100:0:1:1::cpu_atom", 1, NULL },
	{ "A:0:0:100:0:1:1:0:cpu_atom:x", 0, "expected NAME:value" },
	{ "A:0:0:100:0:1:1:0x100000000", 0, "extra '0x100000000'" },
	{ "A:0:0:100:0:1:1:edge", 0, "extra 'edge'" },
	{ "A:0:0:100:0:1:1::../cpu", 0, "invalid PMU name" },
	{ "A:1:0:100:0:1:1::cpu_core,A:2:0:100:0:1:1::cpu_atom,B:3:1:100:0:1:1", 3, NULL },
	{ "A:1:0:100:0:1:1::cpu_core,A:2:0:100:0:1:1::cpu_core", 0, "both use counter 0" },
	{ "A:1:0:100:0:1:1::cpu_core,A:2:0:200:0:1:1::cpu_atom", 0, "both use counter 0" },
	{ "A:1:0:100:0:1:1::cpu_core,A:2:0:100:1:1:1::cpu_atom", 0, "both use counter 0" },
	{ "A:1:0:100:0:1:1::cpu_core,B:2:0:100:0:1:1::cpu_atom", 0, "both use counter 0" },
	{ "A:1:0:100:0:1:1::cpu_core,A:2:0:100:0:1:1", 0, "both use counter 0" },
	{ "A:0xffffffffffffffff:0:100:0:1:1", 1, NULL },
	{ "A:0:0:100:0:1:", 0, "user ''" },
	{ "A.B:0:0:100:0:1:1", 0, "invalid event name 'A.B'" },
	{ "../A:0:0:100:0:1:1", 0, "invalid event name '../A'" },
	{ ":0:0:100:0:1:1", 0, "invalid event name ''" },
	{ "A:0:0:0:0:1:1", 0, "count '0'" },
	{ "A:0:0:-1:0:1:1", 0, "count '-1'" },
	{ "A:0:0:4294967296:0:1:1", 0, "count '4294967296'" },
	{ "A:0:32:100:0:1:1", 0, "counter '32'" },
	{ "A:0:0:100:0:2:1", 0, "kernel '2'" },
	{ "A:0:0:100:0:0:0", 0, "neither kernel nor user" },
	{ "A:0:0:100:0:1:1,B:0:0:100:0:1:1", 0, "both use counter 0" },
};

TEST(event_lists)
{
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct event_option got[EVENTS_MAX];
		struct op_error e = { "" };
		unsigned int nr = 0;
		int err = event_options_parse(lists[i].text, got, EVENTS_MAX, &nr, &e);

		CHECK(!err == !lists[i].error, "\"%s\": %d %s", lists[i].text, err, e.text);
		CHECK(nr == lists[i].nr, "\"%s\": %u events", lists[i].text, nr);
		if (lists[i].error)
			CHECK(strstr(e.text, lists[i].error), "\"%s\": %s", lists[i].text,
			      e.text);
	}
}

TEST(event_fields)
{
	struct event_option got[EVENTS_MAX];
	unsigned int nr;

	CHECK(!event_options_parse("A:1:1:2:3:1:1:0x40000:cpu_atom", got, EVENTS_MAX, &nr, NULL),
	      "parse");
	CHECK(got[0].extra == 0x40000 && !strcmp(got[0].pmu, "cpu_atom"), "extra and PMU");
	CHECK(!event_options_parse("A:0x3c:3:100:0x41:1:0", got, EVENTS_MAX, &nr, NULL), "parse");
	CHECK(!got[0].extra && !*got[0].pmu, "neither given");
	CHECK(!strcmp(got[0].name, "A") && got[0].value == 0x3c && got[0].counter == 3 &&
		      got[0].count == 100 && got[0].unit_mask == 0x41 && got[0].kernel &&
		      !got[0].user,
	      "fields");
}

static const struct {
	const char *argv[6];
	const char *error;		/* part of it; NULL: fine */
} lines[] = {
	{ { EVENT }, NULL },
	{ { EVENT, "--no-vmlinux", "--separate-lib=1", "-V", "sfile,misc" }, NULL },
	{ { EVENT, "--vmlinux=/etc/passwd", "-r", "ffffffff81000000,0xffffffff82000000" }, NULL },
	{ { EVENT, "--image=all" }, NULL },
	{ { NULL }, "--events=" },
	{ { EVENT, "--cpu-type=i386/skylake" }, NULL },
	{ { EVENT, "--cpu-type=timer" }, NULL },
	{ { EVENT, "--cpu-type=i386/486" }, "unknown CPU type 'i386/486'" },
	{ { EVENT, "--cpu-type=" }, "unknown CPU type ''" },
	{ { EVENT, "--wrong" }, "--wrong: unknown option" },
	{ { EVENT, "word" }, "unexpected argument 'word'" },
	{ { EVENT, "--collector=magic" },
	  "'magic' for --collector: expected module, perf, bpf or auto" },
	{ { EVENT, "--vmlinux=/etc/passwd" }, "requires --kernel-range" },
	{ { EVENT, "--vmlinux=/no/such", "--kernel-range=1,2" }, "does not exist" },
	{ { EVENT, "--vmlinux=/etc/passwd", "--kernel-range=0,0" }, "START,END" },
	{ { EVENT, "--vmlinux=/etc/passwd", "--kernel-range=2,1" }, "START,END" },
	{ { EVENT, "--vmlinux=/etc/passwd", "--kernel-range=1-2" }, "START,END" },
	{ { EVENT, "--kernel-range=1,2" }, "requires --vmlinux=FILE" },
	{ { EVENT, "--no-vmlinux", "--vmlinux=/etc/passwd" }, "cannot be used together" },
	{ { EVENT, "--separate-cpu=2" }, "invalid value 2 for --separate-cpu: expected 0 or 1" },
	{ { EVENT, "--separate-cpu=x" }, "--separate-cpu" },
	{ { EVENT, "--verbose=loud" }, "unknown verbose option 'loud'" },
	{ { EVENT, "--verbose=all," }, "unknown verbose option ''" },
	{ { EVENT, "--ext-feature=ibm:op" },
	  "unknown feature 'ibm' for --ext-feature: expected ibs:fetch:" },
	{ { EVENT, "--ext-feature=ibs:op" }, "expected ibs:fetch:" },
	{ { EVENT, "-x", "ibs:op:IBS_OP_ALL:100000:1" }, NULL },
	{ { "--ext-feature=ibs:op:IBS_OP_ALL:100000:1", "--cpu-type=x86-64/zen3" }, NULL },
	{ { EVENT, "--callgraph-depth=-1" }, "expected 0 to 1024" },
	{ { EVENT, "--callgraph-depth=1024", "--unwind=fp", "--unwind-memory=1" }, NULL },
	{ { EVENT, "--callgraph-depth=1025" }, "expected 0 to 1024" },
	{ { EVENT, "--unwind=dwarf" }, "expected tables or fp" },
	{ { EVENT, "--unwind-memory=-1" }, "expected 1 to 16384 MB" },
};

TEST(command_lines)
{
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		const char *argv[8] = { "oprofiled" };
		struct op_error e = { "" };
		struct options o;
		int argc = 1, err;

		while (argc < 7 && lines[i].argv[argc - 1]) {
			argv[argc] = lines[i].argv[argc - 1];
			argc++;
		}
		err = options_parse(argc, argv, &o, &e);
		CHECK(!err == !lines[i].error, "line %zu: %d %s", i, err, e.text);
		if (lines[i].error)
			CHECK(strstr(e.text, lines[i].error) && !strchr(e.text, '\n'),
			      "line %zu: %s", i, e.text);
		options_free(&o);
	}
}

TEST(parsed_options)
{
	const char *argv[] = {"oprofiled",
			      EVENT,
			      "--session-dir=/tmp/./x/../sd",
			      "--image=/etc/./passwd,ext4",
			      "--separate-lib=1",
			      "--separate-thread=1",
			      "--verbose=sfile,arcs",
			      "--collector=perf",
			      "--idle"};
	struct op_error e = { "" };
	struct options o;

	CHECK(!options_parse(ARRAY_SIZE(argv), argv, &o, &e), "%s", e.text);
	CHECK(!strcmp(o.session_dir, "/tmp/sd"), "%s", o.session_dir);
	CHECK(!strcmp(o.wanted[0], "/etc/passwd") && !strcmp(o.wanted[1], "ext4") && !o.wanted[2],
	      "images");
	CHECK(o.separate.lib && o.separate.thread && !o.separate.kernel && !o.separate.cpu,
	      "separation");
	CHECK(o.log_topics == (LOG_SFILE | LOG_ARCS), "%x", o.log_topics);
	CHECK(o.kernel.mode == KERNEL_SYMBOLS, "the kernel's symbols are the default");
	CHECK(!strcmp(o.collector, "perf") && !o.foreground && o.idle, "collector");
	CHECK(!strcmp(o.cpu_type, "timer"), "time is the default");
	options_free(&o);
}

/* Events for the collector and for sample files */

static int request(const char *cpu_type, const char *events_text, struct options *o,
		   struct requested_events *ret, struct op_error *e)
{
	static char type[50];

	memset(o, 0, sizeof(*o));
	snprintf(type, sizeof(type), "%s", cpu_type);
	o->cpu_type = type;
	CHECK(!event_options_parse(events_text, o->events, EVENTS_MAX, &o->nr_events, e), "%s",
	      e->text);
	return request_events(o, ret, e);
}

TEST(a_timer_is_one_event_with_another_name)
{
	static struct requested_events events;
	static struct options o;
	struct op_error e = { "" };

	CHECK(!request("timer", "CPU_CLK_UNHALTED:0x3c:0:100000:1:1:0", &o, &events, &e), "%s",
	      e.text);
	CHECK(events.nr_counters == 1 && events.nr_filed == 1, "%u counters", events.nr_counters);
	CHECK(!strcmp(events.filed[0].name, "TIMER") && !events.filed[0].count &&
		      !events.filed[0].code && !events.filed[0].unit_mask,
	      "its files");
	CHECK(!events.filed[0].no_kernel && events.filed[0].no_user, "modes");
	CHECK(events.collected[0].count == 100000 && events.collected[0].kernel, "its period");
	CHECK(request("timer", "LLC_MISSES:0:0:1000:0:1:1", &o, &events, &e) == -EINVAL &&
		      strstr(e.text, "use CPU_CLK_UNHALTED"), "%s", e.text);
	CHECK(request("timer", "CPU_CLK_UNHALTED:0:1:1000:0:1:1", &o, &events, &e) == -EINVAL &&
		      strstr(e.text, "expected counter 0"), "%s", e.text);
	CHECK(request("timer", "A:0:0:1000:0:1:1,B:0:1:1000:0:1:1", &o, &events, &e) ==
		      -EINVAL && strstr(e.text, "expected one event"), "%s", e.text);
}

TEST(each_counter_has_files)
{
	static struct requested_events events;
	static struct options o;
	struct op_error e = { "" };
	char *text;

	CHECK(!request("i386/alderlake-p",
			   "CYC:0x3c:0:1000:0:1:1::cpu_core,CYC:0x3d:0:1000:0:1:1::cpu_atom,"
			   "MISS:0x2e:3:2000:0x41:0:1:0x40000",
			   &o, &events, &e), "%s", e.text);
	CHECK(o.nr_events == 3 && events.nr_counters == 4 && events.nr_filed == 4, "%u counters",
	      events.nr_counters);
	CHECK(!strcmp(events.filed[0].name, "CYC") && events.filed[0].code == 0x3c,
	      "of the first kind of CPU");
	CHECK(!events.filed[1].name[0] && !events.filed[2].name[0], "not in use");
	CHECK(!strcmp(events.filed[3].name, "MISS") && events.filed[3].unit_mask == 0x41 &&
		      events.filed[3].count == 2000 && events.filed[3].no_kernel, "the last one");
	CHECK(events.collected[1].code == 0x3d && !strcmp(events.collected[1].pmu, "cpu_atom") &&
		      events.collected[2].extra == 0x40000 && events.collected[2].counter == 3,
	      "what is programmed");
	text = options_events_text(&o);
	CHECK(!strcmp(text, "CYC:1000:0:1:1 MISS:2000:65:0:1"), "%s", text);
	free(text);
}

TEST_MAIN()
