/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge_anon.c - replace the images of rows by one for each name, then sort and add up */
#include "pp/report/merge_anon.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

static struct report_image *image_for(struct anon_images *list, const struct report_image *image)
{
	const char *name = image_common_name(image);
	struct report_image *new;

	for (size_t i = 0; i < list->nr; i++)
		if (list->images[i]->kind == image->kind && !strcmp(list->images[i]->name, name))
			return list->images[i];
	new = xcalloc(1, sizeof(*new));
	*new = (struct report_image){
		.kind = image->kind, .path = xstrdup(name), .name = xstrdup(name),
		.jit_name = image->kind == IMAGE_JIT ? xstrdup(name) : NULL };
	xgrow(list->images, list->nr, list->room);
	list->images[list->nr++] = new;
	return new;
}

static bool is_anon(const struct symbol_row *row)
{
	return row->image->kind == IMAGE_ANON || row->image->kind == IMAGE_JIT;
}

static void set_image(struct symbol_row *row, const struct report_image *image)
{
	bool is_whole = !strcmp(row->name, row->image->name);

	if (row->app == row->image)
		row->app = image;
	row->image = image;
	if (is_whole)
		row->name = row->shown = image->name;
}

static int compare_pointers(const void *a, const void *b)
{
	return (uintptr_t)a < (uintptr_t)b ? -1 : (uintptr_t)a > (uintptr_t)b;
}

static int compare_rows(const struct symbol_row *a, const struct symbol_row *b)
{
	int order = compare_pointers(a->app, b->app);

	if (!order)
		order = compare_pointers(a->image, b->image);
	return order ? order : strcmp(a->name, b->name);
}

static int compare_entries(const void *a, const void *b)
{
	const struct symbol_row *x = *(struct symbol_row *const *)a;
	const struct symbol_row *y = *(struct symbol_row *const *)b;
	int order = compare_rows(x, y);

	return order ? order : x->serial < y->serial ? -1 : x->serial > y->serial;
}

static void drop_merged(struct row_list *rows)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->nr; i++) {
		if (rows->rows[i]->image)
			rows->rows[kept++] = rows->rows[i];
		else
			rows_free_one(rows, i);
	}
	rows->nr = kept;
}

void merge_anon(struct row_list *rows, struct anon_images *ret)
{
	struct symbol_row **anon = xcalloc(rows->nr + 1, sizeof(*anon));
	size_t nr = 0, into = 0;

	for (size_t i = 0; i < rows->nr; i++) {
		if (!is_anon(rows->rows[i]))
			continue;
		anon[nr++] = rows->rows[i];
		set_image(rows->rows[i], image_for(ret, rows->rows[i]->image));
	}
	qsort(anon, nr, sizeof(*anon), compare_entries);
	for (size_t i = 1; i < nr; i++) {
		if (compare_rows(anon[into], anon[i])) {
			into = i;
			continue;
		}
		row_move_counts(rows, anon[i], anon[into]);
		anon[i]->image = NULL;		/* to be dropped */
	}
	drop_merged(rows);
	free(anon);
}

void anon_images_free(struct anon_images *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		free(list->images[i]->path);
		free(list->images[i]->name);
		free(list->images[i]->jit_name);
		free(list->images[i]);
	}
	free(list->images);
	*list = (struct anon_images){ 0 };
}
