// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * order.c - put the records of a slice in the order that packs best [HI-11]
 *
 * In the store they are in the order of the samples. Here nodes that are called from old ones come
 * in the order of these, each followed by what it called: so distances are small, and neighbors
 * have frames near each other.
 */
#include <stdlib.h>
#include <string.h>
#include "libdb/history/block.h"
#include "libutil/xalloc.h"

struct node {
	uint32_t parent;		/* position, a new one if it is in an earlier slice */
	uint32_t image;
	uint64_t offset;
	uint32_t pos;
};

static int compare(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->image != y->image)
		return x->image < y->image ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->pos < y->pos ? -1 : x->pos > y->pos;
}

static const struct stack_record *record_at(const struct history_order *o, uint32_t pos)
{
	return &o->from->records[pos];
}

static bool is_count_at(const struct history_order *o, uint32_t pos)
{
	return pos < o->from->have && stack_kind(record_at(o, pos)) == STACK_COUNT;
}

/* The record at @pos is the next one; what it refers to has its place. */
static void put(struct history_order *o, uint32_t pos)
{
	const struct stack_record *from = record_at(o, pos);
	struct stack_record *to = &o->records[o->have];
	uint32_t length = stack_record_length(from), argument = stack_argument(from);
	struct stack_context_fields fields;

	if (o->places[pos])
		return;
	memcpy(to, from, length * sizeof(*to));
	o->places[pos] = o->have;
	if (stack_kind(from) == STACK_COUNT || stack_kind(from) == STACK_WIDE_COUNT)
		o->counts[pos] = o->nr_counts++;
	o->have += length;
	if (stack_kind(from) != STACK_LABEL)
		to->head = STACK_HEAD(stack_kind(from), o->places[argument]);
	switch (stack_kind(from)) {
	case STACK_NODE:
		if (!argument)
			break;
		/* fall through */
	case STACK_SERIES:
	case STACK_WIDE_COUNT:
		to->second = o->places[from->second];
		break;
	case STACK_LABEL:
		if (!stack_label_is_context(from->second))
			break;
		memcpy(&fields, to + 1, sizeof(fields));
		fields.app = o->places[fields.app];
		memcpy(to + 1, &fields, sizeof(fields));
	}
}

/* A node, and its count, which is just behind it. */
static void put_node(struct history_order *o, uint32_t pos)
{
	if (stack_argument(record_at(o, pos)))
		put(o, record_at(o, pos)->second);
	put(o, pos);
	if (is_count_at(o, pos + 1))
		put(o, pos + 1);
}

static void put_all(struct history_order *o, uint32_t from, bool labels)
{
	for (uint32_t pos = from; pos < o->from->have;
	     pos += stack_record_length(record_at(o, pos))) {
		unsigned int kind = stack_kind(record_at(o, pos));

		if (!labels || kind == STACK_LABEL || kind == STACK_SERIES)
			put(o, pos);
	}
}

static struct node *sorted_nodes(const struct history_order *o, uint32_t from, uint32_t *ret_nr)
{
	struct node *nodes = xcalloc(o->from->have - from + 1, sizeof(*nodes));
	uint32_t nr = 0;

	for (uint32_t pos = from; pos < o->from->have;
	     pos += stack_record_length(record_at(o, pos))) {
		const struct stack_record *r = record_at(o, pos);
		uint32_t parent = stack_argument(r);
		struct stack_record *frame;

		/* the last one stays where it is: its count may be the next slice's first record */
		if (stack_kind(r) != STACK_NODE || pos + 1 == o->from->have)
			continue;
		nodes[nr].pos = pos;
		if (parent) {
			frame = &o->from->records[r->second];
			nodes[nr].parent = parent < from ? o->places[parent] : parent;
			nodes[nr].image = stack_argument(frame);
			nodes[nr].offset = stack_frame_offset(frame);
		}
		nr++;
	}
	qsort(nodes, nr, sizeof(*nodes), compare);
	*ret_nr = nr;
	return nodes;
}

/* Each node is followed by those that it called. */
static void put_nodes(struct history_order *o, uint32_t from)
{
	uint32_t nr, depth = 0, *first;
	struct node *nodes = sorted_nodes(o, from, &nr);
	uint32_t *next = xcalloc(nr + 1, sizeof(*next));	/* node of each level */

	first = xcalloc(o->from->have - from + 1, sizeof(*first));	/* + 1: called by each */
	for (uint32_t i = nr; i-- > 0;)
		if (nodes[i].parent >= from)
			first[nodes[i].parent - from] = i + 1;
	for (;;) {
		uint32_t i = next[depth]++;

		if (i < nr && (depth ? nodes[i].parent == nodes[next[depth - 1] - 1].pos
				     : nodes[i].parent < from)) {
			put_node(o, nodes[i].pos);
			if (first[nodes[i].pos - from])
				next[++depth] = first[nodes[i].pos - from] - 1;
		} else if (!depth--) {
			break;
		}
	}
	free(next);
	free(nodes);
	free(first);
}

void history_order(struct history_order *o, const struct stack_log *from)
{
	uint32_t begin = o->have ? o->have : STACK_FIRST;

	o->from = from;
	o->records = xrealloc_array(o->records, from->have, sizeof(*o->records));
	o->places = xrealloc_array(o->places, from->have, sizeof(*o->places));
	o->counts = xrealloc_array(o->counts, from->have, sizeof(*o->counts));
	memset(o->places + o->have, 0, (from->have - o->have) * sizeof(*o->places));
	o->have = begin;
	if (is_count_at(o, begin))	/* of the node before it, which is still there */
		put(o, begin);
	put_all(o, begin, true);
	put_nodes(o, begin);
	put_all(o, begin, false);
}

void history_order_free(struct history_order *o)
{
	free(o->records);
	free(o->places);
	free(o->counts);
}
