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

static void read_file(struct reader *r, const struct arranged_file *file, bool merge_lib,
		      struct arc_list *list)
{
	const struct sample_file *f = file->file;
	struct sample_list samples = { 0 };
	struct sample_header header;
	struct opened caller, callee;
	const struct report_image *app = app_of_callee(r, file);
	bool compat = r->options->compat;
	uint64_t nr_dropped = 0, from_base, to_base;

	if (samples_add_file(&samples, file, &header, r->notices))
		return;
	f->image->is_kernel |= header.is_kernel;
	f->callee->is_kernel |= header.cg_to_is_kernel;
	caller = *open_end(r, f->image, f->session);
	callee = *open_end(r, f->callee, f->session);
	from_base = samples_anon_base(f->image, header.anon_start);
	to_base = samples_anon_base(f->callee, header.cg_to_anon_start);
	for (size_t i = 0; i < samples.nr; i++) {
		const struct sample *s = &samples.samples[i];
		uint64_t from = place_of(caller.binary, from_base, s->offset >> 32);
		uint64_t to = place_of(callee.binary, to_base, (uint32_t)s->offset);

		to = row_id_of_place(callee.binary, to, compat);
		from = row_id_of_place(caller.binary, compat || !from ? from : from - 1, compat);
		if (compat && !caller.binary->nr_symbols)
			from = ROW_NONE;	/* the original has no calls from such images */
		if (!s->count || from == ROW_NONE || to == ROW_NONE) {
			nr_dropped += s->count;
			continue;
		}
		xgrow(list->arcs, list->nr, list->room);
		list->arcs[list->nr++] = (struct raw_arc){
			.caller = get_row(r, &caller, file->app, from),
			.callee = get_row(r, &callee, merge_lib ? f->callee : app, to),
			.class = s->class,
			.count = s->count,
		};
	}
	if (nr_dropped)
		notice_add(r->notices,
			   "ignored calls from '%s' to '%s' that are outside every symbol",
			   f->image->name, f->callee->name);
	samples_free(&samples);
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
	for (size_t i = 0; options->lines && i < r.nr_opened; i++)
		find_lines(&r, &r.opened[i]);
	for (size_t i = 0; i < r.nr_opened; i++) {
		if (!r.opened[i].is_ours)
			continue;
		binary_close(r.opened[i].binary);
		free(r.opened[i].binary);
	}
	free(r.opened);
	free(r.known);
	hash_table_free(&r.known_table);
}
