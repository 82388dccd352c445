/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.c - make, check and search records
 *
 * Layout, in this machine's byte order: a header, then elements of a fixed size, then texts, each
 * with its NUL. Elements refer to a text by its offset. Lookups do not rely on order or nesting:
 * in a record with wrong ones they find nothing, but they end and stay inside the record.
 */
#include "pp/binary/line/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/hash.h"
#include "libutil/sorted.h"
#include "libutil/strbuf.h"
#include "libutil/table.h"
#include "libutil/xalloc.h"

#define NO_TEXT	UINT32_MAX
#define NO_SPAN	UINT32_MAX
#define STEPS	256		/* overlapping units that are examined */

struct record_header {
	uint64_t base;		/* elements' addresses are relative to it */
	uint32_t nr;
	uint32_t text_size;
};

struct unit_element {
	uint64_t low, high, unit;
};

struct row_element {
	uint32_t address, file, line;
};

struct span_element {
	uint32_t low, high, parent, call_file, call_line, function;
};

/* The texts of a new record, each once: equal pointers are equal texts. */
struct texts {
	struct strbuf text;
	struct {
		const char *text;
		uint32_t at;
	} *known;
	size_t nr, room;
	struct hash_table by_pointer;	/* of known */
};

static bool is_text_at(const void *texts, uint32_t id, const void *text)
{
	return ((const struct texts *)texts)->known[id].text == text;
}

static uint32_t texts_add(struct texts *t, const char *text)
{
	uint64_t hash = hash_u64((uintptr_t)text);
	uint32_t id;

	if (!text)
		return NO_TEXT;
	id = hash_table_find(&t->by_pointer, hash, is_text_at, t, text);
	if (id == HASH_NONE) {
		xgrow(t->known, t->nr, t->room);
		id = (uint32_t)t->nr++;
		t->known[id].text = text;
		t->known[id].at = t->text.len;
		strbuf_add_bytes(&t->text, text, strlen(text) + 1);
		hash_table_add(&t->by_pointer, hash, id);
	}
	return t->known[id].at;
}

static void texts_free(struct texts *t)
{
	strbuf_free(&t->text);
	free(t->known);
	hash_table_free(&t->by_pointer);
}

static int make(uint64_t base, const void *elements, size_t nr, size_t size, struct texts *texts,
		struct line_record *ret)
{
	struct record_header header = { base, nr, texts->text.len };
	unsigned char *at;

	if (nr > UINT32_MAX / 2 || texts->text.len > UINT32_MAX / 2) {
		texts_free(texts);
		return -EOVERFLOW;
	}
	ret->size = sizeof(header) + nr * size + texts->text.len;
	ret->bytes = at = xmalloc(ret->size);
	memcpy(at, &header, sizeof(header));
	if (nr)
		memcpy(at + sizeof(header), elements, nr * size);
	if (texts->text.len)
		memcpy(at + sizeof(header) + nr * size, texts->text.text, texts->text.len);
	texts_free(texts);
	return 0;
}

void line_record_free(struct line_record *record)
{
	free(record->bytes);
	*record = (struct line_record){ 0 };
}

static const struct record_header *header_of(const struct line_record *r)
{
	return (const struct record_header *)(const void *)r->bytes;
}

static const void *elements_of(const struct line_record *r)
{
	return r->bytes + sizeof(struct record_header);
}

static const char *text_of(const struct line_record *r, size_t element_size, uint32_t at)
{
	const struct record_header *h = header_of(r);

	if (at == NO_TEXT)
		return NULL;
	return (const char *)r->bytes + sizeof(*h) + h->nr * element_size + at;
}

static bool is_text(const struct record_header *h, uint32_t at)
{
	return at == NO_TEXT || at < h->text_size;
}

bool line_record_check(enum line_record_kind kind, const void *bytes, size_t size)
{
	static const size_t sizes[] = {
		[LINE_UNITS] = sizeof(struct unit_element),
		[LINE_ROWS] = sizeof(struct row_element),
		[LINE_INLINES] = sizeof(struct span_element),
		[LINE_NAMES] = sizeof(struct span_element),
	};
	const struct record_header *h = bytes;
	const struct row_element *rows = (const void *)(h + 1);
	const struct span_element *spans = (const void *)(h + 1);
	bool is_spans = kind == LINE_INLINES || kind == LINE_NAMES;

	if (size < sizeof(*h) ||
	    size - sizeof(*h) != (uint64_t)h->nr * sizes[kind] + h->text_size)
		return false;
	if (h->text_size && ((const char *)bytes)[size - 1])
		return false;
	for (size_t i = 0; kind == LINE_ROWS && i < h->nr; i++)
		if (!is_text(h, rows[i].file))
			return false;
	for (size_t i = 0; is_spans && i < h->nr; i++)
		if (!is_text(h, spans[i].call_file) || !is_text(h, spans[i].function) ||
		    (spans[i].parent != NO_SPAN && spans[i].parent >= i))
			return false;	/* parents come first, so a walk to the root ends */
	return true;
}

static int compare_units(const void *a, const void *b)
{
	const struct line_unit *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return x->high > y->high ? -1 : x->high < y->high;
}

int line_record_units(struct line_unit *units, size_t nr, struct line_record *ret)
{
	struct texts none = { .text = STRBUF_INIT };

	_Static_assert(sizeof(struct line_unit) == sizeof(struct unit_element), "same layout");
	if (nr)
		qsort(units, nr, sizeof(*units), compare_units);
	return make(0, units, nr, sizeof(*units), &none, ret);
}

bool line_find_unit(const struct line_record *r, uint64_t address, uint64_t *ret)
{
	const struct unit_element *units = elements_of(r);
	size_t low = first_not(header_of(r)->nr, i, units[i].low <= address);

	for (size_t steps = 0; low > 0 && steps < STEPS; steps++) {
		low--;
		if (address < units[low].high && address >= units[low].low) {
			*ret = units[low].unit;
			return true;
		}
	}
	return false;
}

int line_record_rows(const struct line_row *rows, size_t nr, struct line_record *ret)
{
	struct texts texts = { .text = STRBUF_INIT };
	struct row_element *elements = xcalloc(nr + 1, sizeof(*elements)), *last = NULL;
	uint64_t base = nr ? rows[0].address : 0;
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++) {
		struct row_element e = { rows[i].address - base, 0, rows[i].line };

		if (rows[i].address - base > UINT32_MAX)
			err = -EOVERFLOW;
		e.file = texts_add(&texts, rows[i].file);
		if (last && last->address == e.address)
			kept--;		/* replaced */
		last = kept ? &elements[kept - 1] : NULL;
		if (!last || last->file != e.file || last->line != e.line)
			elements[kept++] = e;
		last = &elements[kept - 1];
	}
	if (err)
		texts_free(&texts);
	else
		err = make(base, elements, kept, sizeof(*elements), &texts, ret);
	free(elements);
	return err;
}

bool line_find_row(const struct line_record *r, uint64_t address, struct line_place *ret)
{
	const struct row_element *rows = elements_of(r);
	const struct record_header *h = header_of(r);
	size_t low;

	if (address < h->base || address - h->base > UINT32_MAX)
		return false;
	low = first_not(h->nr, i, rows[i].address <= address - h->base);
	if (!low || rows[low - 1].file == NO_TEXT)
		return false;
	ret->file = text_of(r, sizeof(*rows), rows[low - 1].file);
	ret->line = rows[low - 1].line;
	return true;
}

/* Outer spans first, so that a span's parent comes before it. */
static int compare_spans(const void *a, const void *b)
{
	const struct inline_span *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	if (x->high != y->high)
		return x->high > y->high ? -1 : 1;
	return x->depth < y->depth ? -1 : x->depth > y->depth;
}

int line_record_inlines(struct inline_span *spans, size_t nr, struct line_record *ret)
{
	struct texts texts = { .text = STRBUF_INIT };
	struct span_element *elements = xcalloc(nr + 1, sizeof(*elements));
	uint32_t inner = NO_SPAN;	/* the innermost that may still be a parent */
	uint64_t base;
	int err = 0;

	if (nr)
		qsort(spans, nr, sizeof(*spans), compare_spans);
	base = nr ? spans[0].low : 0;
	for (size_t i = 0; i < nr && !err; i++) {
		const struct inline_span *s = &spans[i];

		while (inner != NO_SPAN && (spans[inner].high < s->high ||
					    spans[inner].depth >= s->depth))
			inner = elements[inner].parent;
		elements[i] = (struct span_element){
			.low = s->low - base,
			.high = s->high - base,
			.parent = inner,
			.call_file = texts_add(&texts, s->call_file),
			.call_line = s->call_line,
			.function = texts_add(&texts, s->function),
		};
		if (s->high - base > UINT32_MAX || nr > UINT32_MAX / 2)
			err = -EOVERFLOW;
		inner = i;
	}
	if (err)
		texts_free(&texts);
	else
		err = make(base, elements, nr, sizeof(*elements), &texts, ret);
	free(elements);
	return err;
}

static struct inline_span span_at(const struct line_record *r, size_t i)
{
	const struct span_element *e = (const struct span_element *)elements_of(r) + i;
	uint64_t base = header_of(r)->base;

	return (struct inline_span){
		.low = base + e->low,
		.high = base + e->high,
		.call_file = text_of(r, sizeof(*e), e->call_file),
		.call_line = e->call_line,
		.function = text_of(r, sizeof(*e), e->function),
	};
}

size_t line_find_inlines(const struct line_record *r, uint64_t address, struct inline_span *frames,
			 size_t room)
{
	const struct span_element *spans = elements_of(r);
	const struct record_header *h = header_of(r);
	size_t low, nr = 0;
	uint32_t at;

	if (address < h->base || address - h->base > UINT32_MAX)
		return 0;
	low = first_not(h->nr, i, spans[i].low <= address - h->base);
	for (at = low ? low - 1 : NO_SPAN; at != NO_SPAN; at = spans[at].parent) {
		if (spans[at].high <= address - h->base)
			continue;
		if (nr < room)
			frames[nr] = span_at(r, at);
		nr++;
	}
	/* records have no depths: they follow from the position in the stack */
	for (size_t i = 0; i < nr && i < room; i++)
		frames[i].depth = nr - 1 - i;
	return nr;
}

struct inline_span *line_record_spans(const struct line_record *r, size_t *ret_nr)
{
	const struct span_element *elements = elements_of(r);
	size_t nr = header_of(r)->nr;
	struct inline_span *spans = xcalloc(nr + 1, sizeof(*spans));

	for (size_t i = 0; i < nr; i++) {
		spans[i] = span_at(r, i);
		if (elements[i].parent != NO_SPAN)
			spans[i].depth = spans[elements[i].parent].depth + 1;
	}
	*ret_nr = nr;
	return spans;
}
