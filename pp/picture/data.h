/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data.h - the data of a flame graph: a tree of functions with their samples
 *
 *	stacks or rows -> tree (tree.c) -> table of functions (table.c)
 *		       -> merge nodes that are too small (cut.c)
 *		       -> SVG, or JSON in a page
 *
 * The roots stand for processes: an application, and a control group if samples were separated by
 * these. Two profiles share one tree, which has the samples of both. Rules: doc/pictures.md [PI-n].
 */
#ifndef PP_PICTURE_DATA_H
#define PP_PICTURE_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/call_tree.h"
#include "libutil/count.h"
#include "libutil/table.h"
#include "pp/select/images.h"

#define PICTURE_NONE	CALL_NONE

enum picture_kind {
	PICTURE_PROGRAM,	/* code of an executable */
	PICTURE_LIBRARY,
	PICTURE_KERNEL,
	PICTURE_RUNTIME,	/* generated at run time, or anonymous memory */
	PICTURE_IMAGE,		/* an image instead of a function, if there are no stacks */
	PICTURE_END,		/* why an incomplete stack ended */
	PICTURE_SMALL,		/* small nodes, merged */
	NR_PICTURE_KINDS
};

/* An image's names: for people, in full, and the one by which another run knows it. */
struct picture_image {
	char *shown, *full, *known_by;
};

struct picture_symbol {
	char *name;
	uint32_t image;		/* or PICTURE_NONE */
	enum picture_kind kind;
};

/* A process, as far as samples are separated by process. */
struct picture_group {
	uint32_t app;		/* image, or PICTURE_NONE: all */
	char *cgroup;		/* "": all */
	bool is_small;		/* all small processes, merged */
};

/* A function in a process: samples that end in it, and samples that go through it. */
struct picture_row {
	uint32_t group, symbol;
	size_t counts;		/* index: nr_values of self, then of all */
};

struct picture {
	size_t nr_classes, nr_profiles;
	size_t nr_values;	/* class c of profile p is value p * nr_classes + c */
	bool has_stacks;	/* else the tree is no deeper than application, image, function */
	char **titles;		/* of the classes */
	struct picture_image *images;
	struct picture_symbol *symbols;
	struct picture_group *groups;
	struct call_tree tree;	/* the key of a root is a group, of other nodes a symbol */
	struct picture_row *rows;
	size_t nr_images, nr_symbols, nr_groups, nr_rows;
	size_t images_room, symbols_room, groups_room, rows_room;
	uint64_t *self, *all;	/* nr_values for each node; all: picture_sum() */
	size_t self_room;	/* nodes */
	uint64_t *row_counts;
	size_t row_counts_nr, row_counts_room;
	uint64_t *totals;	/* of the tree */
	uint64_t *samples;	/* of the sample files, with a stack or without */
	bool has_moves;		/* wants @moved */
	uint32_t *moved;	/* by the last cut: of each node before, the node now; or NULL */
	/* nodes and rows that were merged or left out [PI-7] */
	size_t nr_small_nodes, nr_small_rows;
	uint64_t *small_nodes;	/* their samples */
	uint64_t *small_rows;	/* their self samples */
	struct hash_table by_image, by_symbol, by_group;
};

void picture_init(struct picture *p, size_t nr_classes, size_t nr_profiles);
void picture_free(struct picture *p);

/* The index of each, added if it is new. @image may be NULL: PICTURE_NONE. Texts are copied. */
uint32_t picture_image(struct picture *p, const struct report_image *image);
uint32_t picture_symbol(struct picture *p, const char *name, const struct report_image *image);
uint32_t picture_special(struct picture *p, const char *name, uint32_t image,
			 enum picture_kind kind);
uint32_t picture_root(struct picture *p, const struct report_image *app, const char *cgroup);
uint32_t picture_child(struct picture *p, uint32_t parent, uint32_t key);

/* Compute all and totals, when all nodes have their samples. */
void picture_sum(struct picture *p);

/* Make the rows of the @max_rows largest functions. Call it once, after picture_sum(). */
void picture_table(struct picture *p, size_t max_rows);

/*
 * Keep the @max_nodes largest nodes, if they have @percent or more of a total; merge the others
 * into one node of kind PICTURE_SMALL below each parent. With p->has_moves, p->moved says where
 * each went, PICTURE_NONE: it had no samples. Then nodes are sorted depth first, and siblings by
 * samples, descending.
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

/* The largest share of a total that one of @counts has. */
double picture_share(const struct picture *p, const uint64_t *counts);
#endif
