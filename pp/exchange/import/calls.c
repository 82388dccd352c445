// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calls.c - each two neighbours of a profile's chains are a call, as the daemon counts them
 *
 * A {cg} file has halves of keys of 32 bits; of an image whose names begin above them readers make
 * addresses again, as long as all lie within 4 GB [IM-9]. Counts go up the tree of chains, once for
 * each event and set of labels.
 */
#include "pp/exchange/import/private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/profile/saturate.h"
#include "libutil/radix_sort.h"
#include "libutil/xalloc.h"

#define NAMELESS	UINT64_MAX	/* wherever it is, it is that image */

struct calls {
	struct importer *m;
	struct radix_item *samples;	/* by label set */
	int64_t *weights;		/* of nodes, 1 too many; 0: not on the way */
	uint32_t *nodes;		/* on the way */
	size_t nr_nodes;
	uint64_t *lows;			/* of images: the lowest key that has a name; NAMELESS */
	uint64_t nr_far, nr_crowded;	/* left out */
};

static uint64_t *find_lows(const struct profile *p, const struct import_images *m)
{
	uint64_t *lows = xcalloc((size_t)m->nr + 1, sizeof(*lows));

	for (uint32_t i = 0; i < m->nr; i++) {
		uint32_t at = i ? m->ends[i - 1] : 0;

		lows[i] = NAMELESS;
		for (; at < m->ends[i]; at++) {
			uint64_t key = m->places[m->by_image[at]].key;

			if (key < lows[i] && *import_function(p, m->by_image[at]))
				lows[i] = key;
		}
	}
	return lows;
}

/* Can it be known again from its lower half? */
static bool is_near(const struct calls *c, const struct import_place *at)
{
	uint64_t low = c->lows[at->image] > UINT32_MAX ? c->lows[at->image] : 0;

	return low == NAMELESS || (at->key >= low && at->key - low < UINT32_MAX);
}

static void add_call(struct calls *c, uint32_t event, uint32_t labels, uint32_t node,
		     uint64_t count)
{
	const struct profile *p = c->m->p;
	uint32_t from = p->nodes[p->nodes[node].parent].place;
	const struct import_place *caller = &c->m->m->places[from];
	const struct import_place *callee = &c->m->m->places[p->nodes[node].place];
	uint32_t file;

	if (!is_near(c, caller) || !is_near(c, callee)) {
		c->nr_far++;
		return;
	}
	file = import_file_get(c->m, &(struct import_file){ event, labels, caller->image,
							    callee->image });
	if (file == PROFILE_NONE)
		c->nr_crowded++;
	else
		import_record_add(c->m, file, (caller->key + 1) << 32 | (uint32_t)callee->key,
				  count);
}

/* The chain, up to where one has been already. */
static void weigh(struct calls *c, uint32_t node, int64_t value)
{
	const struct profile *p = c->m->p;

	for (; node != PROFILE_NONE; node = p->nodes[node].parent) {
		bool is_new = !c->weights[node];

		c->weights[node] = add_saturated(c->weights[node] + is_new, value);
		if (!is_new)
			break;
		c->nodes[c->nr_nodes++] = node;
		value = 0;
	}
}

static int compare_nodes(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x > *y ? -1 : *x < *y;
}

/* Callees come after their callers, so this way each is whole when it is handed up. */
static void count_up(struct calls *c, uint32_t event, uint32_t labels)
{
	const struct profile *p = c->m->p;
	unsigned int ignored;

	if (c->nr_nodes)
		qsort(c->nodes, c->nr_nodes, sizeof(*c->nodes), compare_nodes);
	for (size_t i = 0; i < c->nr_nodes; i++) {
		uint32_t node = c->nodes[i], parent = p->nodes[node].parent;
		int64_t count = c->weights[node] - 1;

		c->weights[node] = 0;
		if (parent == PROFILE_NONE)
			continue;
		c->weights[parent] = add_saturated(c->weights[parent], count);
		if (p->nodes[parent].parent != PROFILE_NONE ||
		    !import_is_cut(p, p->nodes[parent].place, &ignored))
			add_call(c, event, labels, node, (uint64_t)count);
	}
	c->nr_nodes = 0;
}

static struct radix_item *sort_samples(const struct profile *p)
{
	struct radix_item *items = xcalloc((size_t)p->nr_samples + 1, sizeof(*items));
	struct radix_item *spare = xcalloc((size_t)p->nr_samples + 1, sizeof(*spare)), *sorted;

	for (uint32_t i = 0; i < p->nr_samples; i++)
		items[i] = (struct radix_item){ p->samples[i].labels, i };
	sorted = radix_sort(items, spare, p->nr_samples);
	free(sorted == items ? spare : items);
	return sorted;
}

static void add_calls(struct calls *c, uint32_t event)
{
	const struct profile *p = c->m->p;

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		uint32_t sample = (uint32_t)c->samples[i].value;
		int64_t value = p->values[(size_t)sample * p->nr_events + event];

		if (value > 0)
			weigh(c, p->samples[sample].node, value);
		if (i + 1 == p->nr_samples || c->samples[i + 1].key != c->samples[i].key)
			count_up(c, event, (uint32_t)c->samples[i].key);
	}
}

void import_calls_add(struct importer *m, struct notices *notices)
{
	struct calls c = {
		.m = m,
		.samples = sort_samples(m->p),
		.weights = xcalloc((size_t)m->p->nr_nodes + 1, sizeof(*c.weights)),
		.nodes = xcalloc((size_t)m->p->nr_nodes + 1, sizeof(*c.nodes)),
		.lows = find_lows(m->p, m->m),
	};

	for (uint32_t event = 0; event < m->p->nr_events; event++)
		add_calls(&c, event);
	if (c.nr_far)
		notice_add(notices, "%" PRIu64 " calls are in chains only: addresses of an image "
			   "are too far apart", c.nr_far);
	if (c.nr_crowded)
		notice_add(notices, "%" PRIu64 " calls are in chains only: there are too many "
			   "combinations of labels, events and images", c.nr_crowded);
	free(c.samples);
	free(c.weights);
	free(c.nodes);
	free(c.lows);
}
