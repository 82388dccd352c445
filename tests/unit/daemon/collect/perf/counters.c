// SPDX-License-Identifier: GPL-2.0-or-later
/* counters.c - conversion of events for perf, on this and other machines; error messages */
#include <errno.h>
#include <linux/perf_event.h>

#include "daemon/collect/perf/counters.h"
#include "daemon/collect/perf/open.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define EDGE_CMASK 0x1840000	/* EXTRA_EDGE and a threshold of 1 with invert */

static const struct perf_machine here = { .root = "", .max_rate = 100000 };
static bool with_idle = true;

static int make(const char *cpu_type, const struct collector_event *event, unsigned int nr,
		const struct perf_machine *machine, struct perf_counter **ret, struct op_error *e)
{
	struct collector_config config = { .cpu_type = cpu_type, .events = event, .nr_events = nr,
					   .clock_khz = 1000000, .idle = with_idle };
	unsigned int got = 0;
	int err = perf_counters_make(&config, machine, ret, &got, e);

	CHECK(err || got == nr, "%u counters", got);
	return err;
}

TEST(by_time_uses_the_cpu_clock)
{
	struct collector_event event = { .count = 100000, .user = true, .code = 5, .extra = 9 };
	struct perf_counter *c;

	CHECK(!make("timer", &event, 1, &here, &c, NULL), "make");
	CHECK(c->type == PERF_TYPE_SOFTWARE && c->config == PERF_COUNT_SW_CPU_CLOCK, "event");
	CHECK(c->period == 100000 && c->period_ns == 100000, "period");
	CHECK(!c->kernel && c->user && !c->exclude_idle && !c->precise && !c->counter, "flags");
	CHECK(perf_counters_period_ns(c, 1, 1000000, 100000) == 100000, "ring");
	free(c);
	with_idle = false;
	CHECK(!make(NULL, &event, 1, &here, &c, NULL) && c->exclude_idle, "idle");
	with_idle = true;
	free(c);
}

static const struct {
	const char *cpu_type;
	struct collector_event event;
	uint64_t config;
	unsigned int precise;
	bool cycles;
	uint64_t period_ns;
} events[] = {
	{ "i386/skylake", { .name = "CPU_CLK_UNHALTED", .code = 0x3c }, 0x3c, 0, true, 200000 },
	{ "i386/skylake", { .name = "LLC_MISSES", .code = 0x2e, .unit_mask = 0x41 }, 0x412e, 0,
	  false, 0 },
	{ "i386/skylake", { .name = "X", .code = 0xc2, .unit_mask = 2, .extra = EDGE_CMASK },
	  0x18402c2, 0, false, 0 },
	{ "i386/skylake", { .name = "X", .code = 0xc0, .unit_mask = 1, .extra = 1 << 19 }, 0x1c0, 3,
	  false, 0 },
	{ "i386/skylake", { .name = "CPU_CLK_UNHALTED", .code = 0x3c, .extra = 1 << 19 }, 0x3c, 3,
	  false, 200000 },
	{ "x86-64/generic", { .name = "X", .code = 0x1d0, .unit_mask = 0xff }, 0x10000ffd0, 0,
	  false, 0 },
	{ "arm/armv8-ca57", { .name = "CPU_CYCLES", .code = 0x11 }, 0x11, 0, true, 200000 },
	{ "arm/armv8-ca57", { .name = "X", .code = 0x1234 }, 0x1234, 0, false, 0 },
};

TEST(selects)
{
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		struct collector_event event = events[i].event;
		struct op_error e = { "" };
		struct perf_counter *c;

		event.count = 200000;
		event.counter = 3;
		event.kernel = true;
		CHECK(!make(events[i].cpu_type, &event, 1, &here, &c, &e), "case %zu: %s", i,
		      e.text);
		CHECK(c->type == PERF_TYPE_RAW && c->config == events[i].config &&
			      c->period == 200000 && c->precise == events[i].precise &&
			      c->precise_asked == c->precise && c->cycles == events[i].cycles &&
			      c->period_ns == events[i].period_ns && c->counter == 3 &&
			      c->kernel && !c->user && !c->exclude_idle,
		      "case %zu: config 0x%llx", i, (unsigned long long)c->config);
		CHECK(perf_counter_is_on(c, 0) && perf_counter_is_on(c, 1000), "all CPUs");
		free(c);
	}
}

static void put_pmu(const char *name, const char *type, const char *cpus)
{
	char path[300];

	snprintf(path, sizeof(path), "sys/bus/event_source/devices/%s", name);
	file_make_dirs(tmpdir_path(path), 0755);
	snprintf(path, sizeof(path), "sys/bus/event_source/devices/%s/type", name);
	put_text(tmpdir_path(path), type);
	snprintf(path, sizeof(path), "sys/bus/event_source/devices/%s/cpus", name);
	if (cpus)
		put_text(tmpdir_path(path), cpus);
}

TEST(types_of_cpu)
{
	static const struct collector_event two[] = {
		{ .name = "CPU_CLK_UNHALTED", .code = 0x3c, .count = 100000, .user = true,
		  .pmu = "cpu_core" },
		{ .name = "CPU_CLK_UNHALTED", .code = 0x3c, .count = 100000, .user = true,
		  .pmu = "cpu_atom" },
		{ .name = "X", .code = 1, .count = 100000, .user = true, .pmu = "other" },
	};
	struct perf_machine machine = here;
	struct op_error e = { "" };
	struct perf_counter *c;
	char root[5000];

	tmpdir_make();
	snprintf(root, sizeof(root), "%s", tmpdir);
	machine.root = root;
	put_pmu("cpu_core", "4\n", "0-3\n");
	put_pmu("cpu_atom", "10\n", "4-5,7\n");
	put_pmu("other", "11\n", NULL);
	CHECK(!make("i386/alderlake-p", two, 3, &machine, &c, &e), "%s", e.text);
	CHECK(c[0].type == 4 && c[1].type == 10 && c[2].type == 11, "types");
	CHECK(!c[0].cycles, "the kernel's own cycles would be another PMU's");
	CHECK(perf_counter_is_on(&c[0], 3) && !perf_counter_is_on(&c[0], 4), "core");
	CHECK(!perf_counter_is_on(&c[1], 3) && perf_counter_is_on(&c[1], 4) &&
		      !perf_counter_is_on(&c[1], 6) && perf_counter_is_on(&c[1], 7) &&
		      !perf_counter_is_on(&c[1], 1023),
	      "atom");
	CHECK(perf_counter_is_on(&c[2], 9), "one without a list");
	put_pmu("cpu_atom", "10\n", "4-7\n");
	perf_counters_refresh(c, 3, root);
	CHECK(perf_counter_is_on(&c[1], 6), "a CPU that came");
	free(c);
	unlink(tmpdir_path("sys/bus/event_source/devices/cpu_atom/type"));
	CHECK(make("i386/alderlake-p", two, 2, &machine, &c, &e) == -ENOENT &&
		      strstr(e.text, "event 'CPU_CLK_UNHALTED': PMU 'cpu_atom' not found"),
	      "%s", e.text);
}

TEST(refusals)
{
	struct collector_event fast = { .name = "CPU_CLK_UNHALTED", .code = 0x3c, .count = 9999,
					.user = true };
	struct collector_event deaf = { .name = "X", .count = 100000 };
	struct op_error e = { "" };
	struct perf_counter *c;

	CHECK(make("i386/skylake", &fast, 1, &here, &c, &e) == -EINVAL &&
		      strstr(e.text, "event 'CPU_CLK_UNHALTED': count 9999 exceeds") &&
		      strstr(e.text, "at least 10000"), "%s", e.text);
	fast.count = 10000;
	CHECK(!make("i386/skylake", &fast, 1, &here, &c, &e), "the count that was named: %s",
	      e.text);
	free(c);
	fast.name = "INST_RETIRED";
	fast.count = 1;
	CHECK(!make("i386/skylake", &fast, 1, &here, &c, &e), "of others the rate isn't known");
	free(c);
	CHECK(make("i386/skylake", &deaf, 1, &here, &c, &e) == -EINVAL &&
		      strstr(e.text, "neither kernel nor user"), "%s", e.text);
	CHECK(make("timer", &deaf, 0, &here, &c, &e) == -EINVAL, "no event");
	deaf = (struct collector_event){ .name = "X", .code = 0x1c0ff, .count = 100000,
					 .user = true };
	CHECK(make("i386/skylake", &deaf, 1, &here, &c, &e) == -EINVAL &&
		      strstr(e.text, "code 0x1c0ff, unit mask 0x0 or extra 0x0 is out of range"),
	      "%s", e.text);
	deaf.code = 0x1c0;
	CHECK(make("i386/skylake", &deaf, 1, &here, &c, &e) == -EINVAL, "Intel's have 8 bits");
	deaf = (struct collector_event){ .name = "X", .unit_mask = 0x100, .count = 100000,
					 .user = true };
	CHECK(make("x86-64/zen1", &deaf, 1, &here, &c, &e) == -EINVAL, "a mask of 9 bits");
	deaf.unit_mask = 7;
	CHECK(make("arm/armv8-ca57", &deaf, 1, &here, &c, &e) == -EINVAL, "Arm has no masks");
	CHECK(make("i386/486", &deaf, 1, &here, &c, &e) == -EINVAL, "no such type");
}

/* Rings are sized for all events together, up to the kernel's limit. */
TEST(rates_add_up)
{
	struct perf_counter c[3] = { { .period = 100000 }, { .period = 100000 },
				     { .period = 1 } };

	CHECK(perf_counters_period_ns(c, 1, 1000000, 0) == 100000, "one");
	CHECK(perf_counters_period_ns(c, 2, 1000000, 0) == 50000, "two");
	CHECK(perf_counters_period_ns(c + 2, 1, 1000000, 100000) == 10000, "the limit");
	CHECK(perf_counters_period_ns(c + 2, 1, 1000000, 0) == 1, "no limit");
	CHECK(perf_counters_period_ns(c, 1, 0, 0) == 1, "no clock");
}

static const struct {
	int err;
	bool counter;
	const char *says;
} explained[] = {
	{ -EACCES, true, "kernel.perf_event_paranoid is" },
	{ -EPERM, false, "kernel.perf_event_paranoid is" },
	{ -ENOENT, true, "event 'MISS': CPU 5 has no hardware counters for it" },
	{ -EOPNOTSUPP, true, "event 'MISS' cannot be sampled on CPU 5, only counted" },
	{ -EBUSY, true, "the counters of CPU 5 are in use" },
	{ -EINVAL, true, "event 'MISS' (select 0x412e): the kernel cannot count it on CPU 5" },
	{ -ENOSPC, true, "no counter of CPU 5 can count it" },
	{ -ENOSYS, true, "this kernel lacks perf_event_open(2)" },
	{ -EMFILE, true, "ulimit -n" },
	{ -ENODEV, true, "CPU 5 is offline" },
	{ -EINVAL, false, "cannot open a perf event on CPU 5: Invalid argument" },
	{ -EIO, true, "cannot open a perf event on CPU 5" },
};

TEST(errors_are_explained)
{
	static const struct perf_counter miss = { .name = "MISS", .type = PERF_TYPE_RAW,
						  .config = 0x412e };

	for (size_t i = 0; i < ARRAY_SIZE(explained); i++) {
		struct op_error e = { "" };
		int err = perf_open_error(explained[i].err, explained[i].counter ? &miss : NULL, 5,
				       &e);

		CHECK(err == explained[i].err && strstr(e.text, explained[i].says), "%d: %s", err,
		      e.text);
	}
}

TEST_MAIN()
