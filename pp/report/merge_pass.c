/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge_pass.c - make rows from samples and symbols; opens no file */
#include "pp/report/merge_pass.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

/* Ids of rows that are not symbols; binaries have fewer symbols than that. */
#define ROW_SECTION	(UINT64_C(1) << 62)	/* plus the section's index */
#define ROW_NO_SECTION	(UINT64_C(2) << 62)
#define ROW_WHOLE	(UINT64_C(3) << 62)

static bool list_has(const struct spec_list *list, const struct symbol_row *row)
{
	for (size_t i = 0; i < list->nr; i++)
		if (!strcmp(list->items[i].text, row->name) ||
		    !strcmp(list->items[i].text, row->shown))
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

/* Index of the first symbol from @from on that ends after @place; exponential search. */
static size_t next_symbol(const struct binary *b, size_t from, uint64_t place)
{
	size_t step = 1, low = from, high;

	while (low < b->nr_symbols && b->symbols[low].end <= place) {
		high = low + step < b->nr_symbols ? low + step : b->nr_symbols - 1;
		if (b->symbols[high].end > place) {
			while (low < high) {
				size_t middle = low + (high - low) / 2;

				if (b->symbols[middle].end <= place)
					low = middle + 1;
				else
					high = middle;
			}
			return low;
		}
		low = high + 1;
		step *= 2;
	}
	return low;
}

/* *at is where to search from; it is advanced. */
static uint64_t find_id(const struct binary *b, uint64_t place, bool compat, size_t *at)
{
	const struct code_section *section;

	if (!b->nr_symbols)
		return ROW_WHOLE;	/* no symbols: one row for all [SY-4] */
	*at = next_symbol(b, *at, place);
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

/* Applications that share a library have rows of the same name, which is made once. */
static void set_names(struct binary *b, const struct populate_options *options,
		      struct row_list *rows, uint64_t id, struct symbol_row *row)
{
	char *mangled, *text;

	if (!b->shown)
		b->shown = xcalloc(2 * b->nr_symbols, sizeof(*b->shown));
	if (!b->shown[2 * id]) {
		mangled = xstrdup(b->symbols[id].name);
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

struct symbol_row *row_make(struct binary *b, const struct report_image *image,
			    const struct report_image *app, const struct populate_options *options,
			    struct row_list *rows, uint64_t id)
{
	struct symbol_row *row;
	char *name;

	if (id < ROW_SECTION) {
		row = symbol_row(b, image, app, options, rows, id);
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

bool row_is_symbol(const struct symbol_row *row)
{
	return row->id < ROW_SECTION;
}

bool row_start(const struct binary *b, const struct symbol_row *row, uint64_t *ret)
{
	if (row->id >= ROW_NO_SECTION)
		return false;
	*ret = row_is_symbol(row) ? b->symbols[row->id].start
				  : b->sections[row->id - ROW_SECTION].start;
	return true;
}

/* The address of @place as linked, which reports show. */
static uint64_t vma_of(const struct binary *b, const struct symbol_row *row, uint64_t place)
{
	if (row->id < ROW_SECTION)
		return b->symbols[row->id].vma + (place - b->symbols[row->id].start);
	if (row->id < ROW_NO_SECTION)
		return row->vma + (place - b->sections[row->id - ROW_SECTION].start);
	return place + b->vma_base;
}

struct pass {
	struct binary *binary;
	const struct report_image *image, *app;
	const struct populate_options *options;
	struct row_list *rows;
	struct symbol_row *row;		/* the last one */
	struct symbol_row **outside;	/* per section, and two more; then per merged symbol */
};

static struct symbol_row *row_of(struct pass *p, uint64_t id)
{
	struct binary *b = p->binary;
	struct symbol_row **slot;

	if (p->row && p->row->id == id)
		return p->row;
	if (id < ROW_SECTION && !b->same_name) {
		p->row = row_make(b, p->image, p->app, p->options, p->rows, id);
		return p->row;
	}
	slot = &p->outside[id < ROW_SECTION ? b->nr_sections + 2 + id
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
	counts[s->class] += s->count;
}

void populate_symbols(struct binary *binary, const struct sample_list *samples,
		      const struct report_image *image, const struct report_image *app,
		      const struct populate_options *options, struct row_list *rows)
{
	struct pass p = { binary, image, app, options, rows, NULL, NULL };
	size_t first = rows->nr, at = 0;

	p.outside = xcalloc(binary->nr_sections + 2 + (binary->same_name ? binary->nr_symbols : 0),
			    sizeof(*p.outside));
	for (size_t i = 0; i < samples->nr; i++) {
		const struct sample *s = &samples->samples[i];
		uint64_t id, place = s->offset + binary->key_base;
		struct symbol_row *row;

		if (!s->count)
			continue;
		if (place < s->offset)
			place = UINT64_MAX;	/* keeps the order */
		id = find_id(binary, place, options->compat, &at);
		if (id == ROW_NONE)
			continue;
		row = row_of(&p, id);
		row->counts[s->class] += s->count;
		if (options->details)
			add_detail(&p, row, place, s);
	}
	free(p.outside);
	filter_rows(options, rows, first);
}
