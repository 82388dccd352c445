// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf.c - sampling with perf's events: on each CPU samples + throttled = events / count, and the
 * times add up, also of events on a CPU that goes offline
 */
#include "tests/unit/module/kernel/fake.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "module/op_model_perf.c"
#pragma GCC diagnostic pop
#include "tests/tap.h"

#define PERIOD 1000

struct op_counter op_counters[OP_MAX_VIRTUAL];
struct op_stats op_stats[FAKE_CPUS];
static struct op_reason why;
static unsigned int samples[FAKE_CPUS];

void op_sample(struct pt_regs *regs, unsigned int event)
{
	CHECK(event < OP_MAX_VIRTUAL && regs, "event %u", event);
	samples[fake_cpu]++;
}

void op_sync_kick(enum op_sync_urgency urgency)
{
	(void)urgency;
}

const char *op_x86_cpu_type(void)
{
	return "i386/arch_perfmon";
}

unsigned long op_x86_extra_mask(void)
{
	return OP_EXTRA_X86;
}

static void ask(unsigned int n, bool kernel, bool user)
{
	op_counters[n] = (struct op_counter){
		.enabled = 1, .event = 0xc0, .count = PERIOD, .kernel = kernel, .user = user,
	};
}

static void probed(void)
{
	memset(op_counters, 0, sizeof(op_counters));
	memset(op_stats, 0, sizeof(op_stats));
	memset(samples, 0, sizeof(samples));
	CHECK(!perf_probe(&why) && perf_nr_counters() == 4, "%u counters, %s", perf_nr_counters(),
	      why.text);
}

static void started(void)
{
	CHECK(!perf_setup(&why) && !perf_start(), "%s", why.text);
}

/* Counter @n of @cpu counts @events in @ns, and perf interrupts @times. */
static void count(unsigned int cpu, unsigned int n, u64 events, u64 ns, unsigned int times,
		  bool user)
{
	struct pt_regs regs = { .user = user };
	struct perf_event *e = per_cpu(cpus, cpu).events[n];

	if (!e || !e->on)
		return;
	e->count += events;
	e->enabled += ns;
	e->ran += ns;
	for (fake_cpu = cpu; times; times--)
		e->handler(e, NULL, &regs);
	fake_cpu = 0;
}

static unsigned long throttled(unsigned int cpu)
{
	return op_stats[cpu].n[OP_STAT_THROTTLED];
}

TEST(periods_skipped_by_perf_are_throttled)
{
	probed();
	ask(1, true, true);
	started();
	count(0, 1, 10 * PERIOD + 400, 1, 7, true);
	count(1, 1, 5 * PERIOD, 1, 5, true);
	CHECK(!throttled(0), "told at the stop");
	perf_stop();
	CHECK(samples[0] == 7 && throttled(0) == 3, "%u + %lu", samples[0], throttled(0));
	CHECK(samples[1] == 5 && throttled(1) == 0, "%u + %lu", samples[1], throttled(1));
	/* a period that begins before the stop ends after it; none is counted twice */
	CHECK(!perf_start(), "start");
	count(0, 1, 600, 1, 0, true);
	perf_stop();
	perf_stop();
	CHECK(samples[0] + throttled(0) == 11, "%u + %lu", samples[0], throttled(0));
	perf_shutdown();
	CHECK(throttled(0) == 4 && !fake_events, "%lu", throttled(0));
}

TEST(a_sample_in_the_other_mode_is_throttled)
{
	probed();
	ask(0, false, true);
	started();
	count(0, 0, 4 * PERIOD, 1, 3, true);
	count(0, 0, 0, 1, 1, false);		/* the fourth's interrupt comes late */
	perf_stop();
	CHECK(samples[0] == 3 && throttled(0) == 1, "%u + %lu", samples[0], throttled(0));
	perf_shutdown();
}

TEST(an_offline_cpu_keeps_its_counts)
{
	u64 enabled = 0, ran = 0;

	probed();
	ask(0, true, true);
	started();
	count(1, 0, 9 * PERIOD, 500, 4, true);
	fake_hotplug(1, false);
	CHECK(samples[1] == 4 && throttled(1) == 5, "%u + %lu", samples[1], throttled(1));
	CHECK(!per_cpu(cpus, 1).events[0], "its event is gone");
	perf_times(0, &enabled, &ran);
	CHECK(enabled == 500 && ran == 500, "%llu %llu", (long long)enabled, (long long)ran);
	fake_hotplug(1, true);
	CHECK(per_cpu(cpus, 1).events[0]->on, "it counts when the others do");
	count(0, 0, 2 * PERIOD, 100, 2, true);
	count(1, 0, 3 * PERIOD, 200, 1, true);	/* starts at 0 again */
	perf_stop();
	CHECK(samples[1] == 5 && throttled(1) == 7, "%u + %lu", samples[1], throttled(1));
	enabled = ran = 0;
	perf_times(0, &enabled, &ran);
	CHECK(enabled == 800 && ran == 800, "%llu %llu", (long long)enabled, (long long)ran);
	fake_hotplug(1, false);
	fake_hotplug(1, true);
	CHECK(!per_cpu(cpus, 1).events[0]->on, "it rests when the others do");
	CHECK(samples[1] + throttled(1) == 12, "%u + %lu", samples[1], throttled(1));
	perf_shutdown();
	enabled = ran = 0;
	perf_times(0, &enabled, &ran);
	CHECK(enabled == 800 && ran == 800, "after the end: %llu", (long long)enabled);
	CHECK(!fake_events && !fake_locked, "something is left");
}

TEST(events_that_do_not_fit_are_refused_or_take_turns)
{
	unsigned int n;

	probed();
	fake_counters = 3;
	for (n = 0; n < 4; n++)
		ask(n, true, true);
	CHECK(perf_setup(&why) == -EDOM && strstr(why.text, "event 3 does not fit"), "%s",
	      why.text);
	CHECK(!fake_events, "something is left");
	ask(4, true, true);
	started();
	for (n = 0; n < 5; n++)
		CHECK(!per_cpu(cpus, 0).events[n]->attr.pinned, "%u is pinned", n);
	perf_stop();
	perf_shutdown();
	op_counters[2].extra = OP_EXTRA_ANY;
	CHECK(perf_setup(&why) == -EDOM && strstr(why.text, "counter 2: extra 0x200000"), "%s",
	      why.text);
	fake_counters = 4;
}

/* CPU 1 is of another type, or somebody else has some of its counters. */
TEST(each_cpu_is_tested)
{
	probed();
	fake_missing[1] = 2;
	CHECK(!perf_probe(&why) && perf_nr_counters() == 2, "%u counters", perf_nr_counters());
	ask(0, true, true);
	ask(1, true, true);
	started();
	perf_stop();
	perf_shutdown();
	fake_missing[1] = 3;
	CHECK(perf_setup(&why) == -EDOM && strstr(why.text, "event 1 does not fit") &&
	      strstr(why.text, "CPU 1"), "%s", why.text);
	fake_missing[1] = 4;
	CHECK(perf_probe(&why) == -ENODEV && strstr(why.text, "CPU 1"), "%s", why.text);
	fake_missing[1] = 0;
	CHECK(!fake_events && !fake_locked, "something is left");
}

TEST(an_event_that_failed_is_counted_and_restarted)
{
	probed();
	ask(2, true, true);
	started();
	perf_watch();
	CHECK(!op_stats[0].n[OP_STAT_EVENT_ERRORS] && !op_stats[1].n[OP_STAT_EVENT_ERRORS],
	      "counted without need");
	per_cpu(cpus, 1).events[2]->state = PERF_EVENT_STATE_ERROR;
	per_cpu(cpus, 1).events[2]->on = false;
	perf_watch();
	perf_watch();
	CHECK(op_stats[1].n[OP_STAT_EVENT_ERRORS] == 1 && !op_stats[0].n[OP_STAT_EVENT_ERRORS],
	      "%lu", op_stats[1].n[OP_STAT_EVENT_ERRORS]);
	CHECK(per_cpu(cpus, 1).events[2]->on, "not restarted");
	perf_stop();
	perf_shutdown();
}

TEST_MAIN()
