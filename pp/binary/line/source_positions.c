/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_positions.c - join the lines of sorted addresses with the spans of inlined functions
 *
 * One pass over both. Inlined functions nest, so few spans are open at an address.
 */
#include "pp/binary/line/source_positions.h"

#include <errno.h>
#include <stdlib.h>

#include "libutil/xalloc.h"
#include "pp/binary/line/dwarf.h"

struct source_positions {
	struct line_dwarf *dwarf;
	struct source_frame *frames;
	size_t nr_frames, room;
	size_t *first;			/* of each address, and one more */
};

/* Spans that contain the current address, outermost first. */
struct open_spans {
	const struct inline_span **spans;
	size_t nr, room;
};

static int compare_spans(const void *a, const void *b)
{
	const struct inline_span *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return x->depth < y->depth ? -1 : x->depth > y->depth;
}

static void close_spans(struct open_spans *open, uint64_t address)
{
	size_t kept = 0;

	for (size_t i = 0; i < open->nr; i++)
		if (open->spans[i]->high > address)
			open->spans[kept++] = open->spans[i];
	open->nr = kept;
}

/* At most one span for each depth: of two copies of a function the later one is kept. */
static void open_span(struct open_spans *open, const struct inline_span *span)
{
	size_t at = open->nr;

	while (at && open->spans[at - 1]->depth >= span->depth)
		at--;
	if (at < open->nr && open->spans[at]->depth == span->depth) {
		open->spans[at] = span;
		return;
	}
	xgrow(open->spans, open->nr, open->room);
	for (size_t i = open->nr++; i > at; i--)
		open->spans[i] = open->spans[i - 1];
	open->spans[at] = span;
}

/* All frames of an address, or none: a compiler needs every name and line. */
static void add_frames(struct source_positions *p, const struct line_position *position,
		       const struct open_spans *open)
{
	struct source_frame at = {
		.line = position->line, .discriminator = position->discriminator
	};
	size_t before = p->nr_frames;

	for (size_t i = open->nr; i--; ) {
		const struct inline_span *span = open->spans[i];

		if (!span->function || !at.line || span->depth != i) {
			p->nr_frames = before;
			return;
		}
		at.function = span->function;
		at.start_line = span->start_line;
		at.low = span->low;
		xgrow(p->frames, p->nr_frames, p->room);
		p->frames[p->nr_frames++] = at;
		at.line = span->call_line;
		at.discriminator = span->call_discriminator;
	}
}

static void find_in_unit(struct source_positions *p, uint64_t unit, const uint64_t *addresses,
			 size_t from, size_t to)
{
	struct line_position *positions = xcalloc(to - from, sizeof(*positions));
	struct open_spans open = { 0 };
	struct inline_span *spans = NULL;
	size_t nr = 0, next = 0;

	if (line_dwarf_positions(p->dwarf, unit, addresses + from, to - from, positions))
		line_dwarf_inlines(p->dwarf, unit, INLINE_POSITIONS, addresses + from, to - from,
				   &spans, &nr);
	if (nr)
		qsort(spans, nr, sizeof(*spans), compare_spans);
	for (size_t i = from; i < to; i++) {
		p->first[i] = p->nr_frames;
		close_spans(&open, addresses[i]);
		for (; next < nr && spans[next].low <= addresses[i]; next++)
			if (spans[next].high > addresses[i])
				open_span(&open, &spans[next]);
		add_frames(p, &positions[i - from], &open);
	}
	free(positions);
	free(open.spans);
	free(spans);
}

static int find_all(struct source_positions *p, const uint64_t *addresses, size_t nr)
{
	struct line_record units;
	int err = line_dwarf_units(p->dwarf, &units);

	if (err)
		return err;
	for (size_t i = 0; i < nr; ) {
		uint64_t unit, other;
		size_t from = i;

		if (!line_find_unit(&units, addresses[i], &unit)) {
			p->first[i++] = p->nr_frames;
			continue;
		}
		while (++i < nr && line_find_unit(&units, addresses[i], &other) && other == unit)
			;
		find_in_unit(p, unit, addresses, from, i);
	}
	p->first[nr] = p->nr_frames;
	line_record_free(&units);
	return 0;
}

int source_positions_find(const char *path, const uint64_t *addresses, size_t nr,
			  struct source_positions **ret, struct op_error *e)
{
	struct source_positions *p = xcalloc(1, sizeof(*p));
	int err = line_dwarf_open(path, &p->dwarf, e);

	if (!err) {
		p->first = xcalloc(nr + 1, sizeof(*p->first));
		err = find_all(p, addresses, nr);
		if (err)
			op_error_set(e, err, "the debug information in '%s' is damaged", path);
	}
	if (err) {
		source_positions_free(p);
		return err;
	}
	*ret = p;
	return 0;
}

void source_positions_free(struct source_positions *p)
{
	if (!p)
		return;
	line_dwarf_close(p->dwarf);
	free(p->frames);
	free(p->first);
	free(p);
}

size_t source_position(const struct source_positions *p, size_t i,
		       const struct source_frame **ret)
{
	*ret = p->frames + p->first[i];
	return p->first[i + 1] - p->first[i];
}
