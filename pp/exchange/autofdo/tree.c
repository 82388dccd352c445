/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree.c - add to the tree of functions and positions */
#include "pp/exchange/autofdo/tree.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/count.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"

static bool has_name(const void *tree, uint32_t id, const void *name)
{
	return !strcmp(((const struct pgo_tree *)tree)->functions[id]->name, name);
}

static struct pgo_function *function_new(const char *name)
{
	struct pgo_function *f = xcalloc(1, sizeof(*f));

	f->name = name;
	return f;
}

struct pgo_function *pgo_tree_function(struct pgo_tree *t, const char *name)
{
	uint64_t hash = hash_string(name);
	uint32_t id = hash_table_find(&t->by_name, hash, has_name, t, name);

	if (id == HASH_NONE) {
		xgrow(t->functions, t->nr, t->room);
		id = (uint32_t)t->nr++;
		t->functions[id] = function_new(name);
		hash_table_add(&t->by_name, hash, id);
	}
	return t->functions[id];
}

/* The index of (@offset, @discriminator) among the positions, or where to insert it. */
static size_t place_of(const struct pgo_function *f, uint32_t offset, uint32_t discriminator)
{
	uint64_t wanted = (uint64_t)offset << 32 | discriminator;
	size_t from = 0, to = f->nr;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		const struct pgo_position *p = &f->positions[middle];

		if (((uint64_t)p->offset << 32 | p->discriminator) < wanted)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static struct pgo_position *position_in(const struct pgo_tree *t, struct pgo_function *f,
					const struct source_frame *frame)
{
	uint32_t offset = (frame->line - frame->start_line) & 0xffff;
	uint32_t discriminator = t->discriminator(frame->discriminator);
	size_t at = place_of(f, offset, discriminator);

	if (at < f->nr && f->positions[at].offset == offset &&
	    f->positions[at].discriminator == discriminator)
		return &f->positions[at];
	xgrow(f->positions, f->nr, f->room);
	memmove(&f->positions[at + 1], &f->positions[at], (f->nr - at) * sizeof(*f->positions));
	f->nr++;
	f->positions[at] = (struct pgo_position){ .offset = offset,
						  .discriminator = discriminator };
	return &f->positions[at];
}

struct pgo_position *pgo_position(const struct pgo_tree *t, struct pgo_function *function,
				  const struct source_frame *frames, size_t nr)
{
	struct pgo_position *p = position_in(t, function, &frames[nr - 1]);

	for (size_t i = nr - 1; i--; )
		p = position_in(t, pgo_inlined(p, frames[i].function), &frames[i]);
	return p;
}

struct pgo_function *pgo_inlined(struct pgo_position *p, const char *function)
{
	for (size_t i = 0; i < p->nr_inlined; i++)
		if (!strcmp(p->inlined[i]->name, function))
			return p->inlined[i];
	xgrow(p->inlined, p->nr_inlined, p->inlined_room);
	p->inlined[p->nr_inlined] = function_new(function);
	return p->inlined[p->nr_inlined++];
}

void pgo_count(struct pgo_position *p, uint64_t count)
{
	p->is_counted = true;
	if (count > p->count)
		p->count = count;
}

void pgo_call(struct pgo_position *p, const char *function, uint64_t count)
{
	size_t i = 0;

	while (i < p->nr_targets && strcmp(p->targets[i].function, function))
		i++;
	if (i == p->nr_targets) {
		xgrow(p->targets, p->nr_targets, p->targets_room);
		p->targets[p->nr_targets++] = (struct pgo_target){ .function = function };
	}
	count_add(&p->targets[i].count, count);
}

uint64_t pgo_total(const struct pgo_function *f)
{
	uint64_t total = 0;

	for (size_t i = 0; i < f->nr; i++) {
		count_add(&total, f->positions[i].count);
		for (size_t k = 0; k < f->positions[i].nr_inlined; k++)
			count_add(&total, pgo_total(f->positions[i].inlined[k]));
	}
	return total;
}

static int compare_functions(const void *a, const void *b)
{
	return strcmp((*(struct pgo_function *const *)a)->name,
		      (*(struct pgo_function *const *)b)->name);
}

static int compare_targets(const void *a, const void *b)
{
	const struct pgo_target *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(x->function, y->function);
}

static void sort_function(struct pgo_function *f)
{
	for (size_t i = 0; i < f->nr; i++) {
		struct pgo_position *p = &f->positions[i];

		if (p->nr_targets)
			qsort(p->targets, p->nr_targets, sizeof(*p->targets), compare_targets);
		if (p->nr_inlined)
			qsort(p->inlined, p->nr_inlined, sizeof(*p->inlined), compare_functions);
		for (size_t k = 0; k < p->nr_inlined; k++)
			sort_function(p->inlined[k]);
	}
}

void pgo_tree_sort(struct pgo_tree *t)
{
	if (t->nr)
		qsort(t->functions, t->nr, sizeof(*t->functions), compare_functions);
	for (size_t i = 0; i < t->nr; i++)
		sort_function(t->functions[i]);
}

static void function_free(struct pgo_function *f)
{
	for (size_t i = 0; i < f->nr; i++) {
		for (size_t k = 0; k < f->positions[i].nr_inlined; k++)
			function_free(f->positions[i].inlined[k]);
		free(f->positions[i].inlined);
		free(f->positions[i].targets);
	}
	free(f->positions);
	free(f);
}

void pgo_tree_free(struct pgo_tree *t)
{
	for (size_t i = 0; i < t->nr; i++)
		function_free(t->functions[i]);
	free(t->functions);
	hash_table_free(&t->by_name);
	*t = (struct pgo_tree){ 0 };
}
