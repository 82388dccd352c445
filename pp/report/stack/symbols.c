// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbols.c - each image is opened once, each function becomes one symbol
 *
 * A function of a kernel has another address in each boot: it is known by its name [CT-5]. All
 * others are known by their place in the binary, so that two static functions of the same
 * name stay two.
 */
#include "pp/report/stack/symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/session/header.h"
#include "libdb/session/parts.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"
#include "pp/report/populate.h"

struct opened {
	struct report_image *image;
	const struct report_session *session;	/* a kernel's, else NULL */
	struct binary binary;
};

/* Hash table: what a function is known by -> symbol. */
struct known {
	const void *owner;	/* opened binary; or image, by the hash of the name */
	uint64_t id;
	uint32_t symbol;
	bool is_used;
};

struct stack_symbols {
	struct collection *collection;
	const struct stacks_options *options;
	struct stack_report *report;
	struct notices *notices;
	struct opened **opened;
	size_t nr_opened, opened_room;
	struct known *known;
	size_t nr_known, nr_slots;
	uint32_t ends[NR_STACK_ENDS + 1];	/* symbols, or STACK_NONE: not made yet */

	const struct report_session *session;
	const struct stack_snapshot *snapshot;
	struct report_image **images;			/* of the snapshot */
	struct opened **binaries;		/* of the snapshot's images; NULL: not yet */
};

struct stack_symbols *stack_symbols_new(struct collection *c, const struct stacks_options *options,
					struct stack_report *r, struct notices *notices)
{
	struct stack_symbols *s = xcalloc(1, sizeof(*s));

	*s = (struct stack_symbols){
		.collection = c, .options = options, .report = r, .notices = notices,
		.nr_slots = 4096,
	};
	s->known = xcalloc(s->nr_slots, sizeof(*s->known));
	for (size_t i = 0; i <= NR_STACK_ENDS; i++)
		s->ends[i] = STACK_NONE;
	return s;
}

void stack_symbols_free(struct stack_symbols *s)
{
	for (size_t i = 0; i < s->nr_opened; i++) {
		binary_close(&s->opened[i]->binary);
		free(s->opened[i]);
	}
	free(s->opened);
	free(s->known);
	free(s->images);
	free(s->binaries);
	free(s);
}

/* --- images --- */

/*
 * Where the object of code made at run time lies: beside the sample files of the process's
 * mappings [FL-5], below one of the applications. @folder: what these files' names begin in.
 */
static struct report_image *jit_below(struct stack_symbols *s, const char *folder,
				      const struct image_name *name, const struct image_name *app)
{
	const struct sample_name file = {
		.app = *app, .image = *name, .event = "X",
		.tgid = SAMPLE_ALL, .tid = SAMPLE_ALL, .cpu = SAMPLE_ALL,
	};
	struct strbuf relative = STRBUF_INIT;
	struct report_image *image = NULL;
	char *end = NULL, *path;

	if (!sample_name_format(&file, &relative))
		end = strstr(relative.text, "{dep}/{anon:");
	if (end)
		end = strchr(end + strlen("{dep}/"), '/');
	if (end) {
		*end = '\0';
		path = xasprintf("%s/%s/%" PRIu32 ".jo", folder, relative.text, name->anon_tgid);
		image = image_set_get_jit(&s->collection->images, path, name->anon_tgid,
					  s->session);
		free(path);
	}
	strbuf_free(&relative);
	return image;
}

/* The same in the parts of the session that are of this control group. */
static struct report_image *jit_in_parts(struct stack_symbols *s, const char *cgroup,
					 const struct image_name *name,
					 const struct image_name *app)
{
	const struct session_parts *parts = &s->session->parts;
	char *stats = path_join(s->session->samples, "stats");
	struct report_image *image = NULL;

	for (size_t i = 0; i < parts->nr && !image && *cgroup; i++) {
		char *folder;

		if (strcmp(parts->parts[i].cgroup, cgroup))
			continue;
		folder = session_part_path(stats, i);
		image = jit_below(s, folder, name, app);
		free(folder);
	}
	free(stats);
	return image;
}

static struct report_image *jit_image(struct stack_symbols *s, const struct image_name *name)
{
	struct report_image *image = NULL;

	for (uint32_t i = 0; i < s->snapshot->nr_contexts && !image; i++) {
		const struct stack_context *c = &s->snapshot->contexts[i];
		const struct image_name *app;

		if (c->app == STACK_NONE || (c->tgid != SAMPLE_ALL && c->tgid != name->anon_tgid))
			continue;
		app = &s->snapshot->images[c->app].name;
		image = jit_below(s, s->session->samples, name, app);
		if (!image)
			image = jit_in_parts(s, c->cgroup, name, app);
	}
	return image;
}

/* Of one path there may be other builds than the one that its sample files are of [SS-61]. */
static const char *apart_build(const struct stack_symbols *s, const struct stack_image *image)
{
	const char *recorded = image->name.kind == IMAGE_FILE && s->session->ids
		? image_ids_find(s->session->ids, image->name.path) : NULL;

	return recorded && *recorded && strcmp(recorded, "-") && *image->build_id &&
	       strcmp(recorded, image->build_id) ? image->build_id : NULL;
}

/* The build is known of images, too, that have no sample files. */
static struct report_image *file_image(const struct stack_symbols *s, const struct stack_image *i)
{
	struct report_image *image = image_set_get(&s->collection->images, &i->name,
						   apart_build(s, i), s->session);

	if (image->kind == IMAGE_FILE && !image->build_id && *i->build_id)
		image->build_id = xstrdup(i->build_id);
	return image;
}

/* Mappings of one process with one name follow each other mostly: ask for the object once. */
static void set_images(struct stack_symbols *s)
{
	const struct image_name *last = NULL;
	struct report_image *last_jit = NULL;

	for (uint32_t i = 0; i < s->snapshot->nr_images; i++) {
		const struct image_name *name = &s->snapshot->images[i].name;
		struct report_image *image = NULL;

		if (name->kind == IMAGE_ANON)
			image = image_set_get_vdso(&s->collection->images, name, s->session);
		if (!image && name->kind == IMAGE_ANON) {
			if (!last || last->anon_tgid != name->anon_tgid ||
			    strcmp(last->path, name->path))
				last_jit = jit_image(s, name);
			last = name;
			image = last_jit;
		}
		s->images[i] = image ? image : file_image(s, &s->snapshot->images[i]);
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

/* --- binaries --- */

/* What its sample files know of an image: that it is a kernel, how old its file was. */
static void look_at_samples(struct stack_symbols *s, struct report_image *image)
{
	const struct arrangement *a = &s->collection->arrangement;

	for (size_t i = 0; i < a->nr_files; i++) {
		const struct sample_file *file = a->files[i].file;
		struct sample_header header;
		size_t size;

		if (a->files[i].image != image || file->session != s->session ||
		    sample_header_read(file->path, &header, &size, NULL))
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
	look_at_samples(s, image);
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

static struct known *slot_of(const struct stack_symbols *s, const void *owner, uint64_t id)
{
	size_t at = hash_mix((uintptr_t)owner, id) & (s->nr_slots - 1);

	while (s->known[at].is_used && (s->known[at].owner != owner || s->known[at].id != id))
		at = (at + 1) & (s->nr_slots - 1);
	return &s->known[at];
}

static void remember(struct stack_symbols *s, const void *owner, uint64_t id, uint32_t symbol)
{
	if (s->nr_known * 2 >= s->nr_slots) {
		struct known *old = s->known;
		size_t nr_old = s->nr_slots;

		s->nr_slots *= 2;
		s->known = xcalloc(s->nr_slots, sizeof(*s->known));
		for (size_t i = 0; i < nr_old; i++)
			if (old[i].is_used)
				*slot_of(s, old[i].owner, old[i].id) = old[i];
		free(old);
	}
	*slot_of(s, owner, id) = (struct known){ owner, id, symbol, true };
	s->nr_known++;
}

static uint32_t new_symbol(struct stack_symbols *s, const char *name,
			   const struct report_image *image)
{
	struct stack_report *r = s->report;

	xgrow(r->symbols, r->nr_symbols, r->symbols_room);
	r->symbols[r->nr_symbols] = (struct stack_symbol){ name, image };
	return (uint32_t)r->nr_symbols++;
}

/* A function that was not met before, in this boot at least. */
static uint32_t make_symbol(struct stack_symbols *s, struct opened *o, uint64_t id)
{
	const struct symbol_row *row = row_make(&o->binary, o->image, o->image,
						s->options->populate, &s->report->rows, id);
	uint64_t by_name = hash_string(row->name);
	const struct known *other;
	uint32_t symbol;

	if (!o->session)
		return new_symbol(s, row->shown, o->image);
	other = slot_of(s, o->image, by_name);
	if (other->is_used)
		return other->symbol;
	symbol = new_symbol(s, row->shown, o->image);
	remember(s, o->image, by_name, symbol);
	return symbol;
}

static uint64_t place_of(const struct opened *o, const struct image_name *name, uint64_t offset)
{
	/* symbols of code made at run time are at addresses, its keys count from the mapping */
	uint64_t base = o->image->kind == IMAGE_JIT ? name->anon_start : o->binary.key_base;

	return offset + base < offset ? UINT64_MAX : offset + base;
}

uint32_t stack_symbol_of(struct stack_symbols *s, const struct stack_frame *frame)
{
	struct opened *o = s->binaries[frame->image];
	const struct known *known;
	uint32_t symbol;
	uint64_t id;

	if (!o)
		o = s->binaries[frame->image] = open_image(s, s->images[frame->image]);
	id = row_id_of_place(&o->binary, place_of(o, &s->snapshot->images[frame->image].name,
						  frame->offset), false);
	known = slot_of(s, o, id);
	if (known->is_used)
		return known->symbol;
	symbol = make_symbol(s, o, id);
	remember(s, o, id, symbol);
	return symbol;
}

uint32_t stack_symbol_of_end(struct stack_symbols *s, unsigned int end)
{
	unsigned int kind = STACK_END_KIND(end);
	char *name;

	if (kind == STACK_COMPLETE || kind == STACK_NO_USER || kind == STACK_UNKNOWN_END)
		return STACK_NONE;
	if (kind > NR_STACK_ENDS)
		kind = NR_STACK_ENDS;	/* of a later version */
	if (s->ends[kind] == STACK_NONE) {
		name = xasprintf("[%s]", stack_end_name(kind));
		s->ends[kind] = new_symbol(s, rows_text(&s->report->rows, name), NULL);
		free(name);
	}
	return s->ends[kind];
}
