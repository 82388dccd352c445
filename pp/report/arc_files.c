/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arc_files.c - look up both ends of each arc
 *
 * A key is the caller's offset in its upper half and the callee's in its lower one. What is on the
 * stack is a return address: the call is the instruction before it, so one is taken off, or a call
 * that is a function's last instruction would be the next function's [CG-3].
 */
#include "pp/report/arc_files.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/hash.h"
#include "libutil/xalloc.h"
#include "pp/report/row_lines.h"

/* Binaries by image, those that only calls go to included. */
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
	struct row_slot {
		const struct binary *binary;
		struct symbol_row *row;
	} *slots;				/* hash table of rows */
	size_t nr_slots, nr_used;
};

static size_t slot_of(const struct reader *r, const struct binary *b,
		      const struct report_image *app, uint64_t id)
{
	uint64_t h = hash_mix(hash_mix((uintptr_t)b, (uintptr_t)app), id);
	size_t at = h & (r->nr_slots - 1);

	while (r->slots[at].row && (r->slots[at].binary != b || r->slots[at].row->app != app ||
				    r->slots[at].row->id != id))
		at = (at + 1) & (r->nr_slots - 1);
	return at;
}

static void add_row(struct reader *r, const struct binary *b, struct symbol_row *row)
{
	if (r->nr_used * 2 >= r->nr_slots) {
		struct row_slot *old = r->slots;
		size_t nr_old = r->nr_slots;

		r->nr_slots = nr_old ? nr_old * 2 : 1024;
		r->slots = xcalloc(r->nr_slots, sizeof(*r->slots));
		for (size_t i = 0; i < nr_old; i++)
			if (old[i].row)
				r->slots[slot_of(r, old[i].binary, old[i].row->app,
						 old[i].row->id)] = old[i];
		free(old);
	}
	r->slots[slot_of(r, b, row->app, row->id)] = (struct row_slot){ b, row };
	r->nr_used++;
}

static struct symbol_row *get_row(struct reader *r, const struct opened *o,
				  const struct report_image *app, uint64_t id)
{
	struct symbol_row *row = r->slots[slot_of(r, o->binary, app, id)].row;

	if (!row) {
		row = row_make(o->binary, o->image, app, r->options, r->rows, id);
		row->session = o->session;
		add_row(r, o->binary, row);
	}
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
 * Half a key, of an image whose keys lack @anon_base. Where keys are addresses, of a kernel in a
 * snapshot or an image that was imported, they have lost their upper half. [IM-9]
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

/* Samples of files that are not kept apart by application have none but the file itself [CG-7]. */
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
		notice_add(r->notices, "calls from '%s' to '%s' outside every symbol are left out",
			   f->image->name, f->callee->name);
	samples_free(&samples);
}

/* Of the rows of one binary, those that are new. */
static void find_lines(struct reader *r, const struct opened *o)
{
	struct symbol_row **rows = xcalloc(r->nr_used + 1, sizeof(*rows));
	size_t nr = 0;

	for (size_t i = 0; i < r->nr_slots; i++)
		if (r->slots[i].row && r->slots[i].binary == o->binary && !r->slots[i].row->line)
			rows[nr++] = r->slots[i].row;
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

	r.nr_slots = 1024;
	r.slots = xcalloc(r.nr_slots, sizeof(*r.slots));
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
	free(r.slots);
}
