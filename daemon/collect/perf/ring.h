/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.h - read records out of one mmap'd perf ring, where they lie
 *
 * The kernel writes at data_head, we read at data_tail; both only grow, so their difference is
 * what waits. Reading goes  begin, next ... next, end.  What next() returned is valid until it
 * is released: by end(), or later, one by one, by release().
 */
#ifndef DAEMON_COLLECT_PERF_RING_H
#define DAEMON_COLLECT_PERF_RING_H

#include <stddef.h>
#include <stdint.h>

struct perf_event_mmap_page;

struct perf_ring {
	struct perf_event_mmap_page *page;
	unsigned char *data;
	size_t size;			/* of data, a power of two */
	size_t mapped;			/* bytes to munmap(), 0: memory of somebody else */
	uint64_t head, tail;		/* places: the kernel's, and of what next() returns next */
	/*
	 * A record that wraps is put together here. There is never more than one that isn't
	 * released, since from one to the next it is once around.
	 */
	unsigned char *scratch;
	uint64_t broken;		/* times it made no sense and was skipped to its head */
};

/*
 * Map the ring of event @fd with @pages data pages (a power of two). -EPERM: more locked
 * memory than we may have; -ENOMEM. On success the caller's to perf_ring_unmap().
 */
int perf_ring_map(struct perf_ring *r, int fd, size_t pages);
void perf_ring_unmap(struct perf_ring *r);	/* an all-zero ring is fine */

/* The same over memory of the caller's: @page has data_head and data_tail, @size a power of two. */
void perf_ring_init(struct perf_ring *r, struct perf_event_mmap_page *page, void *data,
		    size_t size);

void perf_ring_begin(struct perf_ring *r);
/* Next whole record and its size (at least a header, a multiple of 8), or NULL: no more. */
const void *perf_ring_next(struct perf_ring *r, size_t *ret_size);
void perf_ring_end(struct perf_ring *r);	/* what was read is the kernel's again */
/* Only what lies before @place is: r->tail as it was before a record was read. Never backwards. */
void perf_ring_release(struct perf_ring *r, uint64_t place);

#endif
