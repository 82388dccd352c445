// SPDX-License-Identifier: GPL-2.0-or-later
/* ring.c - reading a ring: wrapping records and wrong lengths */
#include "tests/tap.h"

#include "daemon/collect/perf/ring.h"
#include "tests/unit/daemon/collect/perf/build.h"

#define SIZE 256

static struct perf_event_mmap_page page;
static unsigned char data[SIZE];

static void write_record(uint16_t size, unsigned char fill)
{
	struct perf_event_header h = {.type = 1, .size = size};
	unsigned char record[SIZE];

	memset(record, fill, sizeof(record));
	memcpy(record, &h, sizeof(h));
	for (size_t i = 0; i < size; i++)
		data[(page.data_head + i) % SIZE] = record[i];
	page.data_head += size;
}

TEST(records_are_read_as_written)
{
	struct perf_ring r;
	uint64_t read = 0;

	page.data_head = page.data_tail = 8 * 1000; /* not at the beginning */
	perf_ring_init(&r, &page, data, SIZE);
	for (int round = 0; round < 1000; round++) {
		uint16_t size = (uint16_t)(8 + 8 * (round % 20));
		const unsigned char *record;
		size_t got = 0;

		write_record(size, (unsigned char)round);
		perf_ring_begin(&r);
		record = perf_ring_next(&r, &got);
		CHECK(record && got == size, "round %d: %zu", round, got);
		for (size_t i = 8; record && i < size; i++)
			CHECK(record[i] == (unsigned char)round, "round %d byte %zu", round, i);
		CHECK(!perf_ring_next(&r, &got), "a second one");
		CHECK(page.data_tail == 8 * 1000 + read, "given back too early");
		perf_ring_end(&r);
		read += size;
		CHECK(page.data_tail == page.data_head, "not given back");
	}
	CHECK(!r.broken, "broken");
	perf_ring_unmap(&r);
}

/* Until they are released one by one, even if they wrap, while the kernel fills the free room. */
TEST(records_stay_until_they_are_released)
{
	struct perf_ring r;
	uint64_t place = 0;
	const unsigned char *held = NULL;
	unsigned char round = 0;

	page.data_head = page.data_tail = 0;
	perf_ring_init(&r, &page, data, SIZE);
	for (round = 1; round < 200; round++) {
		const unsigned char *record;
		uint64_t here = r.tail;
		size_t got = 0;

		write_record(104, round); /* two and a bit fit */
		perf_ring_begin(&r);
		record = perf_ring_next(&r, &got);
		CHECK(record && got == 104, "round %d", round);
		for (size_t i = 8; held && i < 104; i++)
			CHECK(held[i] == round - 1, "round %d: byte %zu of the one before", round,
			      i);
		perf_ring_release(&r, here); /* the one before */
		CHECK(page.data_tail == here && here >= place, "round %d: released", round);
		place = here;
		held = record;
	}
	CHECK(!r.broken, "broken");
	perf_ring_unmap(&r);
}

TEST(wrong_lengths)
{
	static const uint16_t sizes[] = {0, 4, 7, 9, 24, 65528};
	struct perf_ring r;
	size_t got;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		page.data_head = page.data_tail = 248;
		perf_ring_init(&r, &page, data, SIZE);
		write_record(16, 1);
		((struct perf_event_header *)(data + 248))->size = sizes[i];
		perf_ring_begin(&r);
		CHECK(!perf_ring_next(&r, &got), "size %u", sizes[i]);
		CHECK(r.broken == 1, "size %u not told", sizes[i]);
		perf_ring_end(&r);
		CHECK(page.data_tail == page.data_head, "size %u not skipped", sizes[i]);
		perf_ring_unmap(&r);
	}
	/* a wrong head */
	page.data_tail = 0;
	page.data_head = SIZE + 8;
	perf_ring_init(&r, &page, data, SIZE);
	perf_ring_begin(&r);
	CHECK(!perf_ring_next(&r, &got) && r.broken == 1, "more than fits");
	perf_ring_unmap(&r);
}

TEST_MAIN()
