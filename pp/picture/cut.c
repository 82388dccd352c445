/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cut.c - merge the nodes of a picture that are too small to be seen
 *
 * A node's share is never above its parent's, so the largest nodes form a tree [PI-7].
 */
#include "pp/picture/data.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

struct cut {
	struct picture old;	/* tree, self, all before the cut */
	struct call_children children;	/* of the old tree */
	struct picture *new;
	bool *kept;		/* of the old nodes */
	uint32_t small;		/* symbol */
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
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
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

static void copy_list(struct cut *cut, const uint32_t *list, size_t nr, uint32_t parent)
{
	const struct picture *old = &cut->old;
	uint64_t *small = xcalloc(old->nr_values + 1, sizeof(*small));
	uint32_t *moved = cut->new->moved, merged;

	for (size_t i = 0; i < nr; i++) {
		uint32_t node = list[i];

		if (cut->kept[node]) {
			moved[node] = put(cut, parent, old->tree.nodes[node].key,
					  picture_self(old, node));
			copy(cut, node, moved[node]);
			continue;
		}
		for (size_t v = 0; v < old->nr_values; v++)
			count_add(&small[v], picture_all(old, node)[v]);
	}
	merged = put_small(cut, parent, small);
	for (size_t i = 0; i < nr; i++)
		if (!cut->kept[list[i]])
			moved[list[i]] = merged;
	free(small);
}

static void copy(struct cut *cut, uint32_t from, uint32_t parent)
{
	uint32_t *list = NULL;
	size_t nr = 0, room = 0;

	for (uint32_t i = call_children_first(&cut->children, from); i != CALL_NONE;
	     i = cut->children.next[i]) {
		xgrow(list, nr, room);
		list[nr++] = i;
	}
	if (nr)
		qsort_r(list, nr, sizeof(*list), compare_siblings, &cut->old);
	copy_list(cut, list, nr, parent);
	free(list);
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

void picture_cut(struct picture *p, size_t max_nodes, double percent)
{
	struct cut cut = {
		.new = p,
		.kept = choose(p, max_nodes, percent),
		.small = picture_special(p, "[too small to be seen]", PICTURE_NONE, PICTURE_SMALL),
	};

	for (uint32_t i = 0; i < p->tree.nr; i++)
		p->nr_small_nodes += !cut.kept[i] && !is_small(p, i);
	cut.old = *p;
	call_children_make(&cut.old.tree, &cut.children);
	p->tree = (struct call_tree){ 0 };
	p->self = p->all = NULL;
	p->self_room = 0;
	free(p->moved);
	p->moved = xcalloc(cut.old.tree.nr + 1, sizeof(*p->moved));
	copy(&cut, CALL_NONE, CALL_NONE);
	for (uint32_t i = 0; i < cut.old.tree.nr; i++) {	/* those below others that moved */
		uint32_t parent = cut.old.tree.nodes[i].parent;

		if (!cut.kept[i] && parent != PICTURE_NONE && !cut.kept[parent])
			p->moved[i] = p->moved[parent];
	}
	call_tree_free(&cut.old.tree);
	call_children_free(&cut.children);
	free(cut.old.self);
	free(cut.old.all);
	free(cut.kept);
	picture_sum(p);
	count_small(p);
}
