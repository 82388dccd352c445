/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inlined.c - number the inlined functions of a binary by their names
 *
 * pp/binary/line/ has the spans of code in which functions are inlined, from the debug information
 * or from the cache. Names are compared by their text, because each compilation unit has a copy.
 */
#include "pp/report/inlined.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/hash.h"
#include "libutil/radix_sort.h"
#include "libutil/table.h"
#include "libutil/xalloc.h"
#include "pp/binary/line/binary.h"

#define MARK	" (inlined)"
#define NO_NAME	"[unknown]"	/* debug information without the function's name */

struct inlined {
	struct line_binary *lines;	/* NULL: no debug information */
	struct inlined_function {
		char *name;
		uint64_t start;
		const char *row_name, *shown;	/* of rows; NULL: no row yet */
	} *functions;
	size_t nr, room;
	struct hash_table by_name;
	bool is_reported;		/* that it is damaged */
};

bool inlined_open(struct binary *b, const char *path, const char *root, const char *cache_dir)
{
	const struct line_options how = { .frames = true, .root = root, .cache_dir = cache_dir };

	if (!b->inlined) {
		b->inlined = xcalloc(1, sizeof(*b->inlined));
		if (!path || line_binary_open(b, path, &how, &b->inlined->lines, NULL))
			b->inlined->lines = NULL;
	}
	return b->inlined->lines != NULL;
}

static void sort(uint64_t *places, size_t nr)
{
	struct radix_item *items;
	bool is_sorted = true;

	for (size_t i = 1; i < nr && is_sorted; i++)
		is_sorted = places[i - 1] <= places[i];
	if (is_sorted)
		return;
	items = xcalloc(nr, sizeof(*items));
	for (size_t i = 0; i < nr; i++)
		items[i].key = places[i];
	items = radix_sorted(items, nr);
	for (size_t i = 0; i < nr; i++)
		places[i] = items[i].key;
	free(items);
}

void inlined_prepare(struct binary *b, uint64_t *places, size_t nr, struct notices *notices)
{
	struct inlined *in = b->inlined;
	char *complaint = NULL;

	if (!in || !in->lines)
		return;
	sort(places, nr);
	line_binary_find(in->lines, places, nr, NULL);
	if (!in->is_reported)
		complaint = line_binary_complaint(in->lines);
	if (complaint)
		notice_add(notices, "%s", complaint);
	in->is_reported |= complaint != NULL;
	free(complaint);
}

void inlined_close(struct binary *b)
{
	struct inlined *in = b->inlined;

	if (!in)
		return;
	line_binary_close(in->lines);
	for (size_t i = 0; i < in->nr; i++)
		free(in->functions[i].name);
	free(in->functions);
	hash_table_free(&in->by_name);
	free(in);
	b->inlined = NULL;
}

static bool has_name(const void *inlined, uint32_t id, const void *name)
{
	return !strcmp(((const struct inlined *)inlined)->functions[id].name, name);
}

static uint32_t number_of(struct inlined *in, const struct inline_span *span)
{
	const char *name = span->function ? span->function : NO_NAME;
	uint64_t hash = hash_string(name);
	uint32_t id = hash_table_find(&in->by_name, hash, has_name, in, name);

	if (id != HASH_NONE)
		return id;
	xgrow(in->functions, in->nr, in->room);
	id = (uint32_t)in->nr++;
	in->functions[id] = (struct inlined_function){ xstrdup(name), span->low, NULL, NULL };
	hash_table_add(&in->by_name, hash, id);
	return id;
}

static size_t find_inlined(struct inlined *in, uint64_t place, uint32_t *ret, size_t room)
{
	struct inline_span spans[INLINED_MAX];
	size_t nr = line_binary_frames(in->lines, place, spans, room);

	nr -= nr > 0;		/* the last one is the function that they are inlined into */
	nr = nr > room ? room : nr;
	for (size_t i = 0; i < nr; i++)
		ret[i] = number_of(in, &spans[i]);
	return nr;
}

/* Most binaries have no line tables: the spans are not even cleared for these. */
size_t inlined_at(const struct binary *b, uint64_t place, uint32_t *ret, size_t room)
{
	return b->inlined && b->inlined->lines ? find_inlined(b->inlined, place, ret, room) : 0;
}

size_t inlined_nr(const struct binary *b)
{
	return b->inlined ? b->inlined->nr : 0;
}

uint64_t inlined_start(const struct binary *b, uint32_t number)
{
	return b->inlined->functions[number].start;
}

static const char *marked(struct row_list *rows, const char *name)
{
	char *text = xasprintf("%s%s", name, MARK);
	const char *kept = rows_text(rows, text);

	free(text);
	return kept;
}

void inlined_set_names(const struct binary *b, uint32_t number, enum demangle_style style,
		       struct row_list *rows, struct symbol_row *row)
{
	struct inlined_function *f = &b->inlined->functions[number];
	char *text;

	if (!f->row_name) {
		text = demangle_name(f->name, style);
		f->row_name = marked(rows, f->name);
		f->shown = text == f->name ? f->row_name : marked(rows, text);
		if (text != f->name)
			free(text);
	}
	row->name = f->row_name;
	row->shown = f->shown;
}

bool inlined_is_called(const char *name, const char *text)
{
	size_t n = strlen(text);

	return !strncmp(name, text, n) && !strcmp(name + n, MARK);
}
