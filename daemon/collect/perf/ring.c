// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ring.c - the reader's side of a perf ring
 *
 *	kernel				here
 *	------				----
 *	if (room up to data_tail) (A)	load data_head
 *	write record			acquire (C)
 *	release (B)			read records
 *	store data_head			release (D)
 *					store data_tail
 *
 * B pairs with C: all records before the head that we see are complete. D pairs with A: the kernel
 * overwrites a record only after we have read it.
 */
#include "daemon/collect/perf/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libutil/xalloc.h"

#define RECORD_MAX	65536	/* header.size has 16 bits */

void perf_ring_init(struct perf_ring *r, struct perf_event_mmap_page *page, void *data, size_t size)
{
	*r = (struct perf_ring){ .page = page, .data = data, .size = size };
	r->tail = r->head = page->data_tail;
	r->scratch = xmalloc(RECORD_MAX);
}

int perf_ring_map(struct perf_ring *r, int fd, size_t pages)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = (pages + 1) * page_size;
	unsigned char *at;

	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	perf_ring_init(r, (void *)at, at + page_size, pages * page_size);
	r->mapped = bytes;
	return 0;
}

void perf_ring_unmap(struct perf_ring *r)
{
	if (r->mapped)
		munmap(r->page, r->mapped);
	free(r->scratch);
	*r = (struct perf_ring){ 0 };
}

void perf_ring_begin(struct perf_ring *r)
{
	r->head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);	/* (C) */
}

void perf_ring_release(struct perf_ring *r, uint64_t place)
{
	/* SEQ_CST: perf_queue_fill() looks at data_head after that */
	__atomic_store_n(&r->page->data_tail, place, __ATOMIC_SEQ_CST);	/* (D) */
}

void perf_ring_end(struct perf_ring *r)
{
	perf_ring_release(r, r->tail);
}

/* The kernel never does this, but a wrong length must not lead us out of the ring. */
static const void *skip_broken(struct perf_ring *r)
{
	r->broken++;
	r->tail = r->head;
	return NULL;
}

const void *perf_ring_next(struct perf_ring *r, size_t *ret_size)
{
	uint64_t waiting = r->head - r->tail;
	struct perf_event_header header;
	size_t at = r->tail & (r->size - 1);
	size_t first;

	if (waiting == 0)
		return NULL;
	if (waiting < sizeof(header) || waiting > r->size || at % 8)
		return skip_broken(r);
	memcpy(&header, r->data + at, sizeof(header));	/* 8 aligned bytes never wrap */
	if (header.size < sizeof(header) || header.size % 8 || header.size > waiting)
		return skip_broken(r);

	r->tail += header.size;
	*ret_size = header.size;
	first = r->size - at;
	if (header.size <= first)
		return r->data + at;
	memcpy(r->scratch, r->data + at, first);
	memcpy(r->scratch + first, r->data, header.size - first);
	return r->scratch;
}
