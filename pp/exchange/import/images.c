// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * images.c - choose the path of each image in the session [IM-2]
 *
 * All images become files, because only files have builds and the session keeps names of functions
 * by build. The original kind is kept in stats/imported.
 */
#include "pp/exchange/import/images.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/session/name.h"
#include "libdb/session/text_file.h"
#include "libdb/stack/store.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"

#define PATH_LONGEST	2000
#define NAME_LONGEST	200

/* Whether the image has an address range. If not, keys are addresses. */
static bool is_placed(const struct profile_image *i)
{
	return i->limit > i->start;
}

static bool path_fits(const char *path)
{
	const struct image_name name = { .kind = IMAGE_FILE, .path = path };
	const struct sample_name file = { .app = name, .image = name, .event = "X" };
	struct strbuf text = STRBUF_INIT;
	size_t longest = 0, part;
	bool fits = *path == '/' && path[1] && !sample_name_format(&file, &text);

	for (const char *p = path; *p; p += part + (p[part] == '/')) {
		part = strcspn(p, "/");
		longest = part > longest ? part : longest;
	}
	strbuf_free(&text);
	return fits && longest <= NAME_LONGEST && strlen(path) <= PATH_LONGEST;
}

/* A path that can be part of a sample file's name, made from @nr if @path cannot. Malloc'd. */
static char *session_path(const char *path, uint32_t nr)
{
	char *text = *path == '/' ? xstrdup(path) : xasprintf("/%s", path);

	if (path_fits(text))
		return text;
	free(text);
	return xasprintf("/[image %" PRIu32 "]", nr + 1);
}

/* For images of unknown build: an ID that no real build has. */
static void invent_build_id(const char *path, struct import_image *i)
{
	uint64_t hash = hash_string(path);

	i->is_invented = true;
	snprintf(i->build_id, BUILD_ID_TEXT, "%016" PRIx64 "%016" PRIx64 "696d7074", hash,
		 hash_u64(hash + 1));
}

static uint32_t add_image(struct import_images *m, char *path, const char *build_id)
{
	struct import_image *i;
	size_t len = strlen(build_id);

	m->images = xrealloc_array(m->images, m->nr + 1, sizeof(*m->images));
	i = &m->images[m->nr];
	i->path = path;
	i->is_invented = false;
	if (len && len < BUILD_ID_TEXT && len % 2 == 0 && text_is_hex(build_id))
		strcpy(i->build_id, build_id);
	else
		invent_build_id(path, i);
	return m->nr++;
}

struct order {
	const struct profile *p;
	uint32_t image;
};

/* Mappings of one build of one file are equal. */
static int compare_files(const struct profile *p, uint32_t a, uint32_t b)
{
	const struct profile_image *x = &p->images[a], *y = &p->images[b];

	if (x->path != y->path)
		return x->path < y->path ? -1 : 1;
	if (x->build_id != y->build_id)
		return x->build_id < y->build_id ? -1 : 1;
	return is_placed(x) - is_placed(y);
}

static int compare_order(const void *a, const void *b)
{
	const struct order *x = a, *y = b;
	int c = compare_files(x->p, x->image, y->image);

	return c ? c : (x->image > y->image) - (x->image < y->image);
}

/* The second and later builds of a path get a path of their own. */
static void make_images(const struct profile *p, struct import_images *m)
{
	struct order *order = xcalloc((size_t)p->nr_images + 1, sizeof(*order));
	uint32_t builds = 0;

	m->of_image = xcalloc((size_t)p->nr_images + 1, sizeof(*m->of_image));
	for (uint32_t i = 0; i < p->nr_images; i++)
		order[i] = (struct order){ p, i };
	qsort(order, p->nr_images, sizeof(*order), compare_order);
	for (uint32_t n = 0; n < p->nr_images; n++) {
		uint32_t i = order[n].image, last = n ? order[n - 1].image : 0;
		char *path, *apart;

		if (n && !compare_files(p, i, last)) {
			m->of_image[i] = m->of_image[last];
			continue;
		}
		builds = n && p->images[i].path == p->images[last].path ? builds + 1 : 0;
		path = session_path(profile_text(p, p->images[i].path), i);
		if (builds) {
			apart = xasprintf("%s (%" PRIu32 ")", path, builds + 1);
			free(path);
			path = apart;
		}
		m->of_image[i] = add_image(m, path, profile_text(p, p->images[i].build_id));
	}
	free(order);
}

static void keep_mappings(const struct profile *p, struct import_images *m,
			  struct imported *imported)
{
	for (uint32_t i = 0; i < p->nr_images; i++) {
		const struct profile_image *image = &p->images[i];

		imported_add_image(imported, &(struct imported_image){
			.kind = image->kind, .start = image->start, .limit = image->limit,
			.offset = image->offset, .path = m->images[m->of_image[i]].path,
			.original = (char *)profile_text(p, image->path),
			.build_id = (char *)profile_text(p, image->build_id) });
	}
}

static uint32_t add_nowhere(struct import_images *m, struct imported *imported, const char *path,
			    unsigned int kind)
{
	char empty[] = "";
	uint32_t image = add_image(m, xstrdup(path), "");

	imported_add_image(imported, &(struct imported_image){
		.kind = kind, .path = m->images[image].path, .original = empty,
		.build_id = empty });
	return image;
}

/* --- places --- */

const char *import_function(const struct profile *p, uint32_t place)
{
	const struct profile_line_list lines = p->line_lists[p->places[place].lines];
	const struct profile_function *f;

	if (!lines.nr)
		return "";
	f = &p->functions[p->lines[lines.first + lines.nr - 1].function];
	return profile_text(p, f->system_name ? f->system_name : f->name);
}

uint32_t import_end(const struct profile *p, uint32_t place)
{
	const struct profile_place *at = &p->places[place];
	const char *name = "";
	unsigned int end;
	size_t n;

	if (at->image == PROFILE_NONE && !at->address)
		name = import_function(p, place);
	n = strlen(name);
	return n > 2 && *name == '[' && stack_end_parse(name + 1, n - 2, &end) ? end : PROFILE_NONE;
}

/* Whether a place has only an image and a function, as in formats without addresses. */
static bool is_name_only(const struct profile *p, const struct profile_place *at)
{
	return !at->address && at->lines && !p->symbolic_addresses &&
	       (at->image == PROFILE_NONE || !is_placed(&p->images[at->image]));
}

struct import_place import_place(const struct profile *p, const struct import_images *m,
				 uint32_t place)
{
	const struct profile_place *at = &p->places[place];
	const struct profile_image *image;

	if (is_name_only(p, at))
		return (struct import_place){ m->names, 0x1000 + m->ranks[place] };
	if (at->image == PROFILE_NONE)
		return (struct import_place){ m->nowhere, at->address };
	image = &p->images[at->image];
	return (struct import_place){ m->of_image[at->image],
				      is_placed(image) ? profile_offset(image, at->address)
						       : at->address };
}

struct named {
	const char *name;
	uint32_t place;
};

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : (x->place > y->place) - (x->place < y->place);
}

/* Number the places that have only a function, so that those of one function are consecutive. */
static void rank_names(const struct profile *p, struct import_images *m, uint32_t nr)
{
	struct named *named = xcalloc((size_t)nr + 1, sizeof(*named));
	uint32_t n = 0;

	m->ranks = xcalloc(p->nr_places, sizeof(*m->ranks));
	for (uint32_t i = 0; i < p->nr_places; i++)
		if (is_name_only(p, &p->places[i]))
			named[n++] = (struct named){ import_function(p, i), i };
	qsort(named, n, sizeof(*named), compare_named);
	for (uint32_t i = 0; i < n; i++)
		m->ranks[named[i].place] = i;
	free(named);
}

/* Images for places that have none. */
static void add_nowheres(const struct profile *p, struct import_images *m,
			 struct imported *imported)
{
	uint32_t nr_names = 0, nr_nowhere = 0;

	for (uint32_t i = 0; i < p->nr_places; i++) {
		if (is_name_only(p, &p->places[i]))
			nr_names++;
		else if (p->places[i].image == PROFILE_NONE)
			nr_nowhere++;
	}
	if (nr_nowhere)
		m->nowhere = add_nowhere(m, imported, "/[unmapped]", IMPORTED_NOWHERE);
	if (nr_names) {
		m->names = add_nowhere(m, imported, "/[imported]", IMPORTED_NAMES);
		rank_names(p, m, nr_names);
	}
}

void import_images_group(const struct profile *p, struct import_images *m)
{
	uint32_t sum = 0;

	m->by_image = xcalloc((size_t)p->nr_places + 1, sizeof(*m->by_image));
	m->ends = xcalloc((size_t)m->nr + 2, sizeof(*m->ends));
	for (uint32_t i = 0; i < p->nr_places; i++)
		m->ends[import_place(p, m, i).image + 1]++;
	for (uint32_t i = 0; i <= m->nr; i++)
		m->ends[i] = sum += m->ends[i];
	for (uint32_t i = 0; i < p->nr_places; i++)
		m->by_image[m->ends[import_place(p, m, i).image]++] = i;
}

void import_images_make(const struct profile *p, struct imported *imported,
			struct import_images *ret)
{
	struct import_images m = { 0 };

	make_images(p, &m);
	keep_mappings(p, &m, imported);
	add_nowheres(p, &m, imported);
	*ret = m;
}

void import_images_free(struct import_images *m)
{
	for (uint32_t i = 0; i < m->nr; i++)
		free(m->images[i].path);
	free(m->images);
	free(m->of_image);
	free(m->ranks);
	free(m->by_image);
	free(m->ends);
}
