// SPDX-License-Identifier: GPL-2.0-or-later
/* order.c - samples and changes of all CPUs come out in order of time */
#include "tests/tap.h"

#include <stdbool.h>

#include "daemon/collect/perf/order.h"
#include "tests/unit/daemon/collect/perf/build.h"

#define MAX_CPUS 8

/* What was returned so far. */
struct out {
	uint64_t change;	   /* time of the last */
	uint64_t newest[MAX_CPUS]; /* of the last sample, per CPU */
	uint64_t newest_any;
	size_t samples, changes, runs;
	bool wrong;
};

static void take_samples(struct out *o, unsigned int cpu, const struct perf_sample *s, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		o->wrong |= s[i].time < o->newest[cpu] || s[i].time < o->change;
		o->newest[cpu] = s[i].time;
		if (s[i].time > o->newest_any)
			o->newest_any = s[i].time;
	}
	o->samples += nr;
	o->runs++;
}

static void take_change(struct out *o, const struct perf_record *r)
{
	o->wrong |= r->time < o->change || o->newest_any > r->time;
	o->change = r->time;
	o->changes++;
}

static void run(struct perf_order *o, uint64_t bound, struct out *out)
{
	struct perf_order_item item;

	while (perf_order_next(o, bound, &item)) {
		if (item.change)
			take_change(out, item.change);
		else
			take_samples(out, item.cpu, item.samples, item.nr_samples);
	}
}

static void add_sample(struct perf_order *o, unsigned int cpu, uint64_t time)
{
	perf_order_add_sample(o, cpu, &(struct perf_sample){.time = time});
}

static void add_change(struct perf_order *o, uint64_t time)
{
	struct perf_record r;
	struct bytes b;

	make_task(&b, PERF_RECORD_FORK, 1, 2, 1, time);
	CHECK(!perf_record_parse(b.at, b.size, &r), "parse");
	perf_order_add_change(o, &r, b.at, b.size);
}

TEST(a_sample_waits_for_the_changes_before_it)
{
	struct perf_order *o = perf_order_new();
	struct out out = {0};

	add_sample(o, 0, 10);
	add_sample(o, 0, 30);
	add_sample(o, 1, 15);
	add_change(o, 20);
	run(o, 15, &out);
	CHECK(out.samples == 1 && out.changes == 0, "%zu samples before 15", out.samples);
	run(o, 30, &out);
	CHECK(out.samples == 2 && out.changes == 1, "%zu samples before 30", out.samples);
	run(o, 31, &out);
	CHECK(out.samples == 3 && !out.wrong && !perf_order_late(o), "all, in order");
	perf_order_free(o);
}

TEST(a_change_at_the_same_time_comes_first)
{
	struct perf_order *o = perf_order_new();
	struct out out = {0};

	add_sample(o, 0, 20);
	add_change(o, 20);
	run(o, 21, &out);
	CHECK(out.samples == 1 && out.changes == 1 && !out.wrong, "order");
	perf_order_free(o);
}

TEST(without_changes_each_cpu_has_one_run)
{
	struct perf_order *o = perf_order_new();
	struct out out = {0};

	for (uint64_t time = 1; time <= 1000; time++)
		add_sample(o, time % 4, time);
	run(o, 2000, &out);
	CHECK(out.runs == 4 && out.samples == 1000, "%zu runs", out.runs);
	perf_order_free(o);
}

TEST(late_samples_are_counted_and_not_lost)
{
	struct perf_order *o = perf_order_new();
	struct out out = {0};

	run(o, 100, &out);
	add_sample(o, 0, 50);
	add_change(o, 60);
	add_sample(o, 0, 100);
	run(o, 200, &out);
	CHECK(perf_order_late(o) == 2, "%llu late", (unsigned long long)perf_order_late(o));
	CHECK(out.samples == 2 && out.changes == 1, "lost");
	perf_order_free(o);
}

/* A record stays on its ring while its sample waits; the stack is dropped with the ring. */
TEST(waiting_samples_hold_their_records)
{
	struct perf_order *o = perf_order_new();
	struct perf_order_item item = {0};
	struct out out = {0};
	uint64_t stack = 0;

	CHECK(perf_order_held(o, 3, 99) == 99, "nothing there");
	for (uint64_t i = 0; i < 10; i++)
		perf_order_add_sample(o, 3, &(struct perf_sample){.time = 10 * i, .position = 7 * i,
								  .stack = i % 2 ? &stack : NULL,
								  .stack_size = 8});
	CHECK(perf_order_held(o, 3, 99) == 7, "the second is the first with a stack");
	run(o, 45, &out);
	CHECK(perf_order_held(o, 3, 99) == 35 && perf_order_held(o, 2, 99) == 99, "after 45");
	perf_order_drop_stacks(o, 3);
	CHECK(perf_order_held(o, 3, 99) == 99, "nothing is held any more");
	CHECK(perf_order_next(o, 100, &item) && item.samples, "samples");
	CHECK(item.samples->stack && !item.samples->stack_size && item.samples->time == 50,
	      "a stack, but nothing to be read");
	CHECK(!perf_order_next(o, 100, &item), "no more");
	perf_order_free(o);
}

/* Random streams, each CPU's nearly in order, in drains of random length. */
TEST(random_streams)
{
	unsigned int seed = 1;

	for (int round = 0; round < 200; round++) {
		struct perf_order *o = perf_order_new();
		uint64_t clock[MAX_CPUS] = {0}, bound = 0;
		size_t samples = 0, changes = 0;
		struct out out = {0};

		for (int step = 0; step < 300; step++) {
			unsigned int cpu = (unsigned int)rand_r(&seed) % MAX_CPUS;

			if (rand_r(&seed) % 20 == 0) {
				bound += (uint64_t)rand_r(&seed) % 100;
				run(o, bound, &out);
			}
			if (clock[cpu] < bound)
				clock[cpu] = bound;
			clock[cpu] += (uint64_t)rand_r(&seed) % 10;
			if (rand_r(&seed) % 4) {
				/* an interrupt may overtake the record it interrupts */
				add_sample(o, cpu, clock[cpu] + (rand_r(&seed) % 3 == 0));
				samples++;
			} else {
				add_change(o, clock[cpu]);
				changes++;
			}
		}
		run(o, UINT64_MAX, &out);
		CHECK(!out.wrong, "round %d", round);
		CHECK(out.samples == samples && out.changes == changes, "round %d: %zu of %zu",
		      round, out.samples, samples);
		perf_order_free(o);
	}
}

TEST_MAIN()
