// SPDX-License-Identifier: GPL-2.0-or-later
/* idents.c - functions by the numbers that gcc's data has for the callees of indirect calls */
#include "feedback/gcov/idents.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/sorted.h"
#include "libutil/xalloc.h"

void gcov_idents_add(struct gcov_idents *all, const struct gcov_notes *n, const char *object)
{
	for (uint32_t i = 0; i < n->nr; i++) {
		const struct gcov_function *f = &n->functions[i];

		xgrow(all->by_ident, all->nr, all->room);
		all->by_ident[all->nr++] = (struct gcov_ident){
			.ident = f->ident, .has_run = f->counters, .name = f->name,
			.object = object,
		};
	}
}

static int compare_idents(const void *a, const void *b)
{
	const struct gcov_ident *x = a, *y = b;

	if (x->ident != y->ident)
		return x->ident < y->ident ? -1 : 1;
	if (x->has_run != y->has_run)
		return x->has_run ? -1 : 1;
	return strcmp(x->object, y->object);
}

static int compare_names(const void *a, const void *b)
{
	const struct gcov_ident *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(x->object, y->object);
}

void gcov_idents_sort(struct gcov_idents *all)
{
	all->by_name = xcalloc(all->nr + 1, sizeof(*all->by_name));
	if (!all->nr)
		return;
	memcpy(all->by_name, all->by_ident, all->nr * sizeof(*all->by_name));
	qsort(all->by_ident, all->nr, sizeof(*all->by_ident), compare_idents);
	qsort(all->by_name, all->nr, sizeof(*all->by_name), compare_names);
}

void gcov_idents_free(struct gcov_idents *all)
{
	free(all->by_ident);
	free(all->by_name);
	*all = (struct gcov_idents){ 0 };
}

/* The first that is not before @key. */
static const struct gcov_ident *find(const struct gcov_ident *all, size_t nr,
				     const struct gcov_ident *key,
				     int (*compare)(const void *, const void *))
{
	size_t low = first_not(nr, i, compare(&all[i], key) < 0);

	return low < nr ? &all[low] : NULL;
}

const struct gcov_ident *gcov_ident_find(const struct gcov_idents *all, uint64_t ident)
{
	const struct gcov_ident key = { (uint32_t)ident, true, "", "" };
	const struct gcov_ident *found = find(all->by_ident, all->nr, &key, compare_idents);

	return found && found->ident == ident ? found : NULL;
}

const struct gcov_ident *gcov_ident_of(const struct gcov_idents *all, const char *name,
				       const char *object)
{
	const struct gcov_ident key = { .name = name, .object = object };
	const struct gcov_ident *found = find(all->by_name, all->nr, &key, compare_names);

	return found && !compare_names(found, &key) ? found : NULL;
}
