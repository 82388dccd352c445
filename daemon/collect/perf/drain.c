// SPDX-License-Identifier: GPL-2.0-or-later
/* drain.c - see drain.h */
#include "daemon/collect/perf/drain.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/collect/perf/clock.h"
#include "daemon/collect/perf/records.h"
#include "libdb/session/session.h"
#include "libutil/thread.h"
#include "libutil/xalloc.h"

#define QUEUES_BYTES	((size_t)64 << 20)	/* of all CPUs, if each has more than the minimum */
#define QUEUE_BYTES_MIN	((size_t)1 << 20)
#define QUEUE_RINGS	4		/* a queue has room for so many small rings, */
#define QUEUE_BYTES	((size_t)4 << 20)	/* up to this; else for one */
#define PERIOD_NS	(10 * NS_PER_MS)	/* of the budget: shorter than rings take to fill */
#define EVENTS		16
#define RECORD_MAX	((size_t)66 << 10)	/* a record, and that of those lost before it */

struct perf_drain {
	pthread_mutex_t lock;		/* for the slots and the writers' side of the queues */
	struct perf_queue *queues[COUNTS_MAX_CPUS];	/* NULL: not drained */
	unsigned int nr_cpus;
	int epoll_fd, end_fd, fill_fd;
	pthread_t thread;
	bool has_thread;
	enum priority priority;
	struct perf_waits waits;
	uint64_t nr_full;
};

/* ---- a queue ---- */

size_t perf_queue_bytes(size_t ring_bytes, unsigned int nr_cpus)
{
	size_t share = QUEUES_BYTES / (nr_cpus ? nr_cpus : 1), bytes = QUEUE_BYTES_MIN;
	size_t wanted = QUEUE_RINGS * ring_bytes;

	if (wanted > QUEUE_BYTES)
		wanted = ring_bytes > QUEUE_BYTES ? ring_bytes : QUEUE_BYTES;
	while (bytes < wanted && 2 * bytes <= share)
		bytes *= 2;
	return bytes;
}

/* Its pages exist before the thread writes to them, so that it does not wait for memory. */
int perf_queue_init(struct perf_queue *q, size_t bytes)
{
	void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (data == MAP_FAILED)
		return -errno;
	*q = (struct perf_queue){ .head = 0 };
	perf_ring_init(&q->ring, xcalloc(1, sizeof(struct perf_event_mmap_page)), data, bytes);
	return 0;
}

void perf_queue_free(struct perf_queue *q)
{
	if (!q->ring.data)
		return;
	munmap(q->ring.data, q->ring.size);
	free(q->ring.page);
	free(q->ring.scratch);
	*q = (struct perf_queue){ .head = 0 };
}

static size_t room(const struct perf_queue *q)
{
	uint64_t tail = __atomic_load_n(&q->ring.page->data_tail, __ATOMIC_ACQUIRE);

	return q->ring.size - (size_t)(q->head - tail);
}

static void put(struct perf_queue *q, const void *bytes, size_t size)
{
	size_t at = (size_t)q->head & (q->ring.size - 1), first = q->ring.size - at;

	if (first > size)
		first = size;
	memcpy(q->ring.data + at, bytes, first);
	memcpy(q->ring.data, (const unsigned char *)bytes + first, size - first);
	q->head += size;
}

static bool put_whole(struct perf_queue *q, const void *bytes, size_t size)
{
	if (size > room(q))
		return false;
	put(q, bytes, size);
	return true;
}

/* False: no room. */
static bool put_record(struct perf_queue *q, const unsigned char *bytes, size_t size)
{
	struct perf_event_header header;
	size_t at, used, resume;
	uint64_t copy;

	if (!q->has_copies || !perf_record_unused(bytes, size, &at, &used, &resume))
		return put_whole(q, bytes, size);
	memcpy(&header, bytes, sizeof(header));
	header.size = (uint16_t)(at + sizeof(copy) + used + size - resume);
	if (header.size > room(q))
		return false;
	memcpy(&copy, bytes + at, sizeof(copy));
	copy |= (uint64_t)used << 32;
	put(q, &header, sizeof(header));
	put(q, bytes + sizeof(header), at - sizeof(header));
	put(q, &copy, sizeof(copy));
	put(q, bytes + at + sizeof(copy), used);
	put(q, bytes + resume, size - resume);
	return true;
}

void perf_queue_fill(struct perf_queue *q)
{
	struct perf_ring *from = q->from;
	uint64_t place = from->tail, first = place;
	const unsigned char *record;
	uint64_t head;
	size_t size;

	perf_ring_begin(from);
	while ((record = perf_ring_next(from, &size)) && put_record(q, record, size))
		place = from->tail;
	q->is_behind = record;
	if (!record)
		place = from->tail;		/* also past what is malformed */
	from->tail = place;
	__atomic_store_n(&q->ring.page->data_head, q->head, __ATOMIC_RELEASE);
	perf_ring_end(from);
	/* until it saw that, the kernel may have filled the rest of the ring */
	head = __atomic_load_n(&from->page->data_head, __ATOMIC_SEQ_CST);
	q->is_full |= head - first + RECORD_MAX > from->size;
}

/* ---- waits ---- */

void perf_waits_add(struct perf_waits *w, uint64_t ns)
{
	uint64_t us = ns / 1000;
	unsigned int i = us ? 64 - (unsigned int)__builtin_clzll(us) : 0;

	w->nr[i < PERF_WAITS ? i : PERF_WAITS - 1]++;
	if (ns > w->longest_ns)
		w->longest_ns = ns;
}

uint64_t perf_waits_most(const struct perf_waits *w)
{
	uint64_t all = 0, longer = 0, most;
	unsigned int i;

	for (i = 0; i < PERF_WAITS; i++)
		all += w->nr[i];
	for (i = PERF_WAITS; i-- > 1;) {
		longer += w->nr[i];
		if (longer > all / 1000)
			break;
	}
	most = (UINT64_C(1) << i) * 1000;
	return most < w->longest_ns ? most : w->longest_ns;
}

/* ---- the thread ---- */

/* Under the lock. True: the reader has work to do. */
static bool fill_all(struct perf_drain *d)
{
	bool fills = false;

	for (unsigned int cpu = 0; cpu < d->nr_cpus; cpu++) {
		struct perf_queue *q = d->queues[cpu];

		if (!q)
			continue;
		perf_queue_fill(q);
		d->nr_full += q->is_behind;
		fills |= room(q) < q->ring.size / 4 * 3;
	}
	return fills;
}

static bool wait_for_rings(struct perf_drain *d)
{
	struct epoll_event events[EVENTS];
	int nr = epoll_wait(d->epoll_fd, events, EVENTS, PERF_DRAIN_MS);
	bool end = false;

	for (int i = 0; i < nr; i++)
		end |= events[i].data.ptr == d;
	return !end;
}

static void *run(void *drain)
{
	struct perf_drain *d = drain;
	const uint64_t one = 1;
	uint64_t before = perf_now();

	pthread_mutex_lock(&d->lock);
	d->priority = priority_raise(PERF_DRAIN_SHARE, PERIOD_NS);
	pthread_mutex_unlock(&d->lock);
	while (wait_for_rings(d)) {
		uint64_t now = perf_now(), gap = now - before;
		const uint64_t usual = PERF_DRAIN_MS * NS_PER_MS;
		bool fills;

		pthread_mutex_lock(&d->lock);
		perf_waits_add(&d->waits, gap > usual ? gap - usual : 0);
		fills = fill_all(d);
		pthread_mutex_unlock(&d->lock);
		if (fills)
			(void)!write(d->fill_fd, &one, sizeof(one));
		before = perf_now();
	}
	return NULL;
}

static int add_fd(struct perf_drain *d, int fd, void *data)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = data };

	return epoll_ctl(d->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

int perf_drain_new(struct perf_drain **ret)
{
	struct perf_drain *d = xcalloc(1, sizeof(*d));
	int err = 0;

	lock_init(&d->lock);
	d->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	d->end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	d->fill_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (d->epoll_fd < 0 || d->end_fd < 0 || d->fill_fd < 0)
		err = -errno;
	if (!err)
		err = add_fd(d, d->end_fd, d);
	if (err) {
		perf_drain_free(d);
		return err;
	}
	*ret = d;
	return 0;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void perf_drain_free(struct perf_drain *d)
{
	const uint64_t one = 1;

	if (!d)
		return;
	if (d->has_thread) {
		(void)!write(d->end_fd, &one, sizeof(one));
		pthread_join(d->thread, NULL);
	}
	close_fd(d->fill_fd);
	close_fd(d->end_fd);
	close_fd(d->epoll_fd);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

int perf_drain_start(struct perf_drain *d)
{
	int err = thread_start(&d->thread, run, d);

	d->has_thread = !err;
	return err;
}

int perf_drain_fd(const struct perf_drain *d)
{
	return d->fill_fd;
}

int perf_drain_add(struct perf_drain *d, unsigned int cpu, struct perf_queue *q,
		   struct perf_ring *from, int event_fd)
{
	int err = add_fd(d, event_fd, NULL);

	if (err)
		return err;
	pthread_mutex_lock(&d->lock);
	q->from = from;
	d->queues[cpu] = q;
	if (cpu >= d->nr_cpus)
		d->nr_cpus = cpu + 1;
	pthread_mutex_unlock(&d->lock);
	return 0;
}

void perf_drain_remove(struct perf_drain *d, unsigned int cpu)
{
	struct perf_queue *q = d->queues[cpu];

	if (!q)
		return;
	pthread_mutex_lock(&d->lock);
	perf_queue_fill(q);
	d->queues[cpu] = NULL;
	pthread_mutex_unlock(&d->lock);
	q->from = NULL;
}

void perf_drain_pass(struct perf_drain *d)
{
	uint64_t fills;

	(void)!read(d->fill_fd, &fills, sizeof(fills));
	pthread_mutex_lock(&d->lock);
	(void)fill_all(d);
	for (unsigned int cpu = 0; cpu < d->nr_cpus; cpu++) {
		struct perf_queue *q = d->queues[cpu];

		if (!q)
			continue;
		q->was_behind = q->is_behind;
		q->was_full = q->is_full;
		q->is_full = false;
	}
	pthread_mutex_unlock(&d->lock);
}

void perf_drain_figures(struct perf_drain *d, struct perf_drain_figures *ret)
{
	pthread_mutex_lock(&d->lock);
	*ret = (struct perf_drain_figures){
		.priority = d->priority,
		.longest_ns = d->waits.longest_ns,
		.most_ns = perf_waits_most(&d->waits),
		.nr_full = d->nr_full,
	};
	pthread_mutex_unlock(&d->lock);
}
