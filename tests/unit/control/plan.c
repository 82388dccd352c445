// SPDX-License-Identifier: GPL-2.0-or-later
/* plan.c - requested events, and the options of oprofiled for them */
#include "control/plan/plan.h"
#include "oprofilefs/op_abi.h"
#include "tests/unit/control/fake_host.h"

#define NR(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_EVENTS 12

/* perf, on one kind of CPU. */
static struct collector_choice choice_of(const char *type)
{
	struct collector_choice c = { .counts = true, .root = "/nonexistent", .kinds.nr = 1 };

	c.kinds.kind[0].type = cpu_type_by_name(type);
	c.kinds.kind[0].nr_counters = c.kinds.kind[0].type->nr_counters;
	strcpy(c.model, "perf");
	return c;
}

/* The module, with @nr counters in each of @sets sets. */
static struct collector_choice module_of(const char *type, const char *model, unsigned int general,
					 unsigned int nr, unsigned int sets)
{
	struct collector_choice c = choice_of(type);

	c.module = true;
	c.kinds.kind[0].nr_counters = general;
	c.nr_counters = nr;
	c.numbers = nr * sets >= 64 ? ~0ull : (1ull << nr * sets) - 1;
	c.all_alike = !strcmp(model, "perf");
	strcpy(c.model, model);
	return c;
}

static struct collector_choice alder_lake(void)
{
	struct collector_choice c = choice_of("i386/alderlake-p");

	c.kinds.nr = 2;
	c.kinds.kind[1].type = cpu_type_by_name("i386/alderlake-e");
	c.kinds.kind[1].nr_counters = 6;
	strcpy(c.kinds.kind[0].pmu, "cpu_core");
	strcpy(c.kinds.kind[0].cpus, "0-7");
	strcpy(c.kinds.kind[1].pmu, "cpu_atom");
	strcpy(c.kinds.kind[1].cpus, "8-15");
	return c;
}

static struct collector_choice timer(void)
{
	struct collector_choice c = { .clock_khz = 2600000 };

	strcpy(c.by_time, "no hardware counters here");
	return c;
}

/* @events end with NULL. *@s: the set-up. */
static int plan_of(const struct collector_choice *c, const char *const *events, struct setup *s,
		   struct event_plan *p, struct op_error *e)
{
	setup_init(s);
	*p = (struct event_plan){ .notes = STRBUF_INIT };
	e->text[0] = '\0';
	for (size_t i = 0; events[i]; i++) {
		struct setting one = { SET_EVENT, (char *)events[i] };
		size_t kept = s->nr_events;

		if (i) {	/* each call's first event replaces the ones before */
			CHECK(!event_request_parse(events[i], false, &s->events[kept], e), "%s",
			      e->text);
			s->nr_events = kept + 1;
		} else {
			CHECK(!setup_set(s, &one, 1, e), "%s", e->text);
		}
	}
	return event_plan_make(c, s, p, e);
}

/* Expect the option @want, or the error @want_err with a message that contains @want. */
static void check(const struct collector_choice *c, const char *const *events, int want_err,
		  const char *want)
{
	struct event_plan p;
	struct op_error e;
	struct setup s;
	int err = plan_of(c, events, &s, &p, &e);
	char *text = err ? NULL : event_plan_format(&p);
	const char *got = err ? e.text : text ? text : "";

	CHECK(err == want_err, "%s...: %d, %s", events[0] ? events[0] : "none", err, e.text);
	CHECK(err ? strstr(got, want) != NULL : !strcmp(got, want), "%s...: got %s",
	      events[0] ? events[0] : "none", got);
	free(text);
	if (!err)
		event_plan_free(&p);
	setup_free(&s);
}

TEST(by_time)
{
	static const struct {
		const char *events[MAX_EVENTS];
		int err;
		const char *want;
	} cases[] = {
		{ { NULL }, 0, "CPU_CLK_UNHALTED:0x0:0:100000:0x0:1:1" },
		{ { "CPU_CLK_UNHALTED:39000" }, 0, "CPU_CLK_UNHALTED:0x0:0:39000:0x0:1:1" },
		{ { "CPU_CLK_UNHALTED:50000:0x0:0:1" }, 0, "CPU_CLK_UNHALTED:0x0:0:50000:0x0:0:1" },
		{ { "CPU_CLK_UNHALTED:38999" }, -ERANGE, "minimum, 39000 at" },
		{ { "CPU_CLK_UNHALTED:100000:1" }, -EINVAL, "invalid unit mask '1'" },
		{ { "CPU_CLK_UNHALTED:100000:any" }, -EINVAL, "invalid unit mask 'any'" },
		{ { "LLC_MISSES:100000" }, -ENOENT,
		  "cannot count event 'LLC_MISSES': sampling is by time (no hardware" },
		{ { "cpu_clk_unhalted:100000" }, -ENOENT, "use CPU_CLK_UNHALTED" },
		{ { "CPU_CLK_UNHALTED:100000", "CPU_CLK_UNHALTED:200000" }, -EINVAL, "distinct" },
	};
	struct collector_choice c = timer();

	for (size_t i = 0; i < NR(cases); i++)
		check(&c, cases[i].events, cases[i].err, cases[i].want);
}

/* A rate is at the nominal clock, and for the default event only. */
TEST(rate_of_the_default_event)
{
	struct collector_choice time = timer(), counters = choice_of("i386/core_2");
	struct event_request event;

	counters.clock_khz = 2000000;
	CHECK(!event_plan_default(&time, 100, &event, NULL) && event.count == 26000000, "%llu",
	      (unsigned long long)event.count);
	CHECK(!event_plan_default(&counters, 100, &event, NULL) && event.count == 20000000, "%llu",
	      (unsigned long long)event.count);
	CHECK(!event_plan_default(&counters, 0, &event, NULL) && event.count == 100000, "%llu",
	      (unsigned long long)event.count);
}

TEST(minimum_count_by_time)
{
	for (uint64_t khz = 1; khz < 6000000; khz += 98765) {
		uint64_t least = timer_min_count(khz);

		CHECK(least * 1000000 >= OP_TIMER_MIN_PERIOD_NS * khz, "%llu kHz",
		      (unsigned long long)khz);
		CHECK((least - 1) * 1000000 < OP_TIMER_MIN_PERIOD_NS * khz, "%llu kHz",
		      (unsigned long long)khz);
	}
}

TEST(events_of_the_cpu)
{
	static const struct {
		const char *type, *events[MAX_EVENTS];
		int err;
		const char *want;
	} cases[] = {
		{ "i386/core_2", { NULL }, 0, "CPU_CLK_UNHALTED:0x3c:0:100000:0x0:1:1" },
		{ "arm/armv8-ca53", { NULL }, 0, "CPU_CYCLES:0x11:0:100000:0x0:1:1" },
		{ "arm/armv8-ca53", { "CPU_CLK_UNHALTED:200000::0" }, 0,
		  "CPU_CYCLES:0x11:0:200000:0x0:0:1" },
		{ "i386/arch_perfmon", { "LLC_MISSES:6000", "INST_RETIRED:6000:0:1:0" }, 0,
		  "LLC_MISSES:0x2e:0:6000:0x41:1:1,INST_RETIRED:0xc0:1:6000:0x0:1:0" },
		{ "i386/arch_perfmon", { "LLC_MISSES:5999" }, -ERANGE, "minimum, 6000" },
		{ "i386/arch_perfmon", { "LLC_MISSES:6000:1" }, -EINVAL, "LLC_MISSES" },
		{ "i386/arch_perfmon", { "NOPE:6000" }, -ENOENT, "no such event 'NOPE'" },
		{ "i386/arch_perfmon", { "LLC_MISSES:6000", "LLC_MISSES:7000" }, -EINVAL,
		  "distinct" },
		{ "i386/skylake", { "r18041c2:6000" }, 0,
		  "r18041c2:0xc2:0:6000:0x41:1:1:0x1800000" },
	};

	for (size_t i = 0; i < NR(cases); i++) {
		struct collector_choice c = choice_of(cases[i].type);

		check(&c, cases[i].events, cases[i].err, cases[i].want);
	}
}

TEST(minimum_count_with_call_graphs)
{
	struct collector_choice c = choice_of("i386/core_2");
	struct event_plan p;
	struct op_error e;
	struct setup s;

	setup_init(&s);
	s.callgraph_depth = 5;
	CHECK(!setup_set(&s, &(struct setting){ SET_EVENT, (char *)"CPU_CLK_UNHALTED:89999" }, 1,
			 &e), "%s", e.text);
	CHECK(event_plan_make(&c, &s, &p, &e) == -ERANGE && strstr(e.text, "minimum, 90000"), "%s",
	      e.text);
	setup_free(&s);
}

/* Skylake: four general counters (bits 0-3), and instructions' and cycles' own (4, 5). */
TEST(counters_of_the_module)
{
	static const char *const fixed[] = {
		"BR_INST_RETIRED:100000", "r01a2:6000", "r02a2:6000", "r04a2:6000",
		"CPU_CLK_UNHALTED:100000", "INST_RETIRED:100000", NULL,
	};
	static const char *const slots[] = {
		"r01a2:6000", "r02a2:6000", "r04a2:6000", "r08a2:6000", "r01a4:6000", NULL,
	};
	static const char *const cycles_first[] = { "CPU_CLK_UNHALTED:100000", "r01a2:6000", NULL };
	static const char *const turns[] = {
		"r01a2:6000", "r02a2:6000", "r03a2:6000", "r04a2:6000", "r05a2:6000", NULL,
	};
	struct collector_choice c = module_of("i386/arch_perfmon", "intel", 4, 7, 4);
	struct event_plan p;
	struct op_error e;
	struct setup s;

	check(&c, fixed, 0, "BR_INST_RETIRED:0xc4:0:100000:0x0:1:1,r01a2:0xa2:1:6000:0x1:1:1,"
	      "r02a2:0xa2:2:6000:0x2:1:1,r04a2:0xa2:3:6000:0x4:1:1,"
	      "CPU_CLK_UNHALTED:0x3c:5:100000:0x0:1:1,INST_RETIRED:0xc0:4:100000:0x0:1:1");
	check(&c, cycles_first, 0,
	      "CPU_CLK_UNHALTED:0x3c:0:100000:0x0:1:1,r01a2:0xa2:1:6000:0x1:1:1");
	CHECK(!plan_of(&c, turns, &s, &p, &e), "%s", e.text);
	CHECK(p.nr_events == 5 && !strcmp(p.events[4].name, "r05a2") && p.events[4].counter == 7,
	      "the second set's first: %s on %u", p.events[4].name, p.events[4].counter);
	CHECK(strstr(p.notes.text, "take turns"), "notes: %s", p.notes.text);
	event_plan_free(&p);
	setup_free(&s);
	c = module_of("i386/arch_perfmon", "intel", 4, 8, 4);
	check(&c, slots, 0, "r01a2:0xa2:0:6000:0x1:1:1,r02a2:0xa2:1:6000:0x2:1:1,"
	      "r04a2:0xa2:2:6000:0x4:1:1,r08a2:0xa2:3:6000:0x8:1:1,r01a4:0xa4:7:6000:0x1:1:1");
	c = module_of("i386/arch_perfmon", "intel", 4, 4, 1);
	check(&c, turns, -ENOSPC, "need 5, have 4");
	/* AMD's counters are all general; with perf's model any counter can hold any event */
	c = module_of("x86-64/zen3", "amd", 6, 6, 5);
	check(&c, turns, 0, "r01a2:0xa2:0:6000:0x1:1:1,r02a2:0xa2:1:6000:0x2:1:1,"
	      "r03a2:0xa2:2:6000:0x3:1:1,r04a2:0xa2:3:6000:0x4:1:1,r05a2:0xa2:4:6000:0x5:1:1");
	c = module_of("i386/core_2", "perf", 2, 3, 10);
	check(&c, (const char *const[]){ "r01a2:6000", "CPU_CLK_UNHALTED:100000", NULL }, 0,
	      "r01a2:0xa2:0:6000:0x1:1:1,CPU_CLK_UNHALTED:0x3c:1:100000:0x0:1:1");
}

/* Bit 19 of a raw code requests precise addresses, which the module does not have. */
TEST(precise_addresses)
{
	static const char *const events[] = { "r800c0:6000", NULL };
	struct collector_choice c = choice_of("i386/skylake");
	struct event_plan p;
	struct op_error e;
	struct setup s;

	check(&c, events, 0, "r800c0:0xc0:0:6000:0x0:1:1:0x80000");
	c = module_of("i386/arch_perfmon", "intel", 4, 7, 4);
	CHECK(!plan_of(&c, events, &s, &p, &e), "%s", e.text);
	CHECK(p.nr_events == 1 && !strcmp(p.events[0].name, "r800c0") && !p.events[0].extra &&
	      strstr(p.notes.text, "precise"), "%s, %s", p.events[0].name, p.notes.text);
	event_plan_free(&p);
	setup_free(&s);
}

/* More events than counters are not an error; a note is printed. */
TEST(perf_multiplexes)
{
	static const char *const turns[] = { "r01a2:6000", "r02a2:6000", "r03a2:6000", NULL };
	struct collector_choice c = choice_of("i386/core_2");
	struct event_plan p;
	struct op_error e;
	struct setup s;

	CHECK(!plan_of(&c, turns, &s, &p, &e), "%s", e.text);
	CHECK(p.nr_events == 3 && !strcmp(p.events[2].name, "r03a2") && p.events[2].counter == 2 &&
	      strstr(p.notes.text, "take turns"), "%s, %s", p.events[2].name, p.notes.text);
	event_plan_free(&p);
	setup_free(&s);
}

TEST(hybrid)
{
	static const char *const both[] = {
		"CPU_CLK_UNHALTED:100000", "INST_RETIRED:100000", NULL,
	};
	struct collector_choice c = alder_lake();
	struct event_plan p;
	struct op_error e;
	struct setup s;

	check(&c, (const char *const[]){ "CPU_CLK_UNHALTED:100000", NULL }, 0,
	      "CPU_CLK_UNHALTED:0x3c:0:100000:0x0:1:1:0x0:cpu_core,"
	      "CPU_CLK_UNHALTED:0x3c:0:100000:0x0:1:1:0x0:cpu_atom");
	check(&c, (const char *const[]){ "NOPE:100000", NULL }, -ENOENT, "NOPE");
	CHECK(!plan_of(&c, both, &s, &p, &e), "%s", e.text);
	CHECK(!*p.notes.text, "both kinds have both events: %s", p.notes.text);
	CHECK(!strcmp(p.cpu_type, "i386/alderlake-p"), "%s", p.cpu_type);
	event_plan_free(&p);
	setup_free(&s);
}

/* A note names the kind of CPU that does not have the event. */
TEST(hybrid_one_kind_only)
{
	static const char *const performance[] = { "UOPS_DISPATCHED:2000000", NULL };
	struct collector_choice c = alder_lake();
	struct event_plan p;
	struct op_error e;
	struct setup s;

	CHECK(!plan_of(&c, performance, &s, &p, &e), "%s", e.text);
	CHECK(p.nr_events == 1 && !strcmp(p.events[0].pmu, "cpu_core"), "%s", p.events[0].pmu);
	CHECK(strstr(p.notes.text, "UOPS_DISPATCHED is not counted on CPUs 8-15 (Intel Alder Lake, "
		     "efficient core): no such event"), "%s", p.notes.text);
	event_plan_free(&p);
	setup_free(&s);
}

TEST(ibs)
{
	static const struct {
		const char *type, *events[MAX_EVENTS];
		int err;
		const char *ibs;	/* or part of the error */
	} cases[] = {
		{ "x86-64/family10",
		  { "IBS_FETCH_ALL:50000", "CPU_CLK_UNHALTED:100000", "IBS_FETCH_LATENCY:50000" },
		  0, "ibs:fetch:IBS_FETCH_ALL,IBS_FETCH_LATENCY:50000:0x0:1:1" },
		{ "x86-64/family10", { "IBS_OP_ALL:250000:1", "IBS_FETCH_ALL:60000" }, 0,
		  "ibs:fetch:IBS_FETCH_ALL:60000:0x0:1:1|op:IBS_OP_ALL:250000:0x1:1:1" },
		{ "x86-64/family10", { "IBS_OP_ALL:250000:1", "IBS_OP_RETURNS:250001:1" }, -EINVAL,
		  "the same count, unit mask" },
		{ "x86-64/family10", { "IBS_OP_ALL:250000:1", "IBS_OP_RETURNS:250000:0" }, -EINVAL,
		  "the same count, unit mask" },
		{ "x86-64/family10", { "IBS_OP_ALL:1048576" }, -ERANGE, "maximum, 1048575" },
		{ "x86-64/family12h", { "IBS_OP_ALL:134217727" }, 0,
		  "ibs:op:IBS_OP_ALL:134217727:0x1:1:1" },
		{ "x86-64/family12h", { "IBS_FETCH_ALL:1048576" }, -ERANGE, "maximum, 1048575" },
		{ "x86-64/family12h", { "IBS_OP_ALL:49999" }, -ERANGE, "minimum, 50000" },
		{ "x86-64/zen4", { "IBS_OP_ALL:50000:1:0:1" }, 0,
		  "ibs:op:IBS_OP_ALL:50000:0x1:0:1" },
		{ "x86-64/zen4", { "IBS_OP_ALL:50000:1:0:1", "IBS_OP_LOAD:50000:1" }, -EINVAL,
		  "user flags" },
	};

	for (size_t i = 0; i < NR(cases); i++) {
		struct collector_choice c = choice_of(cases[i].type);
		struct event_plan p;
		struct op_error e;
		struct setup s;
		int err = plan_of(&c, cases[i].events, &s, &p, &e);

		CHECK(err == cases[i].err, "case %zu: %d, %s", i, err, e.text);
		if (err)
			CHECK(strstr(e.text, cases[i].ibs), "case %zu: %s", i, e.text);
		else
			CHECK(!strcmp(p.ibs, cases[i].ibs), "case %zu: %s", i, p.ibs);
		CHECK(err || !p.nr_events == (i != 0), "case %zu: %u events", i, p.nr_events);
		event_plan_free(&p);
		setup_free(&s);
	}
}

/* CTL-62: the set-up gets the unit mask of the table. */
TEST(settled_unit_masks)
{
	static const struct {
		const char *type, *event, *saved;
	} cases[] = {
		{ "i386/core_2", "CPU_CLK_UNHALTED:90000", "CPU_CLK_UNHALTED:90000:0:1:1" },
		{ "i386/arch_perfmon", "LLC_MISSES:6000", "LLC_MISSES:6000:65:1:1" },
		{ "i386/arch_perfmon", "LLC_MISSES:6000:0x41:0", "LLC_MISSES:6000:65:0:1" },
		{ "i386/sandybridge", "INT_MISC:2000000:recovery_cycles",
		  "INT_MISC:2000000:recovery_cycles:1:1" },
	};

	for (size_t i = 0; i < NR(cases); i++) {
		struct collector_choice c = choice_of(cases[i].type);
		struct strbuf text = STRBUF_INIT;
		struct event_plan p;
		struct op_error e;
		struct setup s;

		CHECK(!plan_of(&c, (const char *const[]){ cases[i].event, NULL }, &s, &p, &e), "%s",
		      e.text);
		event_plan_settle(&p, &s);
		event_request_format(&s.events[0], &text);
		CHECK(!strcmp(text.text, cases[i].saved), "%s: %s", cases[i].event, text.text);
		strbuf_free(&text);
		event_plan_free(&p);
		setup_free(&s);
	}
}

/* Their sample files would have the same names. */
TEST(masks_with_the_same_number)
{
	struct collector_choice c = choice_of("i386/sandybridge");

	check(&c, (const char *const[]){ "INT_MISC:2000000:recovery_cycles",
					 "INT_MISC:2000000:recovery_stalls_count", NULL },
	      -EINVAL, "another count");
	check(&c, (const char *const[]){ "INT_MISC:2000000:recovery_cycles",
					 "INT_MISC:2000001:recovery_stalls_count", NULL },
	      0, "INT_MISC:0xd:0:2000000:0x3:1:1:0x1000000,"
	      "INT_MISC:0xd:1:2000001:0x3:1:1:0x1040000");
}

TEST_MAIN()
