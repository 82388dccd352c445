// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbols.c - the function, the inlined functions and the lines of each place
 *
 * The function itself has the name that opreport shows, from the symbol table; inlined functions
 * and lines come from the debug information [EX-3].
 */
#include "pp/exchange/export/gathered.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"
#include "pp/binary/line/binary.h"

#define FRAMES	64	/* functions at one place; outer ones are dropped */

struct namer {
	struct export *x;
	struct export_image *image;
	struct line_binary *lines;	/* NULL: no debug information */
	struct row_list rows;		/* names of symbols */
	uint64_t *ids;			/* of each place: its row */
	uint64_t *wanted;		/* places whose lines are needed, sorted */
	struct line_place *found;	/* their lines */
	size_t nr_wanted;
	uint32_t *shown;		/* by string: its demangled string, or PROFILE_NONE */
	size_t nr_shown;
	uint32_t function;		/* of the current symbol; PROFILE_NONE: none */
};

static uint64_t place_at(const struct namer *n, size_t i)
{
	return n->x->gathered->places[n->image->places[i]].address;
}

static bool is_symbol(const struct namer *n, uint64_t id)
{
	return id < n->image->binary.nr_symbols;
}

static void find_ids(struct namer *n)
{
	n->ids = xcalloc(n->image->nr_places + 1, sizeof(*n->ids));
	for (size_t i = 0; i < n->image->nr_places; i++)
		n->ids[i] = row_id_of_place(&n->image->binary, place_at(n, i), false);
}

/* A symbol's first line comes before those of its places. */
static void find_lines(struct namer *n)
{
	const struct binary *b = &n->image->binary;
	size_t nr = n->image->nr_places;

	n->wanted = xcalloc(2 * nr + 1, sizeof(*n->wanted));
	for (size_t i = 0; i < nr; i++) {
		if (is_symbol(n, n->ids[i]) && (!i || n->ids[i] != n->ids[i - 1]))
			n->wanted[n->nr_wanted++] = b->symbols[n->ids[i]].start;
		n->wanted[n->nr_wanted++] = place_at(n, i);
	}
	n->found = xcalloc(n->nr_wanted + 1, sizeof(*n->found));
	line_binary_find(n->lines, n->wanted, n->nr_wanted, n->found);
}

static void open_lines(struct namer *n)
{
	const struct line_options how = {
		.frames = true,
		.root = n->x->populate.root,
		.cache_dir = n->x->options->cache_dir,
	};
	char *complaint;

	if (!n->x->options->inlines || !n->image->image->found || !n->image->binary.files ||
	    line_binary_open(&n->image->binary, n->image->image->found, &how, &n->lines, NULL))
		return;
	find_lines(n);
	complaint = line_binary_complaint(n->lines);
	if (complaint)
		notice_add(n->x->notices, "%s", complaint);
	free(complaint);
}

/* --- functions --- */

static uint32_t text_id(const struct namer *n, const char *text)
{
	return profile_string(n->x->profile, text ? text : "");
}

/* The demangled name; kept, because a function may be inlined at many places. */
static uint32_t shown_id(struct namer *n, const char *name, uint32_t id)
{
	char *copy, *text;

	if (id >= n->nr_shown) {
		size_t nr = (size_t)id * 2 + 64;

		n->shown = xrealloc_array(n->shown, nr, sizeof(*n->shown));
		memset(n->shown + n->nr_shown, 0xff, (nr - n->nr_shown) * sizeof(*n->shown));
		n->nr_shown = nr;
	}
	if (n->shown[id] == PROFILE_NONE) {
		copy = xstrdup(name);
		text = demangle_name(copy, n->x->populate.demangle);
		n->shown[id] = text_id(n, text);
		if (text != copy)
			free(text);
		free(copy);
	}
	return n->shown[id];
}

static uint32_t inlined_function(struct namer *n, const char *name, const char *file)
{
	struct profile_function f = { .file = text_id(n, file) };

	if (!name)
		name = "[inlined]";
	f.system_name = text_id(n, name);
	f.name = shown_id(n, name, f.system_name);
	return profile_function(n->x->profile, &f);
}

/* An imported image has only made-up sections. */
static bool has_sections(const struct namer *n)
{
	return !n->image->ranges[0].from;
}

/* @start: the line where the function begins, if it is known. */
static uint32_t own_function(struct namer *n, uint64_t id, const struct line_place *start)
{
	const struct symbol_row *row;
	struct profile_function f;

	if (!n->image->binary.nr_symbols || (!is_symbol(n, id) && !has_sections(n)))
		return PROFILE_NONE;
	row = row_make(&n->image->binary, n->image->image, n->image->image, &n->x->populate,
		       &n->rows, id);
	f = (struct profile_function){
		.name = text_id(n, row->shown),
		.system_name = text_id(n, row->name),
		.file = text_id(n, start->file),
		.start_line = start->file ? start->line : 0,
	};
	return profile_function(n->x->profile, &f);
}

/* --- places --- */

/* Innermost first. Without a symbol, the function's name is that of the debug information. */
static uint32_t lines_at(struct namer *n, uint64_t place, const struct line_place *line,
			 struct profile_line ret[FRAMES])
{
	struct inline_span frames[FRAMES];
	size_t nr = n->lines ? line_binary_frames(n->lines, place, frames, FRAMES) : 0;
	struct line_place at = *line;

	if (nr > FRAMES)
		nr = FRAMES;
	if (!nr) {
		if (n->function == PROFILE_NONE)
			return 0;
		ret[0] = (struct profile_line){ n->function, at.file ? at.line : 0 };
		return 1;
	}
	for (size_t i = 0; i < nr; i++) {
		bool is_own = i + 1 == nr && n->function != PROFILE_NONE;

		ret[i].function = is_own ? n->function
					 : inlined_function(n, frames[i].function, at.file);
		ret[i].line = at.file ? at.line : 0;
		at = (struct line_place){ frames[i].call_file, frames[i].call_line };
	}
	return (uint32_t)nr;
}

static void name_places(struct namer *n)
{
	static const struct line_place nowhere;
	struct export *x = n->x;
	size_t range = 0, next = 0;

	for (size_t i = 0; i < n->image->nr_places; i++) {
		uint64_t place = place_at(n, i);
		const struct line_place *start = &nowhere, *line = &nowhere;
		struct profile_line lines[FRAMES];
		bool is_new = !i || n->ids[i] != n->ids[i - 1];
		uint32_t nr = 0, image;
		uint64_t address;

		if (n->lines && is_new && is_symbol(n, n->ids[i]))
			start = &n->found[next++];
		if (n->lines)
			line = &n->found[next++];
		if (is_new)
			n->function = own_function(n, n->ids[i], start);
		nr = lines_at(n, place, line, lines);
		image = export_address(x, n->image, place, &range, &address);
		x->named[n->image->places[i]] = profile_place(x->profile, image, address, lines,
							      nr);
	}
}

static void place_only(struct export *x, struct export_image *image)
{
	size_t range = 0;

	for (size_t i = 0; i < image->nr_places; i++) {
		uint32_t place = image->places[i], in;
		uint64_t address;

		in = export_address(x, image, x->gathered->places[place].address, &range, &address);
		x->named[place] = profile_place(x->profile, in, address, NULL, 0);
	}
}

void export_symbols(struct export *x, struct export_image *image)
{
	struct namer n = { .x = x, .image = image };

	if (!x->options->symbols) {
		place_only(x, image);
		return;
	}
	rows_init(&n.rows, 1);
	find_ids(&n);
	open_lines(&n);
	name_places(&n);
	line_binary_close(n.lines);
	rows_free(&n.rows);
	free(n.ids);
	free(n.wanted);
	free(n.found);
	free(n.shown);
}
