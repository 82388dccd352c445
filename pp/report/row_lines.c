/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row_lines.c - collect the places of an image, sort them, look all up at once */
#include "pp/report/row_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "pp/binary/line/binary.h"

struct wanted {
	uint64_t place;
	char **line;		/* where its text goes */
};

struct wanted_list {
	struct wanted *items;
	size_t nr, room;
};

static int compare_places(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

static void want(struct wanted_list *list, uint64_t place, char **line)
{
	if (*line)
		return;
	xgrow(list->items, list->nr, list->room);
	list->items[list->nr++] = (struct wanted){ place, line };
}

static void want_row(struct wanted_list *list, const struct binary *b, struct symbol_row *row)
{
	uint64_t start;

	if (!row_start(b, row, &start))
		return;
	if (row_is_function(row))
		want(list, start, &row->line);
	for (size_t i = 0; i < row->nr_details; i++)
		want(list, row->details[i].place, &row->details[i].line);
}

static void look_up(struct line_binary *lines, const struct wanted_list *list, bool long_names)
{
	uint64_t *places = xcalloc(list->nr, sizeof(*places));
	struct line_place *found = xcalloc(list->nr, sizeof(*found));

	for (size_t i = 0; i < list->nr; i++)
		places[i] = list->items[i].place;
	line_binary_find(lines, places, list->nr, found);
	for (size_t i = 0; i < list->nr; i++)
		if (found[i].file)
			*list->items[i].line =
				xasprintf("%s:%" PRIu32, long_names ? found[i].file
					  : path_base(found[i].file), found[i].line);
	free(places);
	free(found);
}

void row_lines_set(const struct binary *b, const char *path,
		   const struct populate_options *options, struct symbol_row *const *rows,
		   size_t nr, struct notices *notices)
{
	const struct line_options how = {
		.compat = options->compat,
		.root = options->root,
		.cache_dir = options->cache_dir,
	};
	struct wanted_list list = { 0 };
	struct line_binary *lines;
	char *problem;

	for (size_t i = 0; i < nr; i++)
		want_row(&list, b, rows[i]);
	if (list.nr && b->files && !line_binary_open(b, path, &how, &lines, NULL)) {
		qsort(list.items, list.nr, sizeof(*list.items), compare_places);
		look_up(lines, &list, options->long_names);
		problem = line_binary_complaint(lines);
		if (problem)
			notice_add_kind(notices, NOTICE_NO_LINES, "%s", problem);
		free(problem);
		line_binary_close(lines);
	}
	free(list.items);
}
