// SPDX-License-Identifier: GPL-2.0-or-later
/* sample_cost.c - see sample_cost.h */
#include "daemon/collect/perf/sample_cost.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/collect/perf/open.h"
#include "libutil/clock.h"
#include "libutil/sorted.h"

#define PERIOD_NS	(200 * 1000)	/* rare enough that samples do not follow each other */
#define SAMPLES		128
#define SAMPLES_MIN	20
#define RING_PAGES	32
#define ANY_CPU		((unsigned int)-1)

/* A stack of 32 frames: what is copied of it, and the daemon's time [doc/performance.md]. */
#define STACK_ADDRESSES		33
#define STACK_COPY_BYTES	8192
#define STACK_STORE_NS		4000
#define STACK_UNWIND_NS		6000

uint64_t sample_cost_median(uint64_t *ns, unsigned int nr)
{
	qsort(ns, nr, sizeof(*ns), compare_u64);
	return ns[nr / 2];
}

static int open_clock(struct perf_event_setup *setup, bool kernel)
{
	struct perf_counter clock = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.period = PERIOD_NS,
		.kernel = kernel,
		.user = true,
	};

	return perf_open_sampling(ANY_CPU, setup, &clock);
}

/* Of this thread, with as much as the kernel and the user's rights permit. */
static int open_own(bool stacks, bool copies)
{
	struct perf_event_setup setup = {
		.tid = gettid(),
		.ring_pages = RING_PAGES,
		.no_lost = true,
		.max_addresses = stacks ? STACK_ADDRESSES : 0,
		.copy_bytes = stacks && copies ? STACK_COPY_BYTES : 0,
	};
	int fd = open_clock(&setup, true);

	return fd == -EACCES || fd == -EPERM ? open_clock(&setup, false) : fd;
}

/* While other programs have the CPU, time that passes is not time in which samples come. */
static bool has_time(uint64_t passed_ns, uint64_t used_before)
{
	return passed_ns < SAMPLE_COST_MS * NS_PER_MS ||
	       (passed_ns < SAMPLE_COST_WAIT_MS * NS_PER_MS &&
		clock_ns(CLOCK_THREAD_CPUTIME_ID) - used_before < SAMPLE_COST_MS * NS_PER_MS);
}

/*
 * A sample is what moves the ring's head. It came after the last reading of the clock that did not
 * see it and before the next one that does, wherever in the loop that is.
 */
static unsigned int time_samples(const struct perf_event_mmap_page *page, uint64_t *ns)
{
	uint64_t used = clock_ns(CLOCK_THREAD_CPUTIME_ID), start = now_ns(), before = start, now;
	uint64_t loop_ns = UINT64_MAX;
	const volatile __u64 *head = &page->data_head;
	uint64_t seen = *head;
	unsigned int nr = 0;

	/* not asked every time, because that takes longer than the rest of the loop */
	for (unsigned int i = 1; nr < SAMPLES; i++) {
		uint64_t there;

		if (i % 1024 == 0 && !has_time(before - start, used))
			break;
		now = now_ns();
		there = *head;
		if (there != seen) {
			seen = there;
			now = now_ns();
			ns[nr++] = now - before;
		} else if (now - before < loop_ns) {
			loop_ns = now - before;
		}
		before = now;
	}
	for (unsigned int i = 0; i < nr; i++)
		ns[i] -= ns[i] > 2 * loop_ns ? 2 * loop_ns : ns[i];
	return nr;
}

static int measure(int fd, uint64_t *ret_ns)
{
	size_t size = (RING_PAGES + 1) * (size_t)sysconf(_SC_PAGESIZE);
	uint64_t ns[SAMPLES];
	unsigned int nr;
	/* read-only, so that the kernel overwrites old samples instead of losing new ones */
	void *page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0) {
		int err = -errno;

		munmap(page, size);
		return err;
	}
	nr = time_samples(page, ns);
	(void)ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	munmap(page, size);
	if (nr < SAMPLES_MIN)
		return -ENODATA;
	*ret_ns = sample_cost_median(ns, nr);
	return 0;
}

/* In a frame of its own, whose callers' frames are long enough to be copied as a stack. */
static __attribute__((noinline)) int measure_below(int fd, const unsigned char *frame,
						   uint64_t *ret_ns)
{
	__asm__ volatile("" : : "r" (frame) : "memory");
	return measure(fd, ret_ns);
}

int perf_sample_cost(bool stacks, bool frame_pointers_only, uint64_t *ret_ns)
{
	unsigned char frame[STACK_COPY_BYTES] = { 1 };
	int fd = open_own(stacks, !frame_pointers_only), err;
	uint64_t ns;

	if (fd < 0)
		return fd;
	err = measure_below(fd, frame, &ns);
	close(fd);
	if (err)
		return err;
	if (stacks)
		ns += STACK_STORE_NS + (frame_pointers_only ? 0 : STACK_UNWIND_NS);
	*ret_ns = ns;
	return 0;
}
