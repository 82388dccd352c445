// SPDX-License-Identifier: GPL-2.0-or-later
/* lines.c - add, select and order the lines of a tree of stacks */
#include "pp/report/stack/lines.h"

#include <string.h>

#include "libutil/xalloc.h"

uint64_t *stack_line_add(struct stack_report *r, uint32_t depth, uint32_t symbol)
{
	size_t nr = r->nr_classes * (r->order == STACKS_CALLEES ? 1 : 2);
	size_t room = r->counts_room;

	xgrow(r->lines, r->nr_lines, r->lines_room);
	r->lines[r->nr_lines++] = (struct stack_line){ depth, symbol, r->nr_counts };
	if (room - r->nr_counts < nr) {
		room = room + room / 2 + nr + 1024;
		r->counts = xrealloc_array(r->counts, room, sizeof(*r->counts));
		r->counts_room = room;
	}
	memset(r->counts + r->nr_counts, 0, nr * sizeof(*r->counts));
	r->nr_counts += nr;
	return r->counts + r->nr_counts - nr;
}

bool stack_is_above(const struct stack_report *r, const uint64_t *counts, double threshold)
{
	for (size_t c = 0; c < r->nr_classes; c++)
		if (counts[c] && 100.0 * (double)counts[c] >= threshold * (double)r->rows.totals[c])
			return true;
	return false;
}

int stack_compare(const struct stack_report *r, uint32_t symbol_a, const uint64_t *counts_a,
		  uint32_t symbol_b, const uint64_t *counts_b)
{
	const struct stack_symbol *a = &r->symbols[symbol_a], *b = &r->symbols[symbol_b];
	int order;

	for (size_t c = 0; c < r->nr_classes; c++)
		if (counts_a[c] != counts_b[c])
			return counts_a[c] > counts_b[c] ? -1 : 1;
	order = strcmp(a->name, b->name);
	if (!order && a->image && b->image)
		order = strcmp(a->image->name, b->image->name);
	return order ? order : symbol_a < symbol_b ? -1 : symbol_a > symbol_b;
}
