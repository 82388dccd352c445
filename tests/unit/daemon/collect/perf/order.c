// SPDX-License-Identifier: GPL-2.0-or-later
/* order.c - samples and changes of all CPUs come out in order of time */
#include "tests/tap.h"

#include <stdbool.h>

#include "daemon/collect/perf/order.h"
#include "tests/unit/daemon/collect/perf/build.h"

#define MAX_CPUS 8

/* What came out so far. */
struct out {
	uint64_t change;	   /* time of the last */
	uint64_t newest[MAX_CPUS]; /* of the last sample, per CPU */
	uint64_t newest_any;
	size_t samples, changes, runs;
	bool wrong;
};

static void take_samples(void *context, unsigned int cpu, const struct perf_sample *s, size_t nr)
{
	struct out *o = context;

	for (size_t i = 0; i < nr; i++) {
		o->wrong |= s[i].time < o->newest[cpu] || s[i].time < o->change;
		o->newest[cpu] = s[i].time;
		if (s[i].time > o->newest_any)
			o->newest_any = s[i].time;
	}
	o->samples += nr;
	o->runs++;
}

static void take_change(void *context, const struct perf_record *r)
{
	struct out *o = context;

	o->wrong |= r->time < o->change || o->newest_any > r->time;
	o->change = r->time;
	o->changes++;
}

static const struct perf_order_ops ops = {take_samples, take_change};

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
	perf_order_run(o, 15, &ops, &out);
	CHECK(out.samples == 1 && out.changes == 0, "%zu samples before 15", out.samples);
	perf_order_run(o, 30, &ops, &out);
	CHECK(out.samples == 2 && out.changes == 1, "%zu samples before 30", out.samples);
	perf_order_run(o, 31, &ops, &out);
	CHECK(out.samples == 3 && !out.wrong && !perf_order_late(o), "all, in order");
	perf_order_free(o);
}

TEST(a_change_at_the_same_time_comes_first)
{
	struct perf_order *o = perf_order_new();
	struct out out = {0};

	add_sample(o, 0, 20);
	add_change(o, 20);
	perf_order_run(o, 21, &ops, &out);
	CHECK(out.samples == 1 && out.changes == 1 && !out.wrong, "order");
	perf_order_free(o);
}

TEST(without_changes_each_cpu_is_one_run)
{
	struct perf_order *o = perf_order_new();
	struct out out = {0};

	for (uint64_t time = 1; time <= 1000; time++)
		add_sample(o, time % 4, time);
	perf_order_run(o, 2000, &ops, &out);
	CHECK(out.runs == 4 && out.samples == 1000, "%zu runs", out.runs);
	perf_order_free(o);
}

TEST(late_ones_are_counted_and_not_lost)
{
	struct perf_order *o = perf_order_new();
	struct out out = {0};

	perf_order_run(o, 100, &ops, &out);
	add_sample(o, 0, 50);
	add_change(o, 60);
	add_sample(o, 0, 100);
	perf_order_run(o, 200, &ops, &out);
	CHECK(perf_order_late(o) == 2, "%llu late", (unsigned long long)perf_order_late(o));
	CHECK(out.samples == 2 && out.changes == 1, "lost");
	perf_order_free(o);
}

static const struct perf_sample *first_seen;

static void take_first(void *context, unsigned int cpu, const struct perf_sample *s, size_t nr)
{
	(void)context, (void)cpu, (void)nr;
	first_seen = s;
}

/* A record stays on its ring while its sample waits; when the ring goes, so do the callers. */
TEST(what_waits_holds_its_record)
{
	static const struct perf_order_ops first = {take_first, take_change};
	struct perf_order *o = perf_order_new();
	struct out out = {0};
	uint64_t chain = 0;

	CHECK(perf_order_held(o, 3, 99) == 99, "nothing there");
	for (uint64_t i = 0; i < 10; i++)
		perf_order_add_sample(o, 3, &(struct perf_sample){.time = 10 * i, .place = 7 * i,
								  .chain = i % 2 ? &chain : NULL,
								  .chain_size = 8});
	CHECK(perf_order_held(o, 3, 99) == 7, "the second is the first with callers");
	perf_order_run(o, 45, &ops, &out);
	CHECK(perf_order_held(o, 3, 99) == 35 && perf_order_held(o, 2, 99) == 99, "after 45");
	perf_order_drop_chains(o, 3);
	CHECK(perf_order_held(o, 3, 99) == 99, "nothing is held any more");
	perf_order_run(o, 100, &first, &out);
	CHECK(first_seen->chain && !first_seen->chain_size && first_seen->time == 50,
	      "callers, but none to be read");
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
				perf_order_run(o, bound, &ops, &out);
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
		perf_order_run(o, UINT64_MAX, &ops, &out);
		CHECK(!out.wrong, "round %d", round);
		CHECK(out.samples == samples && out.changes == changes, "round %d: %zu of %zu",
		      round, out.samples, samples);
		perf_order_free(o);
	}
}

TEST_MAIN()
