/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arc_files.c - look up both ends of each arc
 *
 * A key has the caller's offset in its upper half and the callee's in its lower half. The caller's
 * is a return address: it is looked up one less, or a call that is the last instruction of a
 * function would belong to the next one [CG-3].
 */
#include "pp/report/arc_files.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/hash.h"
#include "libutil/table.h"
#include "libutil/xalloc.h"
#include "pp/report/row_lines.h"

/* The binary of an image, also of one that has no samples of its own. */
struct opened {
	const struct report_image *image;
	const struct report_session *session;	/* of kernel images, else NULL */
	struct binary *binary;
	bool is_ours;				/* not the population's */
};

struct reader {
	const struct populate_options *options;
	struct finder *finder;
	struct row_list *rows;
	struct notices *notices;
	struct opened *opened;
	size_t nr_opened, opened_room;
	struct binary_row {
		const struct binary *binary;
		struct symbol_row *row;
	} *known;				/* rows of all binaries */
	size_t nr_known, known_room;
	struct hash_table known_table;
};

/* What identifies a row. */
struct row_key {
	const struct binary *binary;
	const struct report_image *app;
	uint64_t id;
};

static bool is_row_of(const void *known, uint32_t i, const void *key)
{
	const struct binary_row *r = (const struct binary_row *)known + i;
	const struct row_key *k = key;

	return r->binary == k->binary && r->row->app == k->app && r->row->id == k->id;
}

static uint64_t hash_row(const struct row_key *k)
{
	return hash_mix(hash_mix((uintptr_t)k->binary, (uintptr_t)k->app), k->id);
}

static void add_row(struct reader *r, const struct binary *b, struct symbol_row *row)
{
	const struct row_key key = { b, row->app, row->id };

	xgrow(r->known, r->nr_known, r->known_room);
	r->known[r->nr_known] = (struct binary_row){ b, row };
	hash_table_add(&r->known_table, hash_row(&key), (uint32_t)r->nr_known++);
}

static struct symbol_row *get_row(struct reader *r, const struct opened *o,
				  const struct report_image *app, uint64_t id)
{
	const struct row_key key = { o->binary, app, id };
	uint32_t i = hash_table_find(&r->known_table, hash_row(&key), is_row_of, r->known, &key);
	struct symbol_row *row;

	if (i != HASH_NONE)
		return r->known[i].row;
	row = row_make(o->binary, o->image, app, r->options, r->rows, id);
	row->session = o->session;
	add_row(r, o->binary, row);
	return row;
}

static const struct opened *open_end(struct reader *r, struct report_image *image,
				     const struct report_session *session)
{
	const struct report_session *wanted = image->kind == IMAGE_KERNEL ? session : NULL;
	struct inverted_image inverted = { .image = image, .session = wanted };
	struct binary *binary;

	for (size_t i = 0; i < r->nr_opened; i++)
		if (r->opened[i].image == image && r->opened[i].session == wanted)
			return &r->opened[i];
	binary = xcalloc(1, sizeof(*binary));
	populate_open_image(&inverted, r->options, r->finder, binary, r->notices);
	xgrow(r->opened, r->nr_opened, r->opened_room);
	r->opened[r->nr_opened++] = (struct opened){ image, wanted, binary, true };
	return &r->opened[r->nr_opened - 1];
}

/*
 * The place of @half a key. @anon_base: samples_anon_base() of its image. Keys that are addresses,
 * of a kernel in a snapshot or of an imported image, lost their upper half: restore it [IM-9].
 */
static uint64_t place_of(const struct binary *b, uint64_t anon_base, uint32_t half)
{
	uint64_t base, place = anon_base + half + b->key_base;

	if (anon_base || b->key_base || !b->nr_sections || b->sections[0].start <= UINT32_MAX)
		return place;
	base = b->sections[0].start;
	place = (base & ~(uint64_t)UINT32_MAX) | half;
	return place < base ? place + (UINT64_C(1) << 32) : place;
}

/* In a session that is not separated by application the callee's file stands for it [CG-7]. */
static const struct report_image *app_of_callee(const struct reader *r,
						const struct arranged_file *file)
{
	const struct report_session *session = file->file->session;
	const struct report_image *callee = file->file->callee;
	const char *how = session->info.separate;
	bool is_apart = strstr(how, "kernel") ||
			(callee->kind == IMAGE_FILE ? strstr(how, "lib") != NULL
						    : callee->kind != IMAGE_KERNEL);

	return r->options->compat || !session->has_info || !*how || is_apart ? file->app : callee;
}

/* One end of an arc: its function, and those inlined there, outermost first. */
struct end {
	const struct opened *opened;
	const struct report_image *app;
	uint64_t place;
	uint64_t ids[ROW_IDS_MAX];
	size_t nr;			/* 0: no row */
};

static void find_ids(struct end *end, bool compat)
{
	const struct binary *b = end->opened->binary;

	if (!compat) {
		end->nr = row_ids_of_place(b, end->place, end->ids);
		return;
	}
	end->ids[0] = row_id_of_place(b, end->place, true);
	end->nr = end->ids[0] != ROW_NONE;
}

static struct symbol_row *row_of(struct reader *r, const struct end *end, size_t i)
{
	return get_row(r, end->opened, end->app, end->ids[i]);
}

static void add_arc(struct arc_list *list, struct symbol_row *caller, struct symbol_row *callee,
		    const struct sample *s)
{
	xgrow(list->arcs, list->nr, list->room);
	list->arcs[list->nr++] = (struct raw_arc){
		.caller = caller, .callee = callee, .class = s->class, .count = s->count,
	};
}

/* A function calls what is inlined into it. */
static void add_inlined(struct reader *r, const struct end *end, const struct sample *s,
			struct arc_list *list)
{
	for (size_t i = 1; i < end->nr; i++)
		add_arc(list, row_of(r, end, i - 1), row_of(r, end, i), s);
}

static bool has_inlined(const struct reader *r, const struct opened *o)
{
	return r->options->inlines && inlined_open(o->binary, o->image->found, r->options->root,
						   r->options->cache_dir);
}

struct arc_file {
	struct opened caller, callee;
	uint64_t from_base, to_base;
};

/* The caller's half is a return address [CG-3]. */
static uint64_t from_place(const struct arc_file *f, const struct sample *s, bool compat)
{
	uint64_t place = place_of(f->caller.binary, f->from_base, s->offset >> 32);

	return compat || !place ? place : place - 1;
}

static uint64_t to_place(const struct arc_file *f, const struct sample *s)
{
	return place_of(f->callee.binary, f->to_base, (uint32_t)s->offset);
}

static void prepare_inlined(struct reader *r, const struct arc_file *f,
			    const struct sample_list *samples)
{
	bool from = has_inlined(r, &f->caller), to = has_inlined(r, &f->callee);
	uint64_t *places;

	if (!from && !to)
		return;
	places = xcalloc(samples->nr + 1, sizeof(*places));
	for (size_t i = 0; from && i < samples->nr; i++)
		places[i] = from_place(f, &samples->samples[i], false);
	inlined_prepare(f->caller.binary, places, from ? samples->nr : 0, r->notices);
	for (size_t i = 0; to && i < samples->nr; i++)
		places[i] = to_place(f, &samples->samples[i]);
	inlined_prepare(f->callee.binary, places, to ? samples->nr : 0, r->notices);
	free(places);
}

static void read_file(struct reader *r, const struct arranged_file *file, bool merge_lib,
		      struct arc_list *list)
{
	const struct sample_file *f = file->file;
	struct sample_list samples = { 0 };
	struct sample_header header;
	struct arc_file arcs;
	struct end from = { .opened = &arcs.caller, .app = file->app };
	struct end to = { .opened = &arcs.callee,
			  .app = merge_lib ? f->callee : app_of_callee(r, file) };
	bool compat = r->options->compat;
	uint64_t nr_dropped = 0;

	if (samples_add_file(&samples, file, &header, r->notices))
		return;
	f->image->is_kernel |= header.is_kernel;
	f->callee->is_kernel |= header.cg_to_is_kernel;
	arcs = (struct arc_file){
		.caller = *open_end(r, f->image, f->session),
		.callee = *open_end(r, f->callee, f->session),
		.from_base = samples_anon_base(f->image, header.anon_start),
		.to_base = samples_anon_base(f->callee, header.cg_to_anon_start),
	};
	prepare_inlined(r, &arcs, &samples);
	for (size_t i = 0; i < samples.nr; i++) {
		const struct sample *s = &samples.samples[i];

		from.place = from_place(&arcs, s, compat);
		to.place = to_place(&arcs, s);
		find_ids(&from, compat);
		find_ids(&to, compat);
		if (compat && !arcs.caller.binary->nr_symbols)
			from.nr = 0;	/* the original has no calls from such images */
		if (!s->count || !from.nr || !to.nr) {
			nr_dropped += s->count;
			continue;
		}
		add_inlined(r, &from, s, list);
		add_arc(list, row_of(r, &from, from.nr - 1), row_of(r, &to, 0), s);
		list->has_calls = true;
	}
	if (nr_dropped)
		notice_add(r->notices,
			   "ignored calls from '%s' to '%s' that are outside every symbol",
			   f->image->name, f->callee->name);
	samples_free(&samples);
}

/* Arcs between the functions inlined where samples are; where calls are, read_file() adds them. */
static void add_sampled(struct reader *r, const struct populated_image *p, struct arc_list *list)
{
	const struct opened *o = open_end(r, p->inverted->image, p->inverted->session);

	for (size_t i = 0; p->app_samples && i < p->inverted->nr_apps; i++) {
		struct end end = { .opened = o, .app = p->inverted->apps[i].app };

		for (size_t k = 0; k < p->app_samples[i].nr; k++) {
			const struct sample *s = &p->app_samples[i].samples[k];

			if (!s->count)
				continue;
			end.place = row_place(o->binary, s->offset);
			find_ids(&end, false);
			add_inlined(r, &end, s, list);
		}
	}
}

/* Source lines of the rows of one binary that have none yet. */
static void find_lines(struct reader *r, const struct opened *o)
{
	struct symbol_row **rows = xcalloc(r->nr_known + 1, sizeof(*rows));
	size_t nr = 0;

	for (size_t i = 0; i < r->nr_known; i++)
		if (r->known[i].binary == o->binary && !r->known[i].row->line)
			rows[nr++] = r->known[i].row;
	if (nr && o->image->found)
		row_lines_set(o->binary, o->image->found, r->options, rows, nr, r->notices);
	free(rows);
}

void arc_files_read(const struct arrangement *a, struct population *population,
		    const struct populate_options *options, struct finder *finder,
		    struct row_list *rows, struct arc_list *ret, struct notices *notices)
{
	struct reader r = { .options = options, .finder = finder, .rows = rows,
			    .notices = notices };

	for (size_t i = 0; i < population->nr; i++) {
		struct populated_image *p = &population->images[i];

		xgrow(r.opened, r.nr_opened, r.opened_room);
		r.opened[r.nr_opened++] = (struct opened){
			p->inverted->image, p->inverted->session, &p->binary, false };
		for (size_t j = 0; j < p->nr_rows; j++)
			add_row(&r, &p->binary, rows->rows[p->first_row + j]);
	}
	for (size_t i = 0; i < a->nr_arcs; i++)
		read_file(&r, &a->arcs[i], a->merge.lib, ret);
	for (size_t i = 0; options->inlines && i < population->nr; i++)
		add_sampled(&r, &population->images[i], ret);
	for (size_t i = 0; options->lines && i < r.nr_opened; i++)
		find_lines(&r, &r.opened[i]);
	for (size_t i = 0; i < r.nr_opened; i++) {
		if (!r.opened[i].is_ours)
			continue;
		inlined_close(r.opened[i].binary);
		binary_close(r.opened[i].binary);
		free(r.opened[i].binary);
	}
	free(r.opened);
	free(r.known);
	hash_table_free(&r.known_table);
}
