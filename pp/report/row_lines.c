/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row_lines.c - collect the places of an image, sort them, look all up at once */
#include "pp/report/row_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "pp/binary/line/binary.h"
#include "pp/report/inlined.h"

struct wanted {
	uint64_t place;
	const char *inlined;	/* name of the row of an inlined function, or NULL */
	char **line;		/* where its text goes */
};

struct wanted_list {
	struct wanted *items;
	size_t nr, room;
	bool has_inlined;
};

static int compare_places(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

static void want(struct wanted_list *list, uint64_t place, const char *inlined, char **line)
{
	if (*line)
		return;
	xgrow(list->items, list->nr, list->room);
	list->items[list->nr++] = (struct wanted){ place, inlined, line };
	list->has_inlined |= inlined != NULL;
}

static void want_row(struct wanted_list *list, const struct binary *b, struct symbol_row *row)
{
	uint64_t start;

	if (!row_start(b, row, &start))
		return;
	if (row_is_function(row))
		want(list, start, row_is_inlined(row) ? row->name : NULL, &row->line);
	for (size_t i = 0; i < row->nr_details; i++)
		want(list, row->details[i].place, NULL, &row->details[i].line);
}

/*
 * The first code of an inlined function may be that of a function inlined into it, which may be in
 * another file. Then its own first line is that of the call.
 */
static void find_own_line(struct line_binary *lines, const struct wanted *wanted,
			  struct line_place *found)
{
	struct inline_span frames[INLINED_MAX];
	size_t nr = line_binary_frames(lines, wanted->place, frames, INLINED_MAX);

	nr = nr > INLINED_MAX ? INLINED_MAX : nr;
	for (size_t i = 1; i < nr; i++)
		if (frames[i].function && inlined_is_called(wanted->inlined, frames[i].function)) {
			if (frames[i - 1].call_file && frames[i - 1].call_line)
				*found = (struct line_place){ frames[i - 1].call_file,
							      frames[i - 1].call_line };
			return;
		}
}

static void look_up(struct line_binary *lines, const struct wanted_list *list, bool long_names)
{
	uint64_t *places = xcalloc(list->nr, sizeof(*places));
	struct line_place *found = xcalloc(list->nr, sizeof(*found));

	for (size_t i = 0; i < list->nr; i++)
		places[i] = list->items[i].place;
	line_binary_find(lines, places, list->nr, found);
	for (size_t i = 0; i < list->nr; i++) {
		if (list->items[i].inlined)
			find_own_line(lines, &list->items[i], &found[i]);
		if (found[i].file)
			*list->items[i].line =
				xasprintf("%s:%" PRIu32, long_names ? found[i].file
					  : path_base(found[i].file), found[i].line);
	}
	free(places);
	free(found);
}

void row_lines_set(const struct binary *b, const char *path,
		   const struct populate_options *options, struct symbol_row *const *rows,
		   size_t nr, struct notices *notices)
{
	struct line_options how = {
		.compat = options->compat,
		.root = options->root,
		.cache_dir = options->cache_dir,
	};
	struct wanted_list list = { 0 };
	struct line_binary *lines;
	char *problem;

	for (size_t i = 0; i < nr; i++)
		want_row(&list, b, rows[i]);
	how.frames = list.has_inlined;
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
