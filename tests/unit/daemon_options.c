// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon_options.c - oprofiled's command line: what is taken, and the one line for what is not */
#include <errno.h>
#include <string.h>
#include "options.h"
#include "log.h"
#include "tap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define EVENT "--events=CPU_CLK_UNHALTED:0:0:100000:0:1:1"

static const struct {
	const char *text;
	unsigned int nr;
	const char *error;		/* part of it; NULL: fine */
} events[] = {
	{ "A:0:0:100:0:1:1", 1, NULL },
	{ "A:0x3c:0:100:0x41:1:0,", 1, NULL },
	{ "A:1:0:100:0:1:1,B:2:1:200:0:0:1", 2, NULL },
	{ "", 0, "names no event" },
	{ ",", 0, "names no event" },
	{ "A", 0, "is not NAME:value" },
	{ "A:0:0:100:0:1", 0, "is not NAME:value" },
	{ "A:0:0:100:0:1:1:1", 0, "is not NAME:value" },
	{ "A:0:0:100:0:1:", 0, "user ''" },
	{ "A.B:0:0:100:0:1:1", 0, "no event's name" },
	{ "../A:0:0:100:0:1:1", 0, "no event's name" },
	{ ":0:0:100:0:1:1", 0, "no event's name" },
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
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		struct event_option got[EVENTS_MAX];
		struct op_error e = { "" };
		unsigned int nr = 0;
		int err = events_parse(events[i].text, got, EVENTS_MAX, &nr, &e);

		CHECK(!err == !events[i].error, "\"%s\": %d %s", events[i].text, err, e.text);
		CHECK(nr == events[i].nr, "\"%s\": %u events", events[i].text, nr);
		if (events[i].error)
			CHECK(strstr(e.text, events[i].error), "\"%s\": %s", events[i].text,
			      e.text);
	}
}

TEST(event_fields)
{
	struct event_option got[EVENTS_MAX];
	unsigned int nr;

	CHECK(!events_parse("A:0x3c:3:100:0x41:1:0", got, EVENTS_MAX, &nr, NULL), "parse");
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
	{ { EVENT, "--wrong" }, "--wrong: unknown option" },
	{ { EVENT, "word" }, "'word' is no option" },
	{ { EVENT, "--collector=magic" }, "it is module or perf" },
	{ { EVENT, "--vmlinux=/etc/passwd" }, "needs --kernel-range" },
	{ { EVENT, "--vmlinux=/no/such", "--kernel-range=1,2" }, "does not exist" },
	{ { EVENT, "--vmlinux=/etc/passwd", "--kernel-range=0,0" }, "START,END" },
	{ { EVENT, "--vmlinux=/etc/passwd", "--kernel-range=2,1" }, "START,END" },
	{ { EVENT, "--vmlinux=/etc/passwd", "--kernel-range=1-2" }, "START,END" },
	{ { EVENT, "--kernel-range=1,2" }, "with --vmlinux=FILE only" },
	{ { EVENT, "--no-vmlinux", "--vmlinux=/etc/passwd" }, "exclude each other" },
	{ { EVENT, "--separate-cpu=2" }, "it is 0 or 1" },
	{ { EVENT, "--separate-cpu=x" }, "--separate-cpu" },
	{ { EVENT, "--verbose=loud" }, "unknown verbose option 'loud'" },
	{ { EVENT, "--verbose=all," }, "unknown verbose option ''" },
	{ { EVENT, "--ext-feature=ibs:op" }, "no such feature" },
	{ { EVENT, "--callgraph-depth=-1" }, "0 to 255" },
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

TEST(what_they_become)
{
	const char *argv[] = {"oprofiled",
			      EVENT,
			      "--session-dir=/tmp/./x/../sd",
			      "--image=/etc/./passwd,ext4",
			      "--separate-lib=1",
			      "--separate-thread=1",
			      "--verbose=sfile,arcs",
			      "--collector=perf"};
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
	CHECK(!strcmp(o.collector, "perf") && !o.foreground, "collector");
	options_free(&o);
}

TEST_MAIN()
