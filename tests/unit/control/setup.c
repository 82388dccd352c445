// SPDX-License-Identifier: GPL-2.0-or-later
/* setup.c - values of set-up options, and their effect on the set-up */
#include <errno.h>
#include "control/opcontrol/setup.h"
#include "libdb/session/session.h"
#include "libutil/xalloc.h"
#include "tests/tap.h"

#define NR(a) (sizeof(a) / sizeof((a)[0]))

/* Apply one option to the defaults. */
static int set1(struct setup *s, enum setting_id id, const char *value, struct op_error *e)
{
	struct setting one = { id, (char *)value };

	setup_init(s);
	return setup_set(s, &one, 1, e);
}

TEST(values)
{
	const struct {
		enum setting_id id;
		const char *value;
		int err;
	} cases[] = {
		{ SET_EVENT, "default", 0 },
		{ SET_EVENT, "A:1", 0 },
		{ SET_EVENT, "A", -EINVAL },
		{ SET_MAX_COST, "0.01", 0 },
		{ SET_MAX_COST, "2.5", 0 },
		{ SET_MAX_COST, "100", 0 },
		{ SET_MAX_COST, "0", -EINVAL },
		{ SET_MAX_COST, "0.009", -EINVAL },
		{ SET_MAX_COST, "101", -EINVAL },
		{ SET_MAX_COST, "1e1", -EINVAL },
		{ SET_MAX_COST, "-1", -EINVAL },
		{ SET_SEPARATE, "none", 0 },
		{ SET_SEPARATE, "lib,thread", 0 },
		{ SET_SEPARATE, "library,kernel,cpu", 0 },
		{ SET_SEPARATE, "lib,", -EINVAL },
		{ SET_SEPARATE, "libs", -EINVAL },
		{ SET_VMLINUX, "kallsyms", 0 },
		{ SET_VMLINUX, "/nonexistent/vmlinux", -ENOENT },
		{ SET_VMLINUX, "/proc/version", -ENOEXEC },
		{ SET_VMLINUX, "/proc/self/exe", -ENOEXEC },
		{ SET_KERNEL_RANGE, "ffffffff81000000,ffffffff82000000", 0 },
		{ SET_KERNEL_RANGE, "0x1000,0X2000", 0 },
		{ SET_KERNEL_RANGE, "2000,1000", -EINVAL },
		{ SET_KERNEL_RANGE, "1000", -EINVAL },
		{ SET_KERNEL_RANGE, "1000,", -EINVAL },
		{ SET_KERNEL_RANGE, ",1000", -EINVAL },
		{ SET_KERNEL_RANGE, "1-2", -EINVAL },
		{ SET_KERNEL_RANGE, "0,fffffffffffffffff", -EINVAL },
		{ SET_IMAGE, "all", 0 },
		{ SET_IMAGE, "/bin/sh,/bin/ls", 0 },
		{ SET_IMAGE, "sh", -EINVAL },
		{ SET_IMAGE, "/bin/sh,", -EINVAL },
		{ SET_BUFFER_SIZE, "0x10000", 0 },
		{ SET_BUFFER_SIZE, "010000", 0 },
		{ SET_BUFFER_SIZE, "abc", -EINVAL },
		{ SET_BUFFER_SIZE, "16777217", -EINVAL },
		{ SET_BUFFER_SIZE, "0", 0 },
		{ SET_BUFFER_SIZE, "1024", 0 },
		{ SET_BUFFER_SIZE, "1023", -EINVAL },
		{ SET_BUFFER_WATERSHED, "-1", -EINVAL },
		{ SET_BUFFER_WATERSHED, "1", 0 },
		{ SET_CPU_BUFFER_SIZE, "8192", 0 },
		{ SET_CPU_BUFFER_SIZE, "15", -EINVAL },
		{ SET_CPU_BUFFER_SIZE, "1048577", -EINVAL },
		{ SET_CALLGRAPH, "64", 0 },
		{ SET_CALLGRAPH, "1024", 0 },
		{ SET_CALLGRAPH, "1025", -EINVAL },
		{ SET_CALL_ARCS, NULL, 0 },
		{ SET_CALL_ARCS, "no", 0 },
		{ SET_CALL_ARCS, "1", -EINVAL },
		{ SET_UNWIND, "tables", 0 },
		{ SET_UNWIND, "fp", 0 },
		{ SET_UNWIND, "FP", -EINVAL },
		{ SET_UNWIND_MEMORY, "0", 0 },
		{ SET_UNWIND_MEMORY, "16384", 0 },
		{ SET_UNWIND_MEMORY, "16385", -EINVAL },
		{ SET_HISTORY, NULL, 0 },
		{ SET_HISTORY, "no", 0 },
		{ SET_HISTORY, "12h", 0 },
		{ SET_HISTORY, "59m", -EINVAL },
		{ SET_HISTORY, "14", -EINVAL },
		{ SET_QUOTA, "16M", 0 },
		{ SET_QUOTA, "15M", -EINVAL },
		{ SET_SLICE, "1h", 0 },
		{ SET_SLICE, "2h", -EINVAL },
		{ SET_SESSION_DIR, "/tmp/x", 0 },
		{ SET_COLLECTOR, "module", 0 },
		{ SET_COLLECTOR, "perf", 0 },
		{ SET_COLLECTOR, "bpf", 0 },
		{ SET_COLLECTOR, "auto", 0 },
		{ SET_COLLECTOR, "ebpf", -EINVAL },
		{ SET_MODEL, "auto", 0 },
		{ SET_MODEL, "intel", 0 },
		{ SET_MODEL, "nmi-ipi", 0 },
		{ SET_MODEL, "p4", -EINVAL },
		{ SET_MODEL, "", -EINVAL },
	};

	for (size_t i = 0; i < NR(cases); i++) {
		struct op_error e = { "" };
		struct setup s;
		int err = set1(&s, cases[i].id, cases[i].value, &e);

		CHECK(err == cases[i].err, "'%s': expected %d, got %d", cases[i].value,
		      cases[i].err, err);
		CHECK(!err || e.text[0], "'%s': no reason given", cases[i].value);
		setup_free(&s);
	}
}

/* The later of the two options counts. */
TEST(bound_or_exact_count)
{
	struct setting both[] = { { SET_EXACT_COUNT, NULL }, { SET_MAX_COST, (char *)"2" } };
	struct setup s;

	setup_init(&s);
	CHECK(s.max_cost == MAX_COST_DEFAULT, "%f", s.max_cost);
	CHECK(!setup_set(&s, both, 1, NULL) && s.max_cost == MAX_COST_NONE, "%f", s.max_cost);
	CHECK(!setup_set(&s, both, 2, NULL) && s.max_cost == 2, "%f", s.max_cost);
	setup_free(&s);
}

TEST(separate)
{
	const struct {
		const char *list;
		bool lib, kernel, thread, cpu, cgroup;
	} cases[] = {
		{ "none", false, false, false, false, false },
		{ "lib", true, false, false, false, false },
		{ "kernel", true, true, false, false, false },
		{ "thread,cpu", false, false, true, true, false },
		{ "cgroup,lib", true, false, false, false, true },
		{ "all", true, true, true, true, false },
	};

	for (size_t i = 0; i < NR(cases); i++) {
		struct setting two[] = { { SET_SEPARATE, (char *)"all,cgroup" },
					 { SET_SEPARATE, (char *)cases[i].list } };
		struct setup s;

		setup_init(&s);
		CHECK(!setup_set(&s, two, 2, NULL), "%s", cases[i].list);
		CHECK(s.separate_lib == cases[i].lib && s.separate_kernel == cases[i].kernel &&
		      s.separate_thread == cases[i].thread && s.separate_cpu == cases[i].cpu &&
		      s.separate_cgroup == cases[i].cgroup,
		      "%s: each use starts from none", cases[i].list);
		setup_free(&s);
	}
}

TEST(first_event_replaces_saved_ones)
{
	struct setting two[] = { { SET_EVENT, (char *)"B:2" }, { SET_EVENT, (char *)"C:3" } };
	struct setting none[] = { { SET_EVENT, (char *)"default" } };
	struct setup s;

	CHECK(!set1(&s, SET_EVENT, "A:1", NULL), "A");
	CHECK(!setup_set(&s, two, 2, NULL), "B C");
	CHECK(s.nr_events == 2 && !strcmp(s.events[0].name, "B"), "%zu events", s.nr_events);
	CHECK(!setup_set(&s, none, 1, NULL), "default");
	CHECK(s.nr_events == 0, "events after --event=default");
	setup_free(&s);
}

/* control/plan/plan.h checks whether two events are the same. */
TEST(events_that_cannot_be_combined)
{
	struct setting mixed[] = { { SET_EVENT, (char *)"A:1" }, { SET_EVENT, (char *)"default" } };
	struct setting many[SETUP_MAX_EVENTS + 1];
	struct setup s;

	setup_init(&s);
	CHECK(setup_set(&s, mixed, 2, NULL) == -EINVAL, "default and another");
	for (size_t i = 0; i < NR(many); i++)
		many[i] = (struct setting){ SET_EVENT, (char *)"A:1" };
	CHECK(!setup_set(&s, many, SETUP_MAX_EVENTS, NULL), "the maximum");
	CHECK(setup_set(&s, many, NR(many), NULL) == -EINVAL, "one more");
	setup_free(&s);
}

TEST(check)
{
	struct setting watershed[] = { { SET_BUFFER_SIZE, (char *)"2000" },
				       { SET_BUFFER_WATERSHED, (char *)"2000" } };
	struct setting below[] = { { SET_BUFFER_SIZE, (char *)"2000" },
				   { SET_BUFFER_WATERSHED, (char *)"1999" } };
	struct setting small[] = { { SET_BUFFER_SIZE, (char *)"32768" } };
	struct setting late[] = { { SET_BUFFER_WATERSHED, (char *)"131072" } };
	struct setting range[] = { { SET_KERNEL_RANGE, (char *)"1,2" } };
	const struct {
		struct setting *settings;
		size_t nr;
		int err;
		const char *message;
	} cases[] = {
		{ NULL, 0, 0, "" },
		{ watershed, 2, -EINVAL, "=2000 must be smaller than --buffer-size=2000" },
		{ below, 2, 0, "" },
		{ small, 1, -EINVAL, "=32768 (the default) must be" },
		{ late, 1, -EINVAL, "--buffer-size=131072 (the default)" },
		{ range, 1, -EINVAL, "--kernel-range" },
	};

	for (size_t i = 0; i < NR(cases); i++) {
		struct op_error e = { "" };
		struct setup s;

		setup_init(&s);
		CHECK(!setup_set(&s, cases[i].settings, cases[i].nr, &e), "%s", e.text);
		CHECK(setup_check(&s, &e) == cases[i].err, "case %zu: %s", i, e.text);
		CHECK(strstr(e.text, cases[i].message), "case %zu: %s", i, e.text);
		setup_free(&s);
	}
}

TEST_MAIN()
