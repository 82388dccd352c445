// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * buffer.c - the buffers that stacks are copied to
 *
 * Each is as big as a stack can be by default; unwritten pages take no memory. The part that nearly
 * all copies fit in is touched beforehand, so that the handler, which stops its thread, does not
 * wait for pages; those of deep stacks stay, unless all buffers together have too many. Huge pages
 * would be cleared while the thread waits.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include "libsampler/sampling.h"

#define FALLBACK_SIZE	(4 << 20)
#define KEPT_SIZE	(16 << 10)
#define PAGE		4096	/* or a part of one */
#define TOUCHED_MAX	(64 << 20)	/* of all buffers */

static atomic_size_t touched;

static size_t default_stack_size(void)
{
	pthread_attr_t attr;
	size_t size = 0;

	if (pthread_getattr_default_np(&attr))
		return FALLBACK_SIZE;
	pthread_attr_getstacksize(&attr, &size);
	pthread_attr_destroy(&attr);
	return size ? size : FALLBACK_SIZE;
}

int stack_buffer_init(struct stack_buffer *b, size_t size)
{
	void *bytes;

	if (!size)
		size = default_stack_size();
	if (size > SIZE_MAX - 2 * PAGE)
		return -ENOMEM;
	size = (size + PAGE - 1) / PAGE * PAGE;
	bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bytes == MAP_FAILED)
		return -errno;
	madvise(bytes, size, MADV_NOHUGEPAGE);
	memset(bytes, 0, size < KEPT_SIZE ? size : KEPT_SIZE);
	*b = (struct stack_buffer){ .bytes = bytes, .size = size };
	return 0;
}

void stack_buffer_free(struct stack_buffer *b)
{
	if (b->bytes)
		munmap(b->bytes, b->size);
	atomic_fetch_sub(&touched, b->touched);
	*b = (struct stack_buffer){ .bytes = NULL };
}

void stack_buffer_used(struct stack_buffer *b, size_t used)
{
	if (used <= KEPT_SIZE || used <= b->touched)
		return;
	atomic_fetch_add(&touched, used - b->touched);
	b->touched = used;
}

void stack_buffer_trim(struct stack_buffer *b, bool all)
{
	if (!b->touched || (!all && atomic_load(&touched) <= TOUCHED_MAX))
		return;
	madvise(b->bytes + KEPT_SIZE, b->size - KEPT_SIZE, MADV_DONTNEED);
	atomic_fetch_sub(&touched, b->touched);
	b->touched = 0;
}
