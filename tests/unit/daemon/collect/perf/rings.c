// SPDX-License-Identifier: GPL-2.0-or-later
/* rings.c - which event a record is of, and how its throttles are counted */
#include <fcntl.h>
#include <unistd.h>

#include "tests/tap.h"

#include <unistd.h>

#include "daemon/collect/perf/clock.h"
#include "daemon/collect/perf/rings.h"
#include "daemon/collect/perf/targets.h"
#include "tests/unit/daemon/collect/perf/build.h"

#define SIZE	4096
#define KNOWN	10	/* ids: an event with a known period, */
#define UNKNOWN	11	/* and one without */

static struct perf_event_mmap_page page;
static unsigned char data[SIZE];
static struct perf_rings rings;
static struct perf_drain *drain;
static int fds[2];		/* what no one fills */
static struct perf_counter counters[] = { { .period = 5000, .period_ns = 1000, .counter = 1 },
					  { .period = 7000, .counter = 4 } };
static struct perf_cpu_counter cpu_counters[2];

static void prepare(void)
{
	struct perf_cpu_ring *c = &rings.cpus[0];

	perf_queue_free(&c->queue);
	memset(&rings, 0, sizeof(rings));
	if (!fds[1])
		CHECK(!pipe(fds), "pipe");
	memset(&page, 0, sizeof(page));
	rings.setup = (struct perf_event_setup){ .counters = counters, .nr_counters = 2 };
	rings.order = perf_order_new();
	rings.nr_cpus = 1;
	rings.sampling = true;
	cpu_counters[0] = (struct perf_cpu_counter){ .fd = -1, .id = KNOWN, .counter = 1 };
	cpu_counters[1] = (struct perf_cpu_counter){ .fd = -1, .id = UNKNOWN, .which = 1,
						     .counter = 4 };
	c->events = (struct perf_events){ .counters = cpu_counters, .nr = 2, .mappings_fd = -1 };
	c->open = true;
	perf_ring_init(&c->events.ring, &page, data, SIZE);
	CHECK(!perf_queue_init(&c->queue, 1 << 16), "no memory");
	perf_drain_free(drain);
	CHECK(!perf_drain_new(&drain) &&
	      !perf_drain_add(drain, 0, &c->queue, &c->events.ring, fds[0]), "no drain");
	rings.drain = drain;
}

static void put(const struct bytes *b)
{
	for (size_t i = 0; i < b->size; i++)
		data[(page.data_head + i) % SIZE] = b->at[i];
	page.data_head += b->size;
}

static void put_sample(uint64_t id, uint64_t time)
{
	struct bytes b;

	make_sample(&b, PERF_RECORD_MISC_USER, 0x1000, 10, 10, time, 0);
	memcpy(b.at + 8, &id, 8);
	put(&b);
}

static void put_throttle(uint32_t type, uint64_t id, uint64_t time)
{
	struct bytes b;

	begin(&b, type, 0);
	add64(&b, time);
	add64(&b, id);
	add64(&b, id);
	end_with_id(&b, 10, 10, time, 0);
	memcpy(b.at + b.size - 8, &id, 8);
	put(&b);
}

static uint32_t seen[10];
static size_t nr_seen;

static void read_all(uint64_t now)
{
	struct perf_order_item item;

	rings.followed_at = now;	/* not this machine's CPUs */
	perf_rings_read(&rings, now);
	while (perf_order_next(rings.order, UINT64_MAX, &item))
		for (size_t i = 0; !item.change && i < item.nr_samples && nr_seen < 10; i++)
			seen[nr_seen++] = item.samples[i].counter;
}

TEST(a_sample_goes_to_its_event)
{
	prepare();
	put_sample(UNKNOWN, 1);
	put_sample(KNOWN, 2);
	put_sample(KNOWN, 3);
	put_sample(99, 4);
	put_sample(UNKNOWN, 5);
	read_all(10);
	CHECK(nr_seen == 5 && seen[0] == 4 && seen[1] == 1 && seen[2] == 1 &&
		      seen[3] == UINT32_MAX && seen[4] == 4,
	      "%zu: %u %u %u %u %u", nr_seen, seen[0], seen[1], seen[2], seen[3], seen[4]);
	CHECK(!rings.malformed, "malformed");
}

TEST(throttles_are_counted_by_event)
{
	prepare();
	put_throttle(PERF_RECORD_THROTTLE, KNOWN, 10000);
	put_throttle(PERF_RECORD_THROTTLE, UNKNOWN, 11000);
	read_all(12000);
	/* the periods that passed since, and a throttle of unknown length */
	CHECK(perf_rings_throttled(&rings, 0, 15500) == 5 + 1, "%llu",
	      (unsigned long long)perf_rings_throttled(&rings, 0, 15500));
	put_throttle(PERF_RECORD_UNTHROTTLE, UNKNOWN, 13000);
	put_throttle(PERF_RECORD_UNTHROTTLE, KNOWN, 20000);
	put_throttle(PERF_RECORD_UNTHROTTLE, KNOWN, 30000);	/* without a throttle */
	put_throttle(PERF_RECORD_THROTTLE, 99, 30000);		/* of an unknown event */
	read_all(31000);
	CHECK(perf_rings_throttled(&rings, 0, 50000) == 11 + 1, "%llu",
	      (unsigned long long)perf_rings_throttled(&rings, 0, 50000));
	put_throttle(PERF_RECORD_THROTTLE, UNKNOWN, 60000);
	read_all(61000);
	CHECK(perf_rings_throttled(&rings, 0, 99000) == 11 + 2, "a second one");
}

TEST(times_add_up_over_cpus)
{
	static struct perf_cpu_counter other = { .fd = -1, .counter = 4,
						 .times_before = { 1000, 500 } };
	struct perf_times times;

	prepare();
	rings.nr_cpus = 2;
	rings.cpus[1].events = (struct perf_events){ .counters = &other, .nr = 1,
						     .mappings_fd = -1 };
	cpu_counters[1].times_before = (struct perf_times){ 100, 10 };
	CHECK(perf_rings_times(&rings, 4, &times) && times.enabled_ns == 1100 &&
		      times.running_ns == 510,
	      "%llu %llu", (unsigned long long)times.enabled_ns,
	      (unsigned long long)times.running_ns);
	CHECK(perf_rings_times(&rings, 1, &times) && !times.enabled_ns, "one not yet counted");
	CHECK(!perf_rings_times(&rings, 0, &times), "none");
}

/* The kernel gives up an event whose counter somebody else has pinned: it reads as ended. */
TEST(an_event_in_error_is_counted)
{
	int ended = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int alive = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	static struct perf_targets targets;

	prepare();
	CHECK(ended >= 0 && alive >= 0, "open");
	rings.cpus[0].events.sampling = true;
	cpu_counters[0].fd = alive;
	perf_events_check(&rings.cpus[0].events);
	CHECK(!rings.cpus[0].events.errors, "counted without need");
	cpu_counters[1].fd = ended;
	perf_events_check(&rings.cpus[0].events);
	perf_events_check(&rings.cpus[0].events);
	CHECK(rings.cpus[0].events.errors == 2, "%llu",
	      (unsigned long long)rings.cpus[0].events.errors);
	/* the rings look once a second, and not at all at software events, which cannot fail */
	rings.targets = &targets;	/* not this machine's CPUs */
	perf_rings_read(&rings, NS_PER_SECOND + 1);
	CHECK(rings.cpus[0].events.errors == 3, "not looked at");
	perf_rings_read(&rings, NS_PER_SECOND + 2);
	CHECK(rings.cpus[0].events.errors == 3, "looked at again at once");
	counters[0].type = PERF_TYPE_SOFTWARE;
	perf_rings_read(&rings, 3 * NS_PER_SECOND);
	CHECK(rings.cpus[0].events.errors == 3, "a software event");
	counters[0].type = PERF_TYPE_HARDWARE;
	rings.cpus[0].events.sampling = false;
	perf_rings_read(&rings, 5 * NS_PER_SECOND);
	CHECK(rings.cpus[0].events.errors == 3, "counted while stopped");
	cpu_counters[0].fd = cpu_counters[1].fd = -1;
	close(ended);
	close(alive);
}

static void put_lost(uint64_t nr, uint64_t time)
{
	struct bytes b;

	begin(&b, PERF_RECORD_LOST, 0);
	add64(&b, 77);
	add64(&b, nr);
	end_with_id(&b, 10, 10, time, 0);
	put(&b);
}

/* Times of the samples, and where changes are missing as "!". */
static const char *read_order(uint64_t bound)
{
	static char text[64];
	struct perf_order_item item;

	text[0] = 0;
	rings.followed_at = bound;
	perf_rings_read(&rings, bound);
	while (perf_order_next(rings.order, bound, &item)) {
		size_t at = strlen(text);

		if (item.change)
			snprintf(text + at, sizeof(text) - at,
				 item.change->kind == PERF_KIND_LOST ? "! " : "? ");
		for (size_t i = 0; !item.change && i < item.nr_samples; i++, at = strlen(text))
			snprintf(text + at, sizeof(text) - at, "%d ", (int)item.samples[i].time);
	}
	return text;
}

#define CHECK_ORDER(bound, want)                                                                   \
	do {                                                                                       \
		const char *got = read_order(bound);                                               \
		CHECK(!strcmp(got, want), "\"%s\"", got);                                          \
	} while (0)

/* Of a kernel that does not count what it lost: any record may be of a mapping. */
TEST(lost_records_are_a_gap)
{
	prepare();
	put_sample(KNOWN, 1);
	put_sample(KNOWN, 5);
	put_lost(3, 20);
	put_sample(KNOWN, 21);
	put_lost(3, 30);
	put_sample(KNOWN, 31);
	CHECK_ORDER(100, "1 ! 5 21 31 ");
	put_sample(KNOWN, 101);
	CHECK_ORDER(200, "101 ");
}

/* The answer to the next read() of the event that carries mappings. */
static void count_lost(int fd, uint64_t lost)
{
	const uint64_t reading[4] = { 0, 0, 0, lost };

	CHECK(write(fd, reading, sizeof(reading)) == sizeof(reading), "write");
}

/* What a full ring lost is counted before it is reported. */
TEST(lost_mappings_are_a_gap_at_once)
{
	int counts[2];

	prepare();
	CHECK(!pipe(counts), "pipe");
	rings.cpus[0].events.has_lost_counts = true;
	rings.cpus[0].events.mappings_fd = counts[0];
	count_lost(counts[1], 0);
	put_sample(KNOWN, 1);
	put_sample(KNOWN, 5);
	CHECK_ORDER(100, "1 5 ");
	count_lost(counts[1], 2);
	put_sample(KNOWN, 110);
	put_sample(KNOWN, 120);
	CHECK_ORDER(200, "110 ! 120 ");
	count_lost(counts[1], 2);	/* the same again, reported now */
	put_lost(2, 210);
	put_sample(KNOWN, 211);
	CHECK_ORDER(300, "211 ");
	count_lost(counts[1], 3);
	put_lost(1, 310);
	put_sample(KNOWN, 311);
	CHECK_ORDER(400, "! 311 ");	/* from the end of what was handed over */
	rings.cpus[0].events.mappings_fd = -1;
	close(counts[0]);
	close(counts[1]);
}

/* A ring with room for any record has lost none: no system call to find out. */
TEST(a_ring_with_room_is_not_asked)
{
	static struct perf_event_mmap_page large_page;
	static unsigned char large[1 << 18];
	struct perf_queue q = { .head = 0 };
	struct perf_ring ring;

	perf_ring_init(&ring, &large_page, large, sizeof(large));
	CHECK(!perf_queue_init(&q, 1 << 16), "no memory");
	q.from = &ring;
	perf_queue_fill(&q);
	CHECK(!q.is_full, "an empty ring");
	large_page.data_head = sizeof(large) - 70000;	/* zeros: malformed, skipped */
	perf_queue_fill(&q);
	CHECK(!q.is_full, "a ring with room");
	large_page.data_head += sizeof(large) - 60000;
	perf_queue_fill(&q);
	CHECK(q.is_full, "a ring without");
	perf_queue_free(&q);
	perf_ring_unmap(&ring);
}

TEST_MAIN()
