// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lowered.c - kernels and CPUs without some of the requested features
 *
 * The system calls are this program's own: they answer as a kernel would that is older, or whose
 * CPU has no precise addresses, no guests, or no counters at all.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/collect/bpf/walker.h"
#include "daemon/collect/perf/events.h"
#include "tests/tap.h"
#include "tests/unit/daemon/collect/perf/fake_perf_open.h"
#include "tests/unit/tmpdir.h"

static struct {
	bool lost, build_ids;		/* supported */
	bool guests;			/* can exclude guests */
	unsigned int precise;		/* the highest level */
	int raw, hardware;		/* error of an event of that type, or 0 */
	uint64_t opened;		/* sum of the configs of opened events */
	int nr_tries, nr_open;
} kernel;

static int refusal(const struct perf_event_attr *a)
{
	if (a->read_format & PERF_FORMAT_LOST && !kernel.lost)
		return EINVAL;
	if (a->build_id && !kernel.build_ids)
		return EINVAL;
	if (a->type == PERF_TYPE_SOFTWARE)
		return 0;
	if (a->type == PERF_TYPE_RAW ? kernel.raw : kernel.hardware)
		return a->type == PERF_TYPE_RAW ? kernel.raw : kernel.hardware;
	if (a->exclude_guest && !kernel.guests)
		return EINVAL;
	return a->precise_ip > kernel.precise ? EOPNOTSUPP : 0;
}

static int fake_perf_open(const struct perf_event_attr *a, pid_t pid, int cpu)
{
	int fd;

	(void)pid, (void)cpu;
	kernel.nr_tries++;
	errno = refusal(a);
	if (errno)
		return -1;
	fd = memfd_create("event", 0);
	CHECK(fd >= 0 && !ftruncate(fd, 1 << 20), "memfd");
	if (a->type != PERF_TYPE_SOFTWARE)
		kernel.opened += a->config;
	kernel.nr_open++;
	return fd;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list list;

	(void)fd;
	va_start(list, request);
	if (request == PERF_EVENT_IOC_ID)
		*va_arg(list, uint64_t *) = 100 + kernel.nr_open;
	va_end(list);
	return 0;
}

static unsigned int nr_attached, attached_place;

int bpf_walker_attach(struct bpf_walker *w, int event, int output, uint32_t place,
		      enum bpf_watch_flags flags)
{
	(void)w, (void)event, (void)output, (void)flags;
	nr_attached++;
	attached_place = place;
	return memfd_create("link", 0);
}

static const struct {
	bool lost, build_ids, guests;
	unsigned int precise;
	int raw, hardware;

	int err;
	unsigned int got_precise;	/* of the second event, which requests 3 */
	bool got_guests_too;		/* of the first, cycles */
	uint64_t opened;
} cases[] = {
	{ true, true, true, 3, 0, 0, 0, 3, false, 0x3c + 0x1c0 },
	{ true, true, true, 2, 0, 0, 0, 2, false, 0x3c + 0x1c0 },
	{ true, true, true, 0, 0, 0, 0, 0, false, 0x3c + 0x1c0 },
	{ true, true, false, 2, 0, 0, 0, 2, true, 0x3c + 0x1c0 },
	{ true, true, false, 0, 0, 0, 0, 0, true, 0x3c + 0x1c0 },
	{ false, true, true, 3, 0, 0, 0, 3, false, 0x3c + 0x1c0 },
	{ false, false, true, 1, 0, 0, 0, 1, false, 0x3c + 0x1c0 },
	{ true, true, true, 3, ENOENT, 0, -ENOENT, 3, false, PERF_COUNT_HW_CPU_CYCLES },
	{ true, true, true, 3, ENOENT, ENOENT, -ENOENT, 3, false, 0 },
	{ true, true, true, 3, EBUSY, 0, -EBUSY, 3, false, 0 },
	{ true, true, true, 3, EACCES, 0, -EACCES, 3, false, 0 },
};

TEST(unsupported_features_are_lowered)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perf_counter counters[] = {
			{ .name = "CYC", .type = PERF_TYPE_RAW, .config = 0x3c, .period = 1000,
			  .counter = 2, .user = true, .cycles = true },
			{ .name = "INST", .type = PERF_TYPE_RAW, .config = 0x1c0, .period = 1000,
			  .counter = 5, .user = true, .precise = 3, .precise_asked = 3 },
		};
		struct perf_event_setup setup = { .counters = counters, .nr_counters = 2,
						  .ring_pages = 4 };
		struct perf_events ev = { 0 };
		struct op_error e = { "" };
		int err, tries;

		memset(&kernel, 0, sizeof(kernel));
		kernel.lost = cases[i].lost;
		kernel.build_ids = cases[i].build_ids;
		kernel.guests = cases[i].guests;
		kernel.precise = cases[i].precise;
		kernel.raw = cases[i].raw;
		kernel.hardware = cases[i].hardware;
		err = perf_events_open(&ev, 0, &setup, &e);
		CHECK(err == cases[i].err && !err == !e.text[0], "case %zu: %d %s", i, err, e.text);
		CHECK(counters[1].precise == cases[i].got_precise &&
			      counters[0].guests_too == cases[i].got_guests_too,
		      "case %zu: precise %u", i, counters[1].precise);
		CHECK(setup.no_lost == !cases[i].lost && setup.no_build_ids == !cases[i].build_ids,
		      "case %zu: old kernel", i);
		CHECK(kernel.opened == cases[i].opened, "case %zu: opened 0x%llx", i,
		      (unsigned long long)kernel.opened);
		if (err) {
			perf_events_free(&ev);
			continue;
		}
		CHECK(perf_events_nr_open(&ev) == 2, "case %zu", i);
		CHECK(perf_events_find(&ev, ev.counters[1].id)->counter == 5 &&
			      perf_events_find(&ev, ev.counters[0].id)->counter == 2 &&
			      !perf_events_find(&ev, 9999),
		      "case %zu: ids", i);
		tries = kernel.nr_tries;
		perf_events_close(&ev);
		CHECK(!perf_events_open(&ev, 1, &setup, &e) && kernel.nr_tries == tries + 3,
		      "case %zu: the next CPU asks for what this one took", i);
		perf_events_close(&ev);
		perf_events_free(&ev);
	}
}

/* The kernel would refuse the BPF program for it: its stacks are copied. [PC-94] */
TEST(a_precise_event_has_no_walker)
{
	struct bpf_walker walker = { 0 };
	struct perf_counter counters[] = {
		{ .name = "CYC", .type = PERF_TYPE_RAW, .config = 0x3c, .period = 1000 },
		{ .name = "INST", .type = PERF_TYPE_RAW, .config = 0x1c0, .period = 1000,
		  .precise = 3, .precise_asked = 3 },
	};
	struct perf_event_setup setup = { .counters = counters, .nr_counters = 2, .ring_pages = 4,
					  .walker = &walker, .max_addresses = 64 };
	struct perf_events ev = { 0 };
	struct op_error e = { "" };

	memset(&kernel, 0, sizeof(kernel));
	kernel.lost = kernel.build_ids = kernel.guests = true;
	kernel.precise = 2;
	CHECK(!perf_events_open(&ev, 1, &setup, &e), "%s", e.text);
	CHECK(counters[1].precise == 2 && nr_attached == 1 &&
	      attached_place == COLLECTOR_COUNTERS_MAX, "%u", nr_attached);
	perf_events_close(&ev);
	kernel.precise = 0;
	CHECK(!perf_events_open(&ev, 1, &setup, &e) && !counters[1].precise && nr_attached == 3,
	      "%s", e.text);
	perf_events_close(&ev);
	perf_events_free(&ev);
}

TEST(an_event_stays_on_its_type_of_cpu)
{
	static struct perf_counter atom = { .name = "CYC", .type = PERF_TYPE_RAW, .config = 1,
					    .period = 9, .user = true, .pmu = "cpu_atom",
					    .cpus = { .end = 5, .has = { [4] = true } } };
	struct perf_event_setup setup = { .counters = &atom, .nr_counters = 1, .ring_pages = 1 };
	struct perf_events ev = { 0 };

	memset(&kernel, 0, sizeof(kernel));
	kernel.lost = kernel.build_ids = kernel.guests = true;
	CHECK(!perf_events_open(&ev, 0, &setup, NULL) && !perf_events_nr_open(&ev), "CPU 0");
	CHECK(!perf_events_sample(&ev, true), "start nothing");
	perf_events_close(&ev);
	CHECK(!perf_events_open(&ev, 4, &setup, NULL) && perf_events_nr_open(&ev) == 1, "CPU 4");
	perf_events_close(&ev);
	perf_events_free(&ev);
}

TEST_MAIN()
