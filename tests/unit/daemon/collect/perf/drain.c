// SPDX-License-Identifier: GPL-2.0-or-later
/* drain.c - queues get what rings hold, without what is unused, and nothing is missing */
#include "tests/tap.h"

#include <unistd.h>

#include "daemon/collect/perf/drain.h"
#include "daemon/collect/perf/records.h"
#include "tests/unit/daemon/collect/perf/build.h"

#define SIZE	32768
#define ASKED	4096

static struct perf_event_mmap_page page;
static _Alignas(8) unsigned char data[SIZE];
static struct perf_ring ring;
static struct perf_queue queue;

static void prepare(size_t queue_bytes)
{
	memset(&page, 0, sizeof(page));
	free(ring.scratch);
	perf_ring_init(&ring, &page, data, SIZE);
	perf_queue_free(&queue);
	CHECK(!perf_queue_init(&queue, queue_bytes), "no memory");
	queue.from = &ring;
}

static void put(const struct bytes *b)
{
	for (size_t i = 0; i < b->size; i++)
		data[(page.data_head + i) % SIZE] = b->at[i];
	page.data_head += b->size;
}

static void set_size(struct bytes *b, uint16_t size)
{
	memcpy(b->at + offsetof(struct perf_event_header, size), &size, sizeof(size));
}

static void put_sample(uint64_t time)
{
	struct bytes b;

	make_sample(&b, PERF_RECORD_MISC_USER, 0x1000, 10, 10, time, 0);
	put(&b);
}

/* With one address, registers and a copy that has @used bytes; a control group ends it. */
static void put_stack(uint64_t time, size_t used)
{
	struct bytes b;

	make_sample(&b, PERF_RECORD_MISC_USER, 0x1000, 10, 10, time, 0);
	add64(&b, 1);
	add64(&b, 0x1000);
	add64(&b, PERF_SAMPLE_REGS_ABI_64);
	for (unsigned int i = 0; i < PERF_USER_REGS_NR; i++)
		add64(&b, 100 + i);
	add64(&b, ASKED);
	for (size_t i = 0; i < ASKED; i++)
		b.at[b.size++] = (unsigned char)(i < used ? i * 7 : 0xee);
	add64(&b, used);
	add64(&b, 0xc0ffee);
	set_size(&b, (uint16_t)b.size);
	put(&b);
}

static const unsigned char *next(size_t *size)
{
	return perf_ring_next(&queue.ring, size);
}

static void check_stack(size_t used)
{
	struct perf_sample_stack s = { 0 };
	const unsigned char *at;
	size_t size = 0;

	at = next(&size);
	CHECK(at && !perf_sample_stack_parse(at + PERF_SAMPLE_BYTES, size - PERF_SAMPLE_BYTES,
					     false, true, &s), "stack of %zu: %zu", used, size);
	if (!s.copy)
		return;
	CHECK(s.copy_asked == ASKED && s.copy_size == used && s.registers[3] == 103,
	      "%u of %u", s.copy_size, s.copy_asked);
	for (size_t i = 0; i < used; i++)
		CHECK(s.copy[i] == (unsigned char)(i * 7), "byte %zu", i);
	CHECK(perf_record_cgroup(at, size) == 0xc0ffee, "what follows");
	CHECK(used > ASKED - 8 || size < ASKED / 2 + used, "%zu bytes for %zu", size, used);
}

TEST(unused_parts_of_copies_are_left_out)
{
	static const size_t used[] = { 0, 1, 8, 100, ASKED - 8, ASKED - 1, ASKED };

	prepare(1 << 16);
	queue.has_copies = true;
	for (int lap = 0; lap < 5; lap++) {	/* they wrap in both */
		for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++)
			put_stack(i, used[i]);
		perf_queue_fill(&queue);
		CHECK(!queue.is_behind && page.data_tail == page.data_head, "all is copied");
		perf_ring_begin(&queue.ring);
		for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++)
			check_stack(used[i]);
		perf_ring_end(&queue.ring);
	}
}

TEST(a_full_queue_leaves_records_in_the_ring)
{
	struct perf_record r;
	unsigned int nr = 0;
	size_t size;
	const void *at;

	prepare(4096);
	for (uint64_t t = 1; t <= 200; t++)
		put_sample(t);
	for (int turn = 0; turn < 10; turn++) {
		perf_queue_fill(&queue);
		CHECK(queue.is_behind == (page.data_tail != page.data_head), "turn %d", turn);
		perf_ring_begin(&queue.ring);
		while ((at = next(&size))) {
			CHECK(!perf_record_parse(at, size, &r) && r.time == ++nr, "%u", nr);
		}
		CHECK(turn || (nr < 200 && queue.is_behind), "it was full: %u", nr);
		perf_queue_fill(&queue);
		CHECK(turn || queue.is_behind, "what is read is not released yet");
		perf_ring_end(&queue.ring);
	}
	CHECK(nr == 200 && !queue.is_behind, "%u", nr);
}

TEST(malformed_records_do_not_stop_it)
{
	struct bytes b;

	prepare(4096);
	queue.has_copies = true;
	begin(&b, PERF_RECORD_SAMPLE, 0);
	set_size(&b, 8);
	put(&b);
	put_sample(1);
	begin(&b, PERF_RECORD_SAMPLE, 0);
	add64(&b, 0);
	set_size(&b, 4);		/* shorter than a header */
	put(&b);
	perf_queue_fill(&queue);
	CHECK(page.data_tail == page.data_head && !queue.is_behind && queue.head == 8 + 48,
	      "%llu", (unsigned long long)queue.head);
}

/* The thread empties the ring; what it did not, a pass does. */
TEST(a_pass_empties_the_ring)
{
	struct perf_drain_figures figures;
	struct perf_drain *d = NULL;
	int fds[2];

	prepare(1 << 16);
	CHECK(!pipe(fds) && !perf_drain_new(&d), "drain");
	CHECK(!perf_drain_add(d, 3, &queue, &ring, fds[0]) && !perf_drain_start(d), "start");
	put_sample(1);
	perf_drain_pass(d);
	CHECK(queue.head == 48 && page.data_tail == 48 && !queue.was_behind, "pass");
	put_sample(2);
	perf_drain_remove(d, 3);
	CHECK(queue.head == 96 && !queue.from, "the last pass");
	perf_drain_figures(d, &figures);
	CHECK(!figures.nr_full && figures.most_ns <= figures.longest_ns, "figures");
	perf_drain_free(d);
	perf_drain_free(NULL);
}

TEST(waits)
{
	struct perf_waits w = { .longest_ns = 0 };

	CHECK(!perf_waits_most(&w), "none");
	for (int i = 0; i < 1999; i++)
		perf_waits_add(&w, 900 * 1000);
	perf_waits_add(&w, UINT64_C(1600000000));
	CHECK(perf_waits_most(&w) == 1024 * 1000 && w.longest_ns == 1600000000, "%llu",
	      (unsigned long long)perf_waits_most(&w));
	perf_waits_add(&w, UINT64_C(1600000000));
	perf_waits_add(&w, UINT64_MAX);
	CHECK(perf_waits_most(&w) > 1600000000, "more than one in a thousand");
}

TEST(queues_are_bounded)
{
	CHECK(perf_queue_bytes((size_t)1 << 20, 2) == (size_t)4 << 20, "four rings");
	CHECK(perf_queue_bytes((size_t)2 << 20, 2) == (size_t)4 << 20, "4 MiB");
	CHECK(perf_queue_bytes((size_t)32 << 20, 2) == (size_t)32 << 20, "one ring");
	CHECK(perf_queue_bytes((size_t)32 << 20, 16) == (size_t)4 << 20, "64 MiB in all");
	CHECK(perf_queue_bytes((size_t)1 << 20, 1024) == (size_t)1 << 20, "1 MiB at least");
	CHECK(perf_queue_bytes(4096, 0) == (size_t)1 << 20, "of small rings");
}

TEST_MAIN()
