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

/* A symbol of the report: its index in the picture + 1 (0: not added yet), and what it is. */
struct placed_symbol {
	uint32_t id;
	bool is_unnamed;
};

/*
 * Of a node of the stores: its node of the picture, if the stamp is root + 1; of a function without
 * a name the one below which it goes.
 */
struct placed_node {
	uint32_t at, stamp;
};

struct placer {
	struct picture *picture;
	const struct stack_list *stacks;
	const struct stack_report *report;
	struct placed_symbol *symbols;
	struct placed_node *nodes;
	uint32_t path[STACK_LIST_DEPTH];	/* of place(): not cleared for each stack */
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

static uint32_t symbol_of(struct placer *r, uint32_t node)
{
	uint32_t symbol = r->stacks->nodes[node].key;

	if (!r->symbols[symbol].id) {
		const struct stack_symbol *s = &r->report->symbols[symbol];

		r->symbols[symbol].id = picture_symbol(r->picture, s->name, s->image) + 1;
	}
	return r->symbols[symbol].id - 1;
}

static bool is_unnamed(const struct placer *r, uint32_t node)
{
	return r->symbols[r->stacks->nodes[node].key].is_unnamed;
}

static const struct report_image *image_of(const struct placer *r, uint32_t node)
{
	return r->report->symbols[r->stacks->nodes[node].key].image;
}

/* The picture's node for @node, which was placed; CALL_NONE stands for the process. */
static uint32_t node_of(struct placer *r, uint32_t root, uint32_t node)
{
	if (node == CALL_NONE)
		return root;
	if (!is_unnamed(r, node))
		return r->nodes[node].at;
	return picture_child(r->picture, r->nodes[node].at, symbol_of(r, node));
}

/* The picture's node for @callee, whose caller was placed; as of struct placed_node. */
static uint32_t place_callee(struct placer *r, uint32_t root, uint32_t caller, uint32_t callee)
{
	bool unnamed = is_unnamed(r, callee);
	uint32_t at;

	if (unnamed && caller != CALL_NONE && is_unnamed(r, caller) &&
	    image_of(r, caller) == image_of(r, callee))
		return r->nodes[caller].at;	/* in its caller's place [PI-18] */
	at = node_of(r, root, caller);
	return unnamed ? at : picture_child(r->picture, at, symbol_of(r, callee));
}

/* The picture's node for the store's @node below @root. */
static uint32_t place(struct placer *r, uint32_t root, uint32_t node)
{
	uint32_t *path = r->path, caller = CALL_NONE;
	size_t nr = 0;

	for (; node != CALL_NONE && nr < STACK_LIST_DEPTH;
	     node = r->stacks->nodes[node].parent) {
		if (r->nodes[node].stamp == root + 1) {
			caller = node;
			break;
		}
		path[nr++] = node;
	}
	while (nr-- > 0) {
		r->nodes[path[nr]] = (struct placed_node){
			place_callee(r, root, caller, path[nr]), root + 1 };
		caller = path[nr];
	}
	return node_of(r, root, caller);
}

void picture_add_stacks(struct picture *p, size_t profile, const struct arrangement *a,
			const struct stack_report *report, struct stack_list *stacks)
{
	struct placer r = { .picture = p, .stacks = stacks, .report = report };

	r.symbols = xcalloc(report->nr_symbols + 1, sizeof(*r.symbols));
	for (size_t i = 0; i < report->nr_symbols; i++)
		r.symbols[i].is_unnamed = report->symbols[i].is_unnamed;
	r.nodes = xcalloc(stacks->nr_nodes + 1, sizeof(*r.nodes));
	qsort(stacks->stacks, stacks->nr, sizeof(*stacks->stacks), compare_stacks);
	for (size_t i = 0; i < stacks->nr; i++) {
		struct counted_stack *c = &stacks->stacks[i];
		const struct stack_list_context *of = &stacks->contexts[c->context];
		uint32_t root = picture_root(p, of->app, cgroup_of(a, c->class, of->cgroup));
		size_t value = value_of(p, profile, a, c->class);

		c->node = place(&r, root, c->node);
		c->class = (uint32_t)(value - profile * p->nr_classes);
		count_add(&picture_self(p, c->node)[value], c->count);
	}
	free(r.symbols);
	free(r.nodes);
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
