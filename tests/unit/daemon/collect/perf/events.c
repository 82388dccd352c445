// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * events.c - several events on one ring, end to end, on machines without hardware counters too
 *
 * The kernel's software events stand in for hardware's: its PMU for them has a name in sysfs as
 * any other has. One samples by time, the other each page that this program touches first.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include "tests/unit/daemon/collect/perf/truth.h"

#define CLOCK		2	/* counters */
#define FAULTS		7
#define NR_PAGES	3000

static const struct collector_event two[] = {
	{ .name = "CLOCK", .code = PERF_COUNT_SW_CPU_CLOCK, .count = 1000000, .counter = CLOCK,
	  .kernel = true, .pmu = "software" },
	{ .name = "FAULTS", .code = PERF_COUNT_SW_PAGE_FAULTS, .count = 1, .counter = FAULTS,
	  .user = true, .pmu = "software" },
};
static const struct collector_config config = { .cpu_type = "i386/arch_perfmon", .events = two,
						.nr_events = 2, .clock_khz = 1000000 };

/* in: faults of ours; out: clock samples; other: unexpected. */
static void tally_events(struct tally *t, const struct seen *s)
{
	if (s->counter == FAULTS && s->user)
		t->in += s->tgid == t->tgid;
	else if (s->counter == CLOCK && !s->user)
		t->out++;
	else
		t->other++;
}

static void touch_pages(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *at = mmap(NULL, NR_PAGES * size, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(at != MAP_FAILED && !madvise((void *)at, NR_PAGES * size, MADV_NOHUGEPAGE), "mmap");
	for (size_t i = 0; i < NR_PAGES; i++)
		at[i * size] = 1;
	munmap((void *)at, NR_PAGES * size);
}

static void check_times(struct collector *c)
{
	uint64_t enabled, running;

	for (int i = 0; i < 2; i++)
		CHECK(!c->event_times(c, two[i].counter, &enabled, &running) && enabled &&
			      enabled == running,
		      "event %d: %llu of %llu ns", i, (unsigned long long)running,
		      (unsigned long long)enabled);
	CHECK(c->event_times(c, 0, &enabled, &running) == -ENODATA, "no such counter");
}

TEST(two_events_share_a_ring)
{
	struct tally t = { .sample = tally_events, .collector = collector_perf() };
	struct collector *c = t.collector;
	struct collector_status status;
	struct op_error e = { "" };
	uint64_t before;

	need_perf();
	t.tgid = getpid();
	CHECK(!c->open(c, &config, &e), "%s", e.text);
	c->status(c, &status);
	CHECK(!strcmp(status.model, "perf") && !strcmp(status.cpu_type, "i386/arch_perfmon") &&
		      !status.period_ns && !status.note[0],
	      "%s %s %s", status.model, status.cpu_type, status.note);
	touch_pages();
	CHECK(!c->start(c, &e), "%s", e.text);
	touch_pages();
	c->drain(c, true, take_words, &t, &e);
	CHECK(t.in >= NR_PAGES && t.in < NR_PAGES + 500, "%llu faults",
	      (unsigned long long)t.in);
	CHECK(!c->stop(c, &e), "%s", e.text);
	c->drain(c, true, take_words, &t, &e);
	before = t.in;
	touch_pages();
	c->drain(c, true, take_words, &t, &e);
	CHECK(t.in == before, "sampled while stopped");
	CHECK(!c->start(c, &e), "%s", e.text);
	for (int i = 0; i < 20 && !t.out; i++) {	/* until the clock hit the kernel, too */
		touch_pages();
		c->drain(c, true, take_words, &t, &e);
	}
	finish(c, &t);
	CHECK(t.out && !t.other, "%llu of the clock, %llu of others", (unsigned long long)t.out,
	      (unsigned long long)t.other);
	check_times(c);
	c->close(c);
}

TEST(a_collector_can_be_opened_again)
{
	static const struct collector_event clock = { .count = 1000000, .kernel = true,
						      .user = true };
	struct collector_config by_time = { .events = &clock, .nr_events = 1,
					    .clock_khz = 1000000 };
	struct collector *c = collector_perf();
	struct tally t = { .collector = c };
	struct collector_status status;
	struct op_error e = { "" };
	uint64_t times[2];

	need_perf();
	for (int i = 0; i < 3; i++) {
		CHECK(!c->open(c, i % 2 ? &by_time : &config, &e), "%s", e.text);
		c->status(c, &status);
		CHECK(!strcmp(status.model, i % 2 ? "timer" : "perf"), "%s", status.model);
		CHECK(status.period_ns == (i % 2 ? 1000000 : 0), "%llu",
		      (unsigned long long)status.period_ns);
		CHECK(!c->start(c, &e), "%s", e.text);
		burn_ms(20);
		memset(&t.state, 0, sizeof(t.state));
		memset(t.cpu, 0, sizeof(t.cpu));
		finish(c, &t);
		CHECK(c->event_times(c, 0, &times[0], &times[1]) == -ENODATA, "times");
		c->close(c);
	}
}

/* Each error names the event, and says what to do. */
TEST(missing_counters_are_reported)
{
	static const struct collector_event cycles = { .name = "CPU_CLK_UNHALTED", .code = 0x3c,
						       .count = 1000000, .user = true };
	struct collector_config counting = { .cpu_type = "i386/arch_perfmon", .events = &cycles,
					     .nr_events = 1, .clock_khz = 1000000 };
	struct collector *c = collector_perf();
	struct op_error e = { "" };

	need_perf();
	if (!c->open(c, &counting, &e)) {
		c->close(c);
		SKIP("this machine counts cycles");
	}
	CHECK(strstr(e.text, "event 'CPU_CLK_UNHALTED'") && strstr(e.text, "by time"), "%s",
	      e.text);
}

int main(int argc, char **argv)
{
	return truth_main(argc, argv);
}
