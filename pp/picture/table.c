/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.c - the samples that end in each function, and those that go through it
 *
 * A sample goes through a function once, even if the function is in its stack several times [PI-6].
 */
#include "pp/picture/data.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

struct tally {
	struct picture *picture;
	struct call_children children;
	uint32_t root;
	uint32_t *row_of;	/* per symbol: row + 1, if the stamp is this root's */
	uint32_t *stamps;
	uint32_t *on_path;	/* per symbol: how often it is above the current node */
};

static uint64_t *counts_of(const struct picture *p, uint32_t row)
{
	return p->row_counts + p->rows[row].counts;
}

static uint32_t row_add(struct picture *p, uint32_t group, uint32_t symbol)
{
	size_t nr = 2 * p->nr_values, room = p->row_counts_room;

	if (room - p->row_counts_nr < nr) {
		room = room + room / 2 + nr + 1024;
		p->row_counts = xrealloc_array(p->row_counts, room, sizeof(*p->row_counts));
		p->row_counts_room = room;
	}
	xgrow(p->rows, p->nr_rows, p->rows_room);
	p->rows[p->nr_rows] = (struct picture_row){ group, symbol, p->row_counts_nr };
	memset(p->row_counts + p->row_counts_nr, 0, nr * sizeof(*p->row_counts));
	p->row_counts_nr += nr;
	return (uint32_t)p->nr_rows++;
}

static uint32_t row_of(struct tally *t, uint32_t symbol)
{
	if (t->stamps[symbol] != t->root + 1) {
		t->stamps[symbol] = t->root + 1;
		t->row_of[symbol] = row_add(t->picture, t->picture->tree.nodes[t->root].key,
					    symbol);
	}
	return t->row_of[symbol];
}

/* Recurses as deep as stacks are: STACK_LIST_DEPTH, and their process. */
static void tally(struct tally *t, uint32_t node)
{
	struct picture *p = t->picture;

	for (uint32_t i = call_children_first(&t->children, node); i != CALL_NONE;
	     i = t->children.next[i]) {
		uint32_t symbol = p->tree.nodes[i].key;

		if (p->symbols[symbol].kind == PICTURE_IMAGE) {
			tally(t, i);
			continue;
		}
		uint64_t *counts = counts_of(p, row_of(t, symbol));

		for (size_t v = 0; v < p->nr_values; v++) {
			count_add(&counts[v], picture_self(p, i)[v]);
			if (!t->on_path[symbol])
				count_add(&counts[p->nr_values + v], picture_all(p, i)[v]);
		}
		t->on_path[symbol]++;
		tally(t, i);
		t->on_path[symbol]--;
	}
}

static int compare(const void *a, const void *b, void *picture)
{
	const struct picture *p = picture;
	const struct picture_row *x = a, *y = b;
	double share_x = picture_share(p, p->row_counts + x->counts + p->nr_values);
	double share_y = picture_share(p, p->row_counts + y->counts + p->nr_values);

	if (share_x != share_y)
		return share_x > share_y ? -1 : 1;
	return x->counts < y->counts ? -1 : x->counts > y->counts;
}

static void drop_small(struct picture *p, size_t max_rows)
{
	for (size_t i = max_rows; i < p->nr_rows; i++)
		for (size_t v = 0; v < p->nr_values; v++)
			count_add(&p->small_rows[v], p->row_counts[p->rows[i].counts + v]);
	if (p->nr_rows > max_rows) {
		p->nr_small_rows = p->nr_rows - max_rows;
		p->nr_rows = max_rows;
	}
}

void picture_table(struct picture *p, size_t max_rows)
{
	struct tally t = { .picture = p };

	t.row_of = xcalloc(p->nr_symbols + 1, sizeof(*t.row_of));
	t.stamps = xcalloc(p->nr_symbols + 1, sizeof(*t.stamps));
	t.on_path = xcalloc(p->nr_symbols + 1, sizeof(*t.on_path));
	call_children_make(&p->tree, &t.children);
	for (t.root = t.children.root; t.root != CALL_NONE; t.root = t.children.next[t.root])
		tally(&t, t.root);
	call_children_free(&t.children);
	if (p->nr_rows)
		qsort_r(p->rows, p->nr_rows, sizeof(*p->rows), compare, p);
	drop_small(p, max_rows);
	free(t.row_of);
	free(t.stamps);
	free(t.on_path);
}
