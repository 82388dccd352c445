/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge_pass.c - make rows from samples and symbols; opens no file */
#include "pp/report/merge_pass.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

/* Ids of rows that are not symbols; binaries have fewer symbols than that. */
#define ROW_INLINED	(UINT64_C(1) << 61)	/* plus the function's number */
#define ROW_SECTION	(UINT64_C(1) << 62)	/* plus the section's index */
#define ROW_NO_SECTION	(UINT64_C(2) << 62)
#define ROW_WHOLE	(UINT64_C(3) << 62)

static bool is_symbol(uint64_t id)
{
	return id < ROW_INLINED;
}

static bool is_inlined(uint64_t id)
{
	return id >= ROW_INLINED && id < ROW_SECTION;
}

static bool is_called(const struct symbol_row *row, const char *text)
{
	return !strcmp(text, row->name) || !strcmp(text, row->shown) ||
	       (is_inlined(row->id) && (inlined_is_called(row->name, text) ||
					inlined_is_called(row->shown, text)));
}

static bool list_has(const struct spec_list *list, const struct symbol_row *row)
{
	for (size_t i = 0; i < list->nr; i++)
		if (is_called(row, list->items[i].text))
			return true;
	return false;
}

bool row_is_wanted(const struct populate_options *options, const struct symbol_row *row)
{
	return (!options->include.nr || list_has(&options->include, row)) &&
	       !list_has(&options->exclude, row);
}

/* Apply --include-symbols and --exclude-symbols to complete rows. */
static void filter_rows(const struct populate_options *options, struct row_list *rows, size_t from)
{
	size_t kept = from;

	if ((!options->include.nr && !options->exclude.nr) || options->keep_all)
		return;
	for (size_t i = from; i < rows->nr; i++) {
		struct symbol_row *row = rows->rows[i];
		bool keep = row_is_wanted(options, row);

		rows->rows[i] = rows->rows[kept];
		rows->rows[kept] = row;
		kept += keep;
	}
	while (rows->nr > kept)
		rows_drop_last(rows);
}

/* *at is where to search from; it is advanced. */
static uint64_t find_id(const struct binary *b, uint64_t place, bool compat, size_t *at)
{
	const struct code_section *section;

	if (!b->nr_symbols)
		return ROW_WHOLE;	/* no symbols: one row for all [SY-4] */
	*at = binary_next_symbol(b, *at, place);
	if (*at < b->nr_symbols && b->symbols[*at].start <= place)
		return b->same_name ? b->same_name[*at] : *at;
	if (compat)
		return ROW_NONE;
	section = binary_section(b, place);
	return section ? ROW_SECTION + (size_t)(section - b->sections) : ROW_NO_SECTION;
}

uint64_t row_id_of_place(const struct binary *binary, uint64_t place, bool compat)
{
	return find_id(binary, place, compat, &(size_t){ 0 });
}

size_t row_ids_of_place(const struct binary *b, uint64_t place, uint64_t ret[ROW_IDS_MAX])
{
	uint32_t numbers[INLINED_MAX];
	size_t nr = inlined_at(b, place, numbers, INLINED_MAX);

	ret[0] = row_id_of_place(b, place, false);
	for (size_t i = 0; i < nr; i++)
		ret[1 + i] = ROW_INLINED + numbers[nr - 1 - i];
	return 1 + nr;
}

uint64_t row_place(const struct binary *b, uint64_t key)
{
	uint64_t place = key + b->key_base;

	return place < key ? UINT64_MAX : place;	/* keeps the order */
}

/* Applications that share a library have rows of the same name, which is made once. */
static void set_names(struct binary *b, const struct populate_options *options,
		      struct row_list *rows, uint64_t id, struct symbol_row *row)
{
	char *mangled, *text;

	if (!b->shown)
		b->shown = xcalloc(2 * b->nr_symbols, sizeof(*b->shown));
	if (!b->shown[2 * id]) {
		mangled = binary_symbol_name(b, id);
		text = demangle_name(mangled, options->demangle);
		b->shown[2 * id] = rows_text(rows, mangled);
		b->shown[2 * id + 1] = text == mangled ? b->shown[2 * id] : rows_text(rows, text);
		if (text != mangled)
			free(text);
		free(mangled);
	}
	row->name = b->shown[2 * id];
	row->shown = b->shown[2 * id + 1];
}

static struct symbol_row *symbol_row(struct binary *b, const struct report_image *image,
				     const struct report_image *app,
				     const struct populate_options *options, struct row_list *rows,
				     uint64_t id)
{
	const struct code_symbol *symbol = &b->symbols[id];
	struct symbol_row *row = rows_add(rows, image, app, NULL, symbol->vma);

	set_names(b, options, rows, id, row);
	if (options->code)
		row->code = binary_code(b, symbol->start, symbol->end, &row->code_size);
	return row;
}

static uint64_t vma_outside(const struct binary *b, uint64_t place)
{
	const struct code_section *s = binary_section(b, place);

	return s ? s->vma + (place - s->start) : place + b->vma_base;
}

static struct symbol_row *inlined_row(const struct binary *b, const struct report_image *image,
				      const struct report_image *app, enum demangle_style style,
				      struct row_list *rows, uint32_t number)
{
	struct symbol_row *row = rows_add(rows, image, app, NULL,
					  vma_outside(b, inlined_start(b, number)));

	inlined_set_names(b, number, style, rows, row);
	return row;
}

struct symbol_row *row_make(struct binary *b, const struct report_image *image,
			    const struct report_image *app, const struct populate_options *options,
			    struct row_list *rows, uint64_t id)
{
	struct symbol_row *row;
	char *name;

	if (is_symbol(id)) {
		row = symbol_row(b, image, app, options, rows, id);
	} else if (is_inlined(id)) {
		row = inlined_row(b, image, app, options->demangle, rows,
				  (uint32_t)(id - ROW_INLINED));
	} else if (id == ROW_WHOLE) {
		row = rows_add(rows, image, app, image->name, 0);
	} else if (id == ROW_NO_SECTION) {
		row = rows_add(rows, image, app, "[no section]", 0);
	} else {
		const struct code_section *s = &b->sections[id - ROW_SECTION];

		name = xasprintf("[%s]", s->name);
		row = rows_add(rows, image, app, rows_text(rows, name), s->vma);
		free(name);
	}
	row->id = id;
	return row;
}

bool row_is_function(const struct symbol_row *row)
{
	return row->id < ROW_SECTION;
}

bool row_is_named(const struct binary *b, const struct symbol_row *row)
{
	return is_symbol(row->id) && !b->symbols[row->id].is_unnamed;
}

bool row_is_inlined(const struct symbol_row *row)
{
	return is_inlined(row->id);
}

bool row_start(const struct binary *b, const struct symbol_row *row, uint64_t *ret)
{
	if (row->id >= ROW_NO_SECTION)
		return false;
	*ret = is_symbol(row->id)    ? b->symbols[row->id].start
	       : is_inlined(row->id) ? inlined_start(b, (uint32_t)(row->id - ROW_INLINED))
				     : b->sections[row->id - ROW_SECTION].start;
	return true;
}

/* The address of @place as linked, which reports show. */
static uint64_t vma_of(const struct binary *b, const struct symbol_row *row, uint64_t place)
{
	if (is_symbol(row->id))
		return b->symbols[row->id].vma + (place - b->symbols[row->id].start);
	if (is_inlined(row->id))
		return vma_outside(b, place);
	if (row->id < ROW_NO_SECTION)
		return row->vma + (place - b->sections[row->id - ROW_SECTION].start);
	return place + b->vma_base;
}

struct pass {
	struct binary *binary;
	const struct report_image *image, *app;
	const struct populate_options *options;
	struct row_list *rows;
	struct symbol_row *row;		/* of the last symbol */
	struct symbol_row **outside;	/* per section, and two more; then per merged symbol */
	struct symbol_row **inlined;	/* per inlined function so far */
	size_t inlined_room;
	uint64_t last_place;		/* and its row, or NULL */
	struct symbol_row *last;
};

static struct symbol_row **inlined_slot(struct pass *p, uint32_t number)
{
	if (number >= p->inlined_room) {
		size_t room = inlined_nr(p->binary) * 2;

		p->inlined = xrealloc_array(p->inlined, room, sizeof(*p->inlined));
		memset(p->inlined + p->inlined_room, 0,
		       (room - p->inlined_room) * sizeof(*p->inlined));
		p->inlined_room = room;
	}
	return &p->inlined[number];
}

static struct symbol_row *row_of(struct pass *p, uint64_t id)
{
	struct binary *b = p->binary;
	struct symbol_row **slot;

	if (p->row && p->row->id == id)
		return p->row;
	if (is_symbol(id) && !b->same_name) {
		p->row = row_make(b, p->image, p->app, p->options, p->rows, id);
		return p->row;
	}
	if (is_inlined(id))
		slot = inlined_slot(p, (uint32_t)(id - ROW_INLINED));
	else
		slot = &p->outside[is_symbol(id) ? b->nr_sections + 2 + id
				   : id == ROW_WHOLE ? b->nr_sections + 1
				   : id == ROW_NO_SECTION ? b->nr_sections : id - ROW_SECTION];
	if (!*slot)
		*slot = row_make(b, p->image, p->app, p->options, p->rows, id);
	return *slot;
}

static void add_detail(struct pass *p, struct symbol_row *row, uint64_t place,
		       const struct sample *s)
{
	uint64_t vma = vma_of(p->binary, row, place), *counts;
	struct row_detail *last = row->nr_details ? &row->details[row->nr_details - 1] : NULL;

	if (last && last->vma == vma)
		counts = &row->detail_counts[(row->nr_details - 1) * p->rows->nr_classes];
	else
		counts = row_add_detail(p->rows, row, vma);
	row->details[row->nr_details - 1].place = place;
	counts[s->class] += s->count;
}

/* The row of a place, NULL for none. Places ascend; @at is where to search from. */
static struct symbol_row *row_at(struct pass *p, uint64_t place, size_t *at)
{
	uint64_t id = find_id(p->binary, place, p->options->compat, at);
	uint32_t number;

	if (id == ROW_NONE)
		return NULL;
	return row_of(p, inlined_at(p->binary, place, &number, 1) ? ROW_INLINED + number : id);
}

void populate_symbols(struct binary *binary, const struct sample_list *samples,
		      const struct report_image *image, const struct report_image *app,
		      const struct populate_options *options, struct row_list *rows)
{
	struct pass p = { .binary = binary, .image = image, .app = app, .options = options,
			  .rows = rows };
	size_t first = rows->nr, at = 0;

	p.outside = xcalloc(binary->nr_sections + 2 + (binary->same_name ? binary->nr_symbols : 0),
			    sizeof(*p.outside));
	for (size_t i = 0; i < samples->nr; i++) {
		const struct sample *s = &samples->samples[i];
		uint64_t place = row_place(binary, s->offset);

		if (!s->count)
			continue;
		if (!p.last || place != p.last_place) {
			p.last = row_at(&p, place, &at);
			p.last_place = place;
		}
		if (!p.last)
			continue;
		p.last->counts[s->class] += s->count;
		if (options->details)
			add_detail(&p, p.last, place, s);
	}
	free(p.outside);
	free(p.inlined);
	filter_rows(options, rows, first);
}
