/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cut.c - merge the nodes of a picture that are too small to be seen
 *
 * A node's share is never above its parent's, so the largest nodes form a tree [PI-7].
 */
#include "pp/picture/data.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/radix_sort.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"

struct cut {
	struct picture old;	/* tree, self, all before the cut */
	struct child *children;	/* of old nodes that are kept, and the roots; by parent */
	size_t nr_children;
	struct picture *new;
	bool *kept;		/* of the old nodes */
	uint32_t small;		/* symbol */
};

/* A node of the old tree; sorted as a radix_item. */
struct child {
	uint64_t parent;
	uint64_t node;
};

struct ranked {
	double share;
	uint32_t node;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->share != y->share)
		return x->share > y->share ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* The largest nodes so far; when there are as many as are kept, a heap with the smallest on top. */
struct heap {
	struct ranked *all;
	size_t nr;
};

static void sift_down(struct heap *h, size_t i)
{
	struct ranked moved = h->all[i];
	size_t child;

	for (; (child = 2 * i + 1) < h->nr; i = child) {
		if (child + 1 < h->nr && compare_ranked(&h->all[child + 1], &h->all[child]) > 0)
			child++;
		if (compare_ranked(&h->all[child], &moved) < 0)
			break;
		h->all[i] = h->all[child];
	}
	h->all[i] = moved;
}

/* Nodes are many more than are kept: do not sort them all. */
static bool *choose(const struct picture *p, size_t max_nodes, double percent)
{
	bool *kept = xcalloc(p->tree.nr + 1, sizeof(*kept));
	struct heap h = { NULL, 0 };

	if (max_nodes > p->tree.nr)
		max_nodes = p->tree.nr;
	h.all = xcalloc(max_nodes + 1, sizeof(*h.all));
	for (uint32_t i = 0; i < p->tree.nr; i++) {
		struct ranked r = { picture_share(p, picture_all(p, i)), i };

		if (!(100 * r.share >= percent && r.share > 0))
			continue;
		if (h.nr < max_nodes) {
			h.all[h.nr++] = r;
			for (size_t k = h.nr == max_nodes ? max_nodes / 2 : 0; k-- > 0;)
				sift_down(&h, k);
		} else if (max_nodes && compare_ranked(&r, &h.all[0]) < 0) {
			h.all[0] = r;
			sift_down(&h, 0);
		}
	}
	for (size_t i = 0; i < h.nr; i++)
		kept[h.all[i].node] = true;
	free(h.all);
	return kept;
}

static const char *name_of(const struct picture *p, uint32_t node)
{
	const struct call_node *n = &p->tree.nodes[node];

	if (n->parent != PICTURE_NONE)
		return p->symbols[n->key].name;
	if (p->groups[n->key].app == PICTURE_NONE)
		return p->groups[n->key].cgroup;
	return p->images[p->groups[n->key].app].full;
}

static int compare_siblings(const void *a, const void *b, void *old)
{
	const struct picture *p = old;
	uint32_t x = ((const struct child *)a)->node, y = ((const struct child *)b)->node;
	int order;

	/* the second of two profiles is the one that is drawn */
	for (size_t i = 0; i < p->nr_values; i++) {
		size_t v = (i + (p->nr_profiles - 1) * p->nr_classes) % p->nr_values;

		if (picture_all(p, x)[v] != picture_all(p, y)[v])
			return picture_all(p, x)[v] > picture_all(p, y)[v] ? -1 : 1;
	}
	order = strcmp(name_of(p, x), name_of(p, y));
	return order ? order : x < y ? -1 : x > y;
}

/* Add a node with the samples @self to the new tree. */
static uint32_t put(struct cut *cut, uint32_t parent, uint32_t symbol, const uint64_t *self)
{
	uint32_t node = picture_child(cut->new, parent, symbol);

	for (size_t v = 0; v < cut->new->nr_values; v++)
		count_add(&picture_self(cut->new, node)[v], self[v]);
	return node;
}

/* Copy the children of the old node @from, with CALL_NONE the roots, below the new @parent. */
static void copy(struct cut *cut, uint32_t from, uint32_t parent);

/*
 * Add a node for the siblings that are not kept, below their parent, or as another process: it, or
 * PICTURE_NONE if they have no samples.
 */
static uint32_t put_small(struct cut *cut, uint32_t parent, const uint64_t *sum)
{
	struct picture *p = cut->new;
	uint64_t any = 0;

	for (size_t v = 0; v < p->nr_values; v++)
		any |= sum[v];
	if (!any)
		return PICTURE_NONE;
	if (parent == PICTURE_NONE) {
		xgrow(p->groups, p->nr_groups, p->groups_room);
		p->groups[p->nr_groups++] = (struct picture_group){
			PICTURE_NONE, xstrdup(""), true };
		return put(cut, parent, (uint32_t)p->nr_groups - 1, sum);
	}
	return put(cut, parent, cut->small, sum);
}

static void copy_list(struct cut *cut, const struct child *list, size_t nr, uint32_t parent)
{
	const struct picture *old = &cut->old;
	uint64_t *small = xcalloc(old->nr_values + 1, sizeof(*small));
	uint32_t *moved = cut->new->moved, merged;

	for (size_t i = 0; i < nr; i++) {
		uint32_t node = list[i].node, at;

		if (cut->kept[node]) {
			at = put(cut, parent, old->tree.nodes[node].key, picture_self(old, node));
			if (moved)
				moved[node] = at;
			copy(cut, node, at);
			continue;
		}
		for (size_t v = 0; v < old->nr_values; v++)
			count_add(&small[v], picture_all(old, node)[v]);
	}
	merged = put_small(cut, parent, small);
	for (size_t i = 0; moved && i < nr; i++)
		if (!cut->kept[list[i].node])
			moved[list[i].node] = merged;
	free(small);
}

static size_t first_child(const struct cut *cut, uint32_t parent)
{
	return first_not(cut->nr_children, i, cut->children[i].parent < parent);
}

static void copy(struct cut *cut, uint32_t from, uint32_t parent)
{
	size_t first = first_child(cut, from), end = first;

	while (end < cut->nr_children && cut->children[end].parent == from)
		end++;
	if (end > first)
		qsort_r(cut->children + first, end - first, sizeof(*cut->children),
			compare_siblings, &cut->old);
	copy_list(cut, cut->children + first, end - first, parent);
}

/* Only of nodes that are kept: they are few. */
static void find_children(struct cut *cut)
{
	const struct call_tree *t = &cut->old.tree;
	size_t room = 0;

	for (uint32_t i = 0; i < t->nr; i++) {
		uint32_t parent = t->nodes[i].parent;

		if (parent != PICTURE_NONE && !cut->kept[parent])
			continue;
		xgrow(cut->children, cut->nr_children, room);
		cut->children[cut->nr_children++] = (struct child){ parent, i };
	}
	cut->children = radix_sorted(cut->children, cut->nr_children);
}

/* Whether the node is merged from small ones, also by an earlier cut. */
static bool is_small(const struct picture *p, uint32_t node)
{
	const struct call_node *n = &p->tree.nodes[node];

	return n->parent == PICTURE_NONE ? p->groups[n->key].is_small
					 : p->symbols[n->key].kind == PICTURE_SMALL;
}

static void count_small(struct picture *p)
{
	memset(p->small_nodes, 0, p->nr_values * sizeof(*p->small_nodes));
	for (uint32_t i = 0; i < p->tree.nr; i++)
		for (size_t v = 0; is_small(p, i) && v < p->nr_values; v++)
			count_add(&p->small_nodes[v], picture_self(p, i)[v]);
}

/* Those below others that moved. */
static void move_descendants(const struct cut *cut)
{
	uint32_t *moved = cut->new->moved;

	for (uint32_t i = 0; moved && i < cut->old.tree.nr; i++) {
		uint32_t parent = cut->old.tree.nodes[i].parent;

		if (!cut->kept[i] && parent != PICTURE_NONE && !cut->kept[parent])
			moved[i] = moved[parent];
	}
}

void picture_cut(struct picture *p, size_t max_nodes, double percent)
{
	struct cut cut = {
		.new = p,
		.kept = choose(p, max_nodes, percent),
		.small = picture_special(p, "[too small to be seen]", PICTURE_NONE, PICTURE_SMALL),
	};
	bool is_first = !p->nr_small_nodes;

	for (uint32_t i = 0; i < p->tree.nr; i++)
		p->nr_small_nodes += !cut.kept[i] && (is_first || !is_small(p, i));
	cut.old = *p;
	find_children(&cut);
	p->tree = (struct call_tree){ 0 };
	p->self = p->all = NULL;
	p->self_room = 0;
	free(p->moved);
	p->moved = p->has_moves ? xcalloc(cut.old.tree.nr + 1, sizeof(*p->moved)) : NULL;
	copy(&cut, CALL_NONE, CALL_NONE);
	move_descendants(&cut);
	call_tree_free(&cut.old.tree);
	free(cut.children);
	free(cut.old.self);
	free(cut.old.all);
	free(cut.kept);
	picture_sum(p);
	count_small(p);
}
