/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.c - make nodes of a picture from nodes of stack stores, or from rows
 *
 * Stacks are grouped by process, so that an array can map nodes of the stores to nodes of the
 * picture, and each node is looked up once per process.
 */
#include "pp/picture/tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

size_t picture_nr_classes(const struct arrangement *a)
{
	return a->axis == AXIS_CGROUP ? 1 : a->nr_classes;
}

void picture_titles(struct picture *p, const struct arrangement *a)
{
	for (size_t c = 0; c < p->nr_classes; c++) {
		const struct profile_class *class = &a->classes[c];

		if (a->axis == AXIS_NONE || a->axis == AXIS_CGROUP)
			p->titles[c] = class->template.count
				? xasprintf("%s:%" PRIu64, class->template.event,
					    class->template.count)
				: xstrdup(class->template.event);
		else
			p->titles[c] = xstrdup(class->title);
	}
}

static size_t value_of(const struct picture *p, size_t profile, const struct arrangement *a,
		       size_t class)
{
	return profile * p->nr_classes + (a->axis == AXIS_CGROUP ? 0 : class);
}

static const char *cgroup_of(const struct arrangement *a, size_t class, const char *other)
{
	return a->axis == AXIS_CGROUP ? a->classes[class].template.cgroup : other;
}

/* --- stacks --- */

struct placer {
	struct picture *picture;
	const struct stack_list *stacks;
	uint32_t *symbols;		/* of the report's symbols, + 1; 0: not yet */
	/*
	 * Of the stores' nodes, valid if the stamp is root + 1: their nodes of the picture; of a
	 * function without a name the one below which it goes.
	 */
	uint32_t *where, *stamps;
	const struct stack_report *report;
};

static int compare_stacks(const void *a, const void *b)
{
	const struct counted_stack *x = a, *y = b;

	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static uint32_t symbol_of(struct placer *r, uint32_t symbol)
{
	if (!r->symbols[symbol]) {
		const struct stack_symbol *s = &r->report->symbols[symbol];

		r->symbols[symbol] = picture_symbol(r->picture, s->name, s->image) + 1;
	}
	return r->symbols[symbol] - 1;
}

static const struct stack_symbol *symbol_at(const struct placer *r, uint32_t node)
{
	return &r->report->symbols[r->stacks->nodes[node].key];
}

/* Is @callee another function of the same image, and neither has a name [PI-18]? */
static bool continues_unnamed(const struct placer *r, uint32_t caller, uint32_t callee)
{
	const struct stack_symbol *a = symbol_at(r, caller), *b = symbol_at(r, callee);

	return a->is_unnamed && b->is_unnamed && a->image == b->image;
}

/* The picture's node for @node, which was placed; CALL_NONE stands for the process. */
static uint32_t node_of(struct placer *r, uint32_t root, uint32_t node)
{
	if (node == CALL_NONE)
		return root;
	if (!symbol_at(r, node)->is_unnamed)
		return r->where[node];
	return picture_child(r->picture, r->where[node],
			     symbol_of(r, r->stacks->nodes[node].key));
}

/* The picture's node for the store's @node below @root. */
static uint32_t place(struct placer *r, uint32_t root, uint32_t node)
{
	uint32_t path[STACK_LIST_DEPTH];
	uint32_t caller = CALL_NONE;
	size_t nr = 0;

	for (; node != CALL_NONE && nr < STACK_LIST_DEPTH;
	     node = r->stacks->nodes[node].parent) {
		if (r->stamps[node] == root + 1) {
			caller = node;
			break;
		}
		path[nr++] = node;
	}
	while (nr-- > 0) {
		uint32_t callee = path[nr], at;

		if (caller != CALL_NONE && continues_unnamed(r, caller, callee))
			at = r->where[caller];	/* in its caller's place */
		else
			at = node_of(r, root, caller);
		if (!symbol_at(r, callee)->is_unnamed)
			at = picture_child(r->picture, at,
					   symbol_of(r, r->stacks->nodes[callee].key));
		r->where[callee] = at;
		r->stamps[callee] = root + 1;
		caller = callee;
	}
	return node_of(r, root, caller);
}

void picture_add_stacks(struct picture *p, size_t profile, const struct arrangement *a,
			const struct stack_report *report, struct stack_list *stacks)
{
	struct placer r = { .picture = p, .stacks = stacks, .report = report };

	r.symbols = xcalloc(report->nr_symbols + 1, sizeof(*r.symbols));
	r.where = xcalloc(stacks->nr_nodes + 1, sizeof(*r.where));
	r.stamps = xcalloc(stacks->nr_nodes + 1, sizeof(*r.stamps));
	qsort(stacks->stacks, stacks->nr, sizeof(*stacks->stacks), compare_stacks);
	for (size_t i = 0; i < stacks->nr; i++) {
		const struct counted_stack *c = &stacks->stacks[i];
		const struct stack_list_context *of = &stacks->contexts[c->context];
		uint32_t root = picture_root(p, of->app, cgroup_of(a, c->class, of->cgroup));
		uint32_t node = place(&r, root, c->node);

		count_add(&picture_self(p, node)[value_of(p, profile, a, c->class)], c->count);
	}
	free(r.symbols);
	free(r.where);
	free(r.stamps);
}

/* --- rows --- */

static uint32_t place_of_row(struct picture *p, const struct arrangement *a, size_t class,
			     const struct symbol_row *row)
{
	const struct report_image *app = a->merge.lib ? NULL : row->app;
	uint32_t node = picture_root(p, app, cgroup_of(a, class, ""));
	uint32_t image = picture_image(p, row->image);
	uint32_t symbol = picture_symbol(p, row->shown, row->image);

	/* the application's own image is not repeated below the application */
	if (app != row->image)
		node = picture_child(p, node,
				     picture_special(p, p->images[image].shown, image,
						     PICTURE_IMAGE));
	return picture_child(p, node, symbol);
}

void picture_add_rows(struct picture *p, size_t profile, const struct arrangement *a,
		      const struct row_list *rows)
{
	for (size_t i = 0; i < rows->nr; i++)
		for (size_t c = 0; c < rows->nr_classes; c++) {
			const struct symbol_row *row = rows->rows[i];
			uint32_t node;

			if (!row->counts[c])
				continue;
			node = place_of_row(p, a, c, row);
			count_add(&picture_self(p, node)[value_of(p, profile, a, c)],
				    row->counts[c]);
		}
}

void picture_add_samples(struct picture *p, size_t profile, const struct arrangement *a,
			 const uint64_t *totals)
{
	for (size_t c = 0; c < a->nr_classes; c++)
		count_add(&p->samples[value_of(p, profile, a, c)], totals[c]);
}
