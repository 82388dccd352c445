// SPDX-License-Identifier: GPL-2.0-or-later
/* labels.c - metadata on future and past samples */
#include <errno.h>
#include "tests/tap.h"
#include "tests/unit/libsampler/parked.h"

static void relabel(struct record *r)
{
	struct sampler_metadata item = { .name = "request", .value = (int64_t)r->nr };

	if (r->nr == 3)
		sampler_metadata_remove(&item);
	else
		sampler_metadata_set(&item);
}

TEST(labels_as_they_were_at_the_time)
{
	struct sampler_thread self = thread_self();
	struct record *r = record_new();
	struct sampler_profiler *p;

	fakes_begin();
	r->on_sample = relabel;
	p = profiler_new(&self, r, 0, 10 * MS, 5);
	sampler_start(p);
	clock_run_to(SECOND);
	CHECK(r->samples[0].nr_metadata == 0, "not yet");
	for (size_t i = 1; i < 5; i++) {
		CHECK(r->samples[i].nr_metadata == (i != 3), "%zu: %zu", i,
		      r->samples[i].nr_metadata);
		CHECK(i == 3 || r->samples[i].first.value == (int64_t)i, "%zu", i);
	}
	sampler_destroy(p);
}

TEST(labels_of_a_thread_are_on_its_samples)
{
	struct sampler_metadata item = { .name = "worker", .has_tid = true, .value = 5 };
	struct parked thread;
	struct record *r = record_new();
	struct sampler_profiler *p;

	fakes_begin();
	parked_begin(&thread);
	item.tid = thread.token.tid;
	sampler_metadata_set(&item);
	p = profiler_new(NULL, r, 0, 10 * MS, 5);
	sampler_start(p);
	clock_run_to(SECOND);
	for (size_t i = 0; i < r->nr; i++)
		CHECK(r->samples[i].nr_metadata == (r->samples[i].tid == item.tid), "%zu", i);
	sampler_destroy(p);
	parked_end(&thread);
}

TEST(labels_of_samples_without_frames)
{
	struct sampler_metadata item = { .name = "phase", .value = 5 };
	struct sampler_thread self = thread_self();
	struct record *r = record_new();
	struct sampler_profiler *p;

	fakes_begin();
	fake_copy = copy_no_answer;
	sampler_metadata_set(&item);
	p = profiler_new(&self, r, 0, 10 * MS, 1);
	sampler_start(p);
	clock_run_to(SECOND);
	CHECK(r->samples[0].nr_metadata == 1 && !r->captures, "%zu", r->samples[0].nr_metadata);
	sampler_destroy(p);
}

TEST(labels_without_room)
{
	struct sampler_metadata item = { .name = "key", .has_key = true };
	struct sampler_thread self = thread_self();
	struct record *r = record_new();
	struct sampler_profiler *p;

	fakes_begin();
	for (item.key = 0; item.key < SAMPLER_METADATA_MAX + 1; item.key++)
		sampler_metadata_set(&item);
	p = profiler_new(&self, r, 0, 10 * MS, 5);
	sampler_start(p);
	for (; item.key < SAMPLER_METADATA_MAX + 4; item.key++)
		sampler_metadata_set(&item);
	clock_run_to(SECOND);
	CHECK(r->samples[0].nr_metadata == SAMPLER_METADATA_MAX, "%zu", r->samples[0].nr_metadata);
	CHECK(r->summary.metadata_lost == 3, "%llu while it ran",
	      (unsigned long long)r->summary.metadata_lost);
	sampler_destroy(p);
}

static int apply_past(uint64_t from, uint64_t to)
{
	char name[] = "slow";
	struct sampler_metadata item = { .name = name, .value = 9 };
	int err = sampler_metadata_apply_past(&item, clock_start + from, clock_start + to);

	memset(name, 'x', sizeof(name) - 1);
	return err;
}

TEST(labels_for_the_past)
{
	struct sampler_thread self = thread_self();
	struct record *old = record_new(), *r = record_new(), *waiting = record_new();
	struct sampler_profiler *p, *q, *w;

	fakes_begin();
	clock_run_to(SECOND);
	CHECK(!apply_past(0, SECOND), "nobody is there: nothing to do");
	p = profiler_new(&self, old, 0, 10 * MS, 0);
	q = profiler_new(&self, r, 100 * MS, 10 * MS, 0);
	w = profiler_new(&self, waiting, 100 * SECOND, 10 * MS, 0);
	sampler_start(p);
	sampler_start(q);
	sampler_start(w);
	clock_run_to(SECOND + 205 * MS);
	CHECK(!apply_past(SECOND + 30 * MS, SECOND + 150 * MS), "from when one had not begun");
	clock_run_to(SECOND + 206 * MS);
	CHECK(old->nr_past == 1 && !r->nr_past && !waiting->nr_past, "the one that had");
	CHECK(old->past_from == clock_start + SECOND + 30 * MS &&
	      old->past_to == clock_start + SECOND + 150 * MS && !strcmp(old->past.name, "slow") &&
	      old->past.value == 9, "what was said");
	CHECK(old->samples_before_past == old->nr && old->nr == 21, "behind its samples");
	apply_past(SECOND + 100 * MS, SECOND + 150 * MS);
	clock_run_to(SECOND + 207 * MS);
	CHECK(old->nr_past == 2 && r->nr_past == 1, "both");
	CHECK(apply_past(SECOND, 2 * SECOND) == -EINVAL, "the future");
	CHECK(apply_past(SECOND, SECOND / 2) == -EINVAL, "backwards");
	sampler_destroy(p);
	sampler_destroy(q);
	sampler_destroy(w);
}

TEST_MAIN()
