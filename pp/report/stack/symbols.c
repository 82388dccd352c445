// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbols.c - open each image once, make one symbol for each function
 *
 * A kernel function has another address in each boot, so its name identifies it [CT-5]. All others
 * are identified by their place in the binary, so that two static functions of the same name stay
 * two.
 */
#include "pp/report/stack/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "libdb/session/header.h"
#include "libutil/hash.h"
#include "libutil/table.h"
#include "libutil/xalloc.h"
#include "pp/report/populate.h"

struct opened {
	struct report_image *image;
	const struct report_session *session;	/* a kernel's, else NULL */
	struct binary binary;
	uint64_t *places;	/* to look up for inlined functions */
	size_t nr_places, places_room;
};

/* What identifies a function: its row in an opened binary, or the hash of its name in an image. */
struct known {
	const void *owner;	/* struct opened or report_image */
	uint64_t id;
	uint32_t symbol;
};

struct stack_symbols {
	struct collection *collection;
	const struct stacks_options *options;
	struct stack_report *report;
	struct notices *notices;
	struct opened **opened;
	size_t nr_opened, opened_room;
	struct known *known;
	size_t nr_known, known_room;
	struct hash_table known_table;
	uint32_t ends[NR_STACK_ENDS + 1];	/* symbols, or STACK_NONE: not made yet */

	const struct report_session *session;
	const struct stack_snapshot *snapshot;
	struct report_image **images;		/* one for each image of the snapshot */
	struct opened **binaries;		/* the same; NULL: not opened yet */
};

struct stack_symbols *stack_symbols_new(struct collection *c, const struct stacks_options *options,
					struct stack_report *r, struct notices *notices)
{
	struct stack_symbols *s = xcalloc(1, sizeof(*s));

	*s = (struct stack_symbols){
		.collection = c, .options = options, .report = r, .notices = notices,
	};
	for (size_t i = 0; i <= NR_STACK_ENDS; i++)
		s->ends[i] = STACK_NONE;
	return s;
}

void stack_symbols_free(struct stack_symbols *s)
{
	for (size_t i = 0; i < s->nr_opened; i++) {
		inlined_close(&s->opened[i]->binary);
		binary_close(&s->opened[i]->binary);
		free(s->opened[i]);
	}
	free(s->opened);
	free(s->known);
	hash_table_free(&s->known_table);
	free(s->images);
	free(s->binaries);
	free(s);
}

/* --- images --- */

/* The build of @image, if the sample files of its path are of another one; else NULL [SS-61]. */
static const char *apart_build(const struct stack_symbols *s, const struct stack_image *image)
{
	const char *recorded = image->name.kind == IMAGE_FILE && s->session->ids
		? image_ids_find(s->session->ids, image->name.path) : NULL;

	return recorded && *recorded && strcmp(recorded, "-") && *image->build_id &&
	       strcmp(recorded, image->build_id) ? image->build_id : NULL;
}

/* Images without sample files have a build too. */
static struct report_image *file_image(const struct stack_symbols *s, const struct stack_image *i)
{
	struct report_image *image = image_set_get(&s->collection->images, &i->name,
						   apart_build(s, i), s->session);

	if (image->kind == IMAGE_FILE && !image->build_id && *i->build_id)
		image->build_id = xstrdup(i->build_id);
	return image;
}

static struct report_image *anon_image(const struct stack_symbols *s, const struct image_name *name)
{
	struct report_image *vdso = image_set_get_vdso(&s->collection->images, name, s->session);

	return vdso ? vdso : anon_mappings_image(&s->collection->files.mappings, s->session, name);
}

static void set_images(struct stack_symbols *s)
{
	for (uint32_t i = 0; i < s->snapshot->nr_images; i++) {
		const struct stack_image *image = &s->snapshot->images[i];

		s->images[i] = image->name.kind == IMAGE_ANON ? anon_image(s, &image->name) : NULL;
		if (!s->images[i])
			s->images[i] = file_image(s, image);
	}
}

void stack_symbols_session(struct stack_symbols *s, const struct report_session *session,
			   const struct stack_snapshot *snapshot)
{
	s->session = session;
	s->snapshot = snapshot;
	free(s->images);
	free(s->binaries);
	s->images = xcalloc(snapshot->nr_images + 1, sizeof(*s->images));
	s->binaries = xcalloc(snapshot->nr_images + 1, sizeof(*s->binaries));
	set_images(s);
}

struct report_image *stack_symbols_image(const struct stack_symbols *s, uint32_t index)
{
	return s->images[index];
}

/* Anonymous memory is filed under its application, even if nothing else is [EB-73]. */
const struct image_name *stack_symbols_app(const struct stack_symbols *s, uint32_t context,
					   uint32_t index)
{
	const struct image_name *own = &s->snapshot->images[index].name;
	uint32_t app = s->snapshot->contexts[context].app;
	const struct anon_mapping *m = NULL;

	if (app != STACK_NONE)
		return &s->snapshot->images[app].name;
	if (own->kind == IMAGE_ANON)
		m = anon_mappings_find(&s->collection->files.mappings, s->session, own);
	return m ? &m->app : own;
}

/* --- binaries --- */

/* Take from a sample file of @image whether it is a kernel, and how old its file was. */
static void check_sample_file(struct stack_symbols *s, struct report_image *image)
{
	const struct arrangement *a = &s->collection->arrangement;

	for (size_t i = 0; i < a->nr_files; i++) {
		const struct sample_file *file = a->files[i].file;
		struct sample_header header;

		if (a->files[i].image != image || file->session != s->session ||
		    sample_file_read_header(file, &header, NULL))
			continue;
		image->is_kernel |= header.is_kernel;
		find_image(s->collection->finder, image, s->notices);
		if (image->found && image->kind == IMAGE_FILE)
			populate_check_age(image, file, &header, s->notices);
		return;
	}
}

static struct opened *open_image(struct stack_symbols *s, struct report_image *image)
{
	const struct report_session *session = image->kind == IMAGE_KERNEL ? s->session : NULL;
	const struct inverted_image inverted = { .image = image, .session = session };
	struct opened *o;

	for (size_t i = 0; i < s->nr_opened; i++)
		if (s->opened[i]->image == image && s->opened[i]->session == session)
			return s->opened[i];
	check_sample_file(s, image);
	o = xcalloc(1, sizeof(*o));
	o->image = image;
	o->session = session;
	populate_open_image(&inverted, s->options->populate, s->collection->finder, &o->binary,
			    s->notices);
	xgrow(s->opened, s->nr_opened, s->opened_room);
	s->opened[s->nr_opened++] = o;
	return o;
}

/* --- symbols --- */

static bool is_known_as(const void *known, uint32_t i, const void *key)
{
	const struct known *a = (const struct known *)known + i, *b = key;

	return a->owner == b->owner && a->id == b->id;
}

static uint64_t hash_known(const void *owner, uint64_t id)
{
	return hash_mix((uintptr_t)owner, id);
}

/* The symbol, or STACK_NONE. */
static uint32_t find_known(const struct stack_symbols *s, const void *owner, uint64_t id)
{
	const struct known key = { .owner = owner, .id = id };
	uint32_t i = hash_table_find(&s->known_table, hash_known(owner, id), is_known_as, s->known,
				     &key);

	return i == HASH_NONE ? STACK_NONE : s->known[i].symbol;
}

static void add_known(struct stack_symbols *s, const void *owner, uint64_t id, uint32_t symbol)
{
	xgrow(s->known, s->nr_known, s->known_room);
	s->known[s->nr_known] = (struct known){ owner, id, symbol };
	hash_table_add(&s->known_table, hash_known(owner, id), (uint32_t)s->nr_known++);
}

static uint32_t new_symbol(struct stack_symbols *s, const char *name,
			   const struct report_image *image)
{
	struct stack_report *r = s->report;

	xgrow(r->symbols, r->nr_symbols, r->symbols_room);
	r->symbols[r->nr_symbols] = (struct stack_symbol){ name, image, false };
	return (uint32_t)r->nr_symbols++;
}

/* The symbol of a function that occurs for the first time, at least in this boot. */
static uint32_t make_symbol(struct stack_symbols *s, struct opened *o, uint64_t id)
{
	const struct symbol_row *row = row_make(&o->binary, o->image, o->image,
						s->options->populate, &s->report->rows, id);
	uint64_t by_name = hash_string(row->name);
	uint32_t symbol;

	if (!o->session) {
		symbol = new_symbol(s, row->shown, o->image);
		s->report->symbols[symbol].is_unnamed = !row_is_named(&o->binary, row);
		return symbol;
	}
	symbol = find_known(s, o->image, by_name);
	if (symbol == STACK_NONE) {
		symbol = new_symbol(s, row->shown, o->image);
		add_known(s, o->image, by_name, symbol);
	}
	return symbol;
}

static uint64_t place_of(const struct opened *o, const struct image_name *name, uint64_t offset)
{
	/* symbols of code made at run time have addresses, keys are offsets in the mapping */
	uint64_t base = o->image->kind == IMAGE_JIT ? name->anon_start : o->binary.key_base;

	return offset + base < offset ? UINT64_MAX : offset + base;
}

static struct opened *opened_of(struct stack_symbols *s, const struct stack_frame *frame)
{
	struct opened *o = s->binaries[frame->image];

	if (!o)
		o = s->binaries[frame->image] = open_image(s, s->images[frame->image]);
	return o;
}

static uint64_t place_of_frame(struct stack_symbols *s, const struct opened *o,
			       const struct stack_frame *frame)
{
	return place_of(o, &s->snapshot->images[frame->image].name, frame->offset);
}

static uint32_t symbol_of(struct stack_symbols *s, struct opened *o, uint64_t id)
{
	uint32_t symbol = find_known(s, o, id);

	if (symbol == STACK_NONE) {
		symbol = make_symbol(s, o, id);
		add_known(s, o, id, symbol);
	}
	return symbol;
}

/* --- inlined functions --- */

/* Images without debug information cost nothing here. */
static bool has_inlined(struct stack_symbols *s, struct opened *o)
{
	const struct populate_options *how = s->options->populate;

	return inlined_open(&o->binary, o->image->found, how->root, how->cache_dir);
}

void stack_symbols_prepare(struct stack_symbols *s, const uint32_t *frames, size_t nr)
{
	for (size_t i = 0; s->options->populate->inlines && i < nr; i++) {
		const struct stack_frame *frame = &s->snapshot->frames[frames[i]];
		struct opened *o = opened_of(s, frame);

		if (!has_inlined(s, o))
			continue;
		xgrow(o->places, o->nr_places, o->places_room);
		o->places[o->nr_places++] = place_of_frame(s, o, frame);
	}
	for (size_t i = 0; i < s->nr_opened; i++) {
		struct opened *o = s->opened[i];

		inlined_prepare(&o->binary, o->places, o->nr_places, s->notices);
		free(o->places);
		o->places = NULL;
		o->nr_places = o->places_room = 0;
	}
}

size_t stack_symbols_find(struct stack_symbols *s, const struct stack_frame *frame,
			  uint32_t ret[ROW_IDS_MAX])
{
	struct opened *o = opened_of(s, frame);
	uint64_t ids[ROW_IDS_MAX];
	size_t nr = row_ids_of_place(&o->binary, place_of_frame(s, o, frame), ids);

	for (size_t i = 0; i < nr; i++)
		ret[i] = symbol_of(s, o, ids[i]);
	return nr;
}

uint64_t stack_symbols_place(struct stack_symbols *s, const struct stack_frame *frame)
{
	return place_of_frame(s, opened_of(s, frame), frame);
}

struct line_binary *stack_symbols_lines(struct stack_symbols *s, const struct stack_frame *frame,
					const char *cache_dir)
{
	const struct opened *o = opened_of(s, frame);
	const struct line_options how = { .root = s->options->populate->root,
					  .cache_dir = cache_dir };
	struct line_binary *lines;

	return o->image->found && o->binary.files &&
	       !line_binary_open(&o->binary, o->image->found, &how, &lines, NULL) ? lines : NULL;
}

uint32_t stack_symbols_find_process(struct stack_symbols *s, uint32_t image)
{
	const struct report_image *app = s->images[image];
	const void *owner = (const char *)app + 1;	/* of no function */
	uint32_t symbol = find_known(s, owner, 0);
	const char *base = strrchr(app->name, '/');

	if (symbol != STACK_NONE)
		return symbol;
	symbol = new_symbol(s, rows_text(&s->report->rows, base && base[1] ? base + 1 : app->name),
			    app);
	add_known(s, owner, 0, symbol);
	return symbol;
}

uint32_t stack_symbols_find_end(struct stack_symbols *s, unsigned int end)
{
	unsigned int kind = STACK_END_KIND(end);
	char *name;

	if (kind == STACK_COMPLETE || kind == STACK_NO_USER || kind == STACK_UNKNOWN_END)
		return STACK_NONE;
	if (kind == STACK_SHORT_COPY)
		kind = STACK_TRUNCATED;	/* it makes no difference to who reads a tree */
	if (kind > NR_STACK_ENDS)
		kind = NR_STACK_ENDS;	/* of a later version */
	if (s->ends[kind] == STACK_NONE) {
		name = xasprintf("[%s]", stack_end_name(kind));
		s->ends[kind] = new_symbol(s, rows_text(&s->report->rows, name), NULL);
		free(name);
	}
	return s->ends[kind];
}
