/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.c - what ends in each function and what goes through it
 *
 * A sample goes through a function once, however often the function is in its stack [PI-6].
 */
#include "pp/picture/data.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

struct tally {
	struct picture *picture;
	uint32_t root;
	uint32_t *row_of;	/* per symbol: row + 1, if the stamp is this root's */
	uint32_t *stamps;
	uint32_t *on_path;	/* per symbol: how often on the way to the node at hand */
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
		t->row_of[symbol] = row_add(t->picture, t->picture->nodes[t->root].symbol, symbol);
	}
	return t->row_of[symbol];
}

/* As deep as stacks are: STACK_FRAMES_MAX and a line for how they ended. */
static void tally(struct tally *t, uint32_t node)
{
	struct picture *p = t->picture;

	for (uint32_t i = p->nodes[node].first; i; i = p->nodes[i].next) {
		uint32_t symbol = p->nodes[i].symbol;

		if (p->symbols[symbol].kind == PICTURE_IMAGE) {
			tally(t, i);
			continue;
		}
		uint64_t *counts = counts_of(p, row_of(t, symbol));

		for (size_t v = 0; v < p->nr_values; v++) {
			picture_add(&counts[v], picture_self(p, i)[v]);
			if (!t->on_path[symbol])
				picture_add(&counts[p->nr_values + v], picture_all(p, i)[v]);
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
			picture_add(&p->small_rows[v], p->row_counts[p->rows[i].counts + v]);
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
	for (uint32_t i = 0; i < p->nr_nodes; i++)
		if (p->nodes[i].parent == PICTURE_NONE) {
			t.root = i;
			tally(&t, i);
		}
	if (p->nr_rows)
		qsort_r(p->rows, p->nr_rows, sizeof(*p->rows), compare, p);
	drop_small(p, max_rows);
	free(t.row_of);
	free(t.stamps);
	free(t.on_path);
}
