// SPDX-License-Identifier: GPL-2.0-or-later
/* held.c - keep samples until the tables for their stacks are built */
#include "daemon/collect/perf/held.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/collect/perf/clock.h"
#include "libutil/xalloc.h"

#define HOLD_NS		(30 * NS_PER_SECOND)	/* the largest tables take two of a CPU */
#define TRIM_BYTES	((size_t)1 << 20)	/* above this, give memory back to the system */

void perf_held_init(struct perf_held *h, struct perf_cookies *cookies)
{
	*h = (struct perf_held){ .cookies = cookies };
	list_init(&h->samples);
}

void perf_held_free(struct perf_held *h)
{
	struct perf_held_sample *s, *next;

	if (!h->cookies)
		return;
	list_for_each_entry_safe(s, next, &h->samples, list)
		perf_held_remove(h, s);
	*h = (struct perf_held){ .cookies = NULL };
}

/* Mappings count once for neighbors that share them: more than they take if processes alternate. */
static size_t size_of_maps(const struct perf_held *h, const struct perf_maps *maps)
{
	const struct perf_held_sample *last =
		list_entry(h->samples.prev, struct perf_held_sample, list);

	if (!list_empty(&h->samples) && last->maps == maps)
		return 0;
	return sizeof(*maps) + maps->nr * sizeof(*maps->mappings);
}

static size_t size_of(const struct perf_sample_stack *stack)
{
	return sizeof(struct perf_held_sample) + stack->copy_size + sizeof(uint64_t) +
	       (stack->nr_addresses + PERF_USER_REGS_NR) * sizeof(uint64_t);
}

struct perf_held_sample *perf_held_add(struct perf_held *h, const struct perf_sample *s,
				       const struct perf_sample_stack *stack,
				       struct perf_maps *maps, struct perf_image *wanted,
				       const char *comm)
{
	size_t own = size_of(stack), size = own + size_of_maps(h, maps);
	struct perf_held_sample *n;
	uint64_t *at;

	if (size > PERF_HELD_BYTES_MAX - h->bytes)
		return NULL;
	n = xmalloc(own);
	*n = (struct perf_held_sample){ .sample = *s, .stack = *stack, .wanted = wanted,
					.maps = perf_maps_share(maps), .size = size,
					.until = perf_now() + HOLD_NS };
	snprintf(n->comm, sizeof(n->comm), "%s", comm);
	n->sample.stack = NULL;
	at = n->bytes;
	memcpy(at, stack->addresses, stack->nr_addresses * sizeof(*at));
	n->stack.addresses = at;
	at += stack->nr_addresses;
	memcpy(at, stack->registers, PERF_USER_REGS_NR * sizeof(*at));
	n->stack.registers = at;
	at += PERF_USER_REGS_NR;
	if (stack->copy_size)
		memcpy(at, stack->copy, stack->copy_size);
	n->stack.copy = (const unsigned char *)at;
	list_add_tail(&n->list, &h->samples);
	h->bytes += size;
	if (h->bytes > h->peak)
		h->peak = h->bytes;
	return n;
}

void perf_held_remove(struct perf_held *h, struct perf_held_sample *s)
{
	list_del(&s->list);
	h->bytes -= s->size;
	perf_maps_put(h->cookies, s->maps);
	perf_image_put(h->cookies, s->program_image);
	free(s);
	if (!list_empty(&h->samples) || h->peak < TRIM_BYTES)
		return;
	h->peak = 0;
	malloc_trim(0);
}
