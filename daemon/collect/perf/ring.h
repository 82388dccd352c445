/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.h - read records in place from an mmap'd perf ring
 *
 * The kernel writes at data_head, we read at data_tail; both only grow, and the bytes in between
 * wait. Order of calls:  begin, next ... next, end.  A record from next() is valid until it is
 * released: by end(), or one by one by release().
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
	size_t mapped;			/* bytes to munmap(); 0: not our memory */
	uint64_t head, tail;		/* positions: the kernel's, and that of the next record */
	/*
	 * A record that wraps is assembled here. At most one of them is unreleased at a time,
	 * because the next one is a whole ring later.
	 */
	unsigned char *scratch;
	uint64_t broken;		/* times it was malformed and skipped to its head */
};

/*
 * Map the ring of event @fd with @pages data pages (a power of two). -EPERM: more locked memory
 * than allowed; -ENOMEM. Undo with perf_ring_unmap().
 */
int perf_ring_map(struct perf_ring *r, int fd, size_t pages);
void perf_ring_unmap(struct perf_ring *r);	/* an all-zero ring is fine */

/* The same for the caller's memory: @page has data_head and data_tail, @size is a power of two. */
void perf_ring_init(struct perf_ring *r, struct perf_event_mmap_page *page, void *data,
		    size_t size);

void perf_ring_begin(struct perf_ring *r);
/* The next record and its size (at least a header, a multiple of 8); NULL: no more. */
const void *perf_ring_next(struct perf_ring *r, size_t *ret_size);
void perf_ring_end(struct perf_ring *r);	/* release all records read */
/* Release the records before @place, a value of r->tail before a next(). Never goes backwards. */
void perf_ring_release(struct perf_ring *r, uint64_t place);

#endif
