// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * original.c - export the original profile of an imported session
 *
 * If all of an imported session is exported, the result is the profile that was read, with its
 * order and all its details, instead of the one made from sample files [IM-8]. Names that are
 * missing there are taken from the session.
 */
#include "pp/exchange/export/gathered.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/format.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "pp/exchange/import/images.h"

static struct profile *read_kept(const struct export *x, const struct report_session *s,
				 const struct imported *imported)
{
	const struct format_read_options how = { .salvage = imported->salvaged };
	const struct profile_format *format = profile_format_find(imported->format);
	char *path = path_join(s->samples, "stats/" IMPORTED_PROFILE);
	struct op_error why = { "unknown format" };
	struct profile *p = NULL;
	int err = format ? profile_read_file(path, format, &how, &p, &why) : -EINVAL;

	if (err)
		notice_add(x->notices, "session '%s': cannot read the original profile: %s",
			   s->name, why.text);
	free(path);
	return p;
}

/* Whether all of the session is exported, and the session is unchanged. */
static bool is_whole(const struct export *x, const struct imported *imported)
{
	uint64_t sum = 0;

	for (uint32_t event = 0; event < x->profile->nr_events; event++)
		sum += (uint64_t)profile_total(x->profile, event);
	return sum == imported->samples;
}

/* --- names --- */

/* The index of the file @path among images with samples, or PROFILE_NONE. */
static uint32_t image_of(const struct export *x, const char *path)
{
	for (size_t i = 0; i < x->nr_images; i++)
		if (x->images[i]->image->kind == IMAGE_FILE &&
		    !strcmp(x->images[i]->image->path, path))
			return (uint32_t)i;
	return PROFILE_NONE;
}

static void copy_lines(const struct profile *from, const struct profile_place *at,
		       struct profile *to, uint32_t place)
{
	const struct profile_line_list list = from->line_lists[at->lines];
	struct profile_line *lines = xcalloc(list.nr, sizeof(*lines));

	for (uint32_t i = 0; i < list.nr; i++) {
		const struct profile_line *line = &from->lines[list.first + i];
		const struct profile_function *f = &from->functions[line->function];
		const struct profile_function made = {
			.name = profile_string(to, profile_text(from, f->name)),
			.system_name = profile_string(to, profile_text(from, f->system_name)),
			.file = profile_string(to, profile_text(from, f->file)),
			.start_line = f->start_line,
		};

		lines[i] = (struct profile_line){ profile_function(to, &made), line->line };
	}
	profile_name_place(to, place, lines, list.nr);
	free(lines);
}

static void name_places(const struct export *x, struct profile *kept)
{
	struct imported ignored = { 0 };
	struct import_images m;
	uint32_t *images;

	import_images_make(kept, &ignored, &m);
	images = xcalloc((size_t)m.nr + 1, sizeof(*images));
	for (uint32_t i = 0; i < m.nr; i++)
		images[i] = image_of(x, m.images[i].path);
	for (uint32_t i = 0; i < kept->nr_places; i++) {
		const struct import_place at = import_place(kept, &m, i);
		uint32_t image = images[at.image], found;
		const struct profile_place *place;

		if (kept->places[i].lines || kept->places[i].image == PROFILE_NONE ||
		    image == PROFILE_NONE)
			continue;
		found = export_place_find(x, image, at.key);
		if (found == PROFILE_NONE)
			continue;
		place = &x->profile->places[x->named[found]];
		if (place->lines)
			copy_lines(x->profile, place, kept, i);
	}
	free(images);
	import_images_free(&m);
	imported_free(&ignored);
}

/* Drop symbols or inlines as in @options. Places without an address keep their function. */
static void drop_lines(const struct export_options *options, struct profile *p)
{
	for (uint32_t i = 0; i < p->nr_places; i++) {
		struct profile_place *at = &p->places[i];

		if (!options->symbols && !p->symbolic_addresses &&
		    (at->image != PROFILE_NONE || at->address))
			at->lines = 0;
	}
	for (uint32_t i = 1; i < p->nr_line_lists && !options->inlines; i++) {
		struct profile_line_list *lines = &p->line_lists[i];

		lines->first += lines->nr - 1;
		lines->nr = 1;
		p->lines[lines->first].line = 0;
	}
}

struct profile *export_empty_original(const struct export *x)
{
	const struct session_list *all = &x->collection->sessions;

	if (all->nr != 1 || !x->imported[0].format || x->imported[0].samples)
		return NULL;
	return read_kept(x, &all->sessions[0], &x->imported[0]);
}

struct profile *export_original(const struct export *x)
{
	const struct file_list *files = &x->collection->files;
	const struct report_session *session = files->files[0].session;
	const struct imported *imported = export_imported(x, session);
	struct profile *kept;

	if (!imported->format || x->options->since ||
	    files->files[files->nr - 1].session != session || !is_whole(x, imported))
		return NULL;
	kept = read_kept(x, session, imported);
	if (!kept)
		return NULL;
	if (x->options->symbols)
		name_places(x, kept);
	drop_lines(x->options, kept);
	return kept;
}
