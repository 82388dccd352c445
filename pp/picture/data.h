/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data.h - what a flame graph is drawn from: a tree of functions with their samples
 *
 *	stacks or rows -> tree (tree.c) -> table of functions (table.c)
 *		       -> what is too small to be seen is put together (cut.c)
 *		       -> SVG, or JSON in a page
 *
 * The roots stand for processes: an application, and a control group where these are kept apart.
 * A node's parent comes before it, so one pass downwards through the indices sums up. With two
 * profiles there is one tree, with the samples of both. Rules: doc/pictures.md [PI-n].
 */
#ifndef PP_PICTURE_DATA_H
#define PP_PICTURE_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "pp/select/images.h"

#define PICTURE_NONE	UINT32_MAX

enum picture_kind {
	PICTURE_PROGRAM,	/* code of an executable */
	PICTURE_LIBRARY,
	PICTURE_KERNEL,
	PICTURE_RUNTIME,	/* made at run time, or anonymous memory */
	PICTURE_IMAGE,		/* no function but an image, where there are no stacks */
	PICTURE_END,		/* the stack was not whole */
	PICTURE_SMALL,		/* frames too small to be seen, together */
	NR_PICTURE_KINDS
};

/* An image's names: for people, in full, and what it is recognised by in another run. */
struct picture_image {
	char *shown, *full, *known_by;
};

struct picture_symbol {
	char *name;
	uint32_t image;		/* or PICTURE_NONE */
	enum picture_kind kind;
};

/* A process, as far as processes are kept apart. */
struct picture_group {
	uint32_t app;		/* image, or PICTURE_NONE: all */
	char *cgroup;		/* "": all */
	bool is_small;		/* all of those that are too small to be seen */
};

struct picture_node {
	uint32_t parent;	/* or PICTURE_NONE: a root */
	uint32_t symbol;	/* of a root: group */
	uint32_t first, next;	/* of its children, of its parent's; 0: none */
};

/* A function in a process: what ends in it, and what goes through it. */
struct picture_row {
	uint32_t group, symbol;
	size_t counts;		/* index: nr_values of self, then of all */
};

struct picture_index {		/* hash table of index + 1 */
	uint32_t *slots;
	size_t nr, nr_slots;
};

struct picture {
	size_t nr_classes, nr_profiles;
	size_t nr_values;	/* class c of profile p is value p * nr_classes + c */
	bool has_stacks;	/* else the tree is no deeper than application, image, function */
	char **titles;		/* of the classes */
	struct picture_image *images;
	struct picture_symbol *symbols;
	struct picture_group *groups;
	struct picture_node *nodes;
	struct picture_row *rows;
	size_t nr_images, nr_symbols, nr_groups, nr_nodes, nr_rows;
	size_t images_room, symbols_room, groups_room, nodes_room, rows_room;
	uint64_t *self, *all;	/* nr_values for each node; all: picture_sum() */
	size_t self_room;	/* nodes */
	uint64_t *row_counts;
	size_t row_counts_nr, row_counts_room;
	uint64_t *totals;	/* of the tree */
	uint64_t *samples;	/* of the sample files, with a stack or without */
	/* what was put together [PI-7] */
	size_t nr_small_nodes, nr_small_rows;
	uint64_t *small_nodes;	/* their samples */
	uint64_t *small_rows;	/* self of theirs */
	struct picture_index by_image, by_symbol, by_group, by_node;
};

void picture_init(struct picture *p, size_t nr_classes, size_t nr_profiles);
void picture_free(struct picture *p);

/* The index of each, added if it is new. @image may be NULL: PICTURE_NONE. Texts are copied. */
uint32_t picture_image(struct picture *p, const struct report_image *image);
uint32_t picture_symbol(struct picture *p, const char *name, const struct report_image *image);
uint32_t picture_special(struct picture *p, const char *name, uint32_t image,
			 enum picture_kind kind);
uint32_t picture_root(struct picture *p, const struct report_image *app, const char *cgroup);
uint32_t picture_child(struct picture *p, uint32_t parent, uint32_t symbol);

/* When all nodes have their samples: all, totals. */
void picture_sum(struct picture *p);

/* The @max_rows largest functions of the tree. To be called once, after picture_sum(). */
void picture_table(struct picture *p, size_t max_rows);

/*
 * Keep the @max_nodes largest nodes, and of these what is @percent or more of a total; in their
 * parents the others become one node of kind PICTURE_SMALL. Then siblings are in order, those with
 * most samples first, and so are nodes, depth first.
 */
void picture_cut(struct picture *p, size_t max_nodes, double percent);

static inline uint64_t *picture_self(const struct picture *p, uint32_t node)
{
	return p->self + node * p->nr_values;
}

static inline uint64_t *picture_all(const struct picture *p, uint32_t node)
{
	return p->all + node * p->nr_values;
}

/* The largest share of a total that @counts have. */
double picture_share(const struct picture *p, const uint64_t *counts);

static inline void picture_add(uint64_t *sum, uint64_t n)
{
	*sum = *sum + n < n ? UINT64_MAX : *sum + n;
}

#endif
