// SPDX-License-Identifier: GPL-2.0-or-later
/* images.c - the names under which the samples of images are filed [SM-66] */
#include "libsampler/session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define ANON_NAME_MAX	64

static const char *keep_name(struct session_update *u, char *name)
{
	xgrow(u->names, u->nr_names, u->names_room);
	return u->names[u->nr_names++] = name;
}

/* A valid NAME of a folder "{anon:NAME}". */
static const char *anon_name(struct session_update *u, const char *path)
{
	char name[ANON_NAME_MAX + 1];
	size_t n = 0;

	for (; n < ANON_NAME_MAX && path[n]; n++)
		name[n] = strchr("/{}", path[n]) || (unsigned char)path[n] < ' ' ? '_' : path[n];
	name[n] = '\0';
	return keep_name(u, xstrdup(n ? name : "anon"));
}

/* A file that was replaced since it was loaded keeps its name. */
static const char *file_name(struct session_update *u, const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t n = strlen(path), end = sizeof(deleted) - 1;
	char *name;

	if (n <= end || strcmp(path + n - end, deleted))
		return path;
	name = xstrdup(path);
	name[n - end] = '\0';
	return keep_name(u, name);
}

static bool can_be_named(const struct image_name *image)
{
	const struct sample_name name = { .app = { .path = "/x" }, .image = *image, .event = "X" };
	struct strbuf text = STRBUF_INIT;
	bool can = !sample_name_format(&name, &text);

	strbuf_free(&text);
	return can;
}

/* Another build of a path than the one in stats/images goes into a part [SS-61]. */
static void find_part(struct session_update *u, struct session_image *i)
{
	const char *first = u->ids ? image_ids_find(u->ids, i->name.path) : NULL;
	size_t number;
	int err;

	i->is_recorded = first || !*i->build_id;
	if (!first || !*i->build_id || !strcmp(first, i->build_id))
		return;
	err = session_parts_get(u->to.stats, &u->to.parts, i->build_id, "", &number);
	i->is_apart = !err;
	if (err)
		session_failed(u, err, u->to.stats);
}

static void make_image(struct session_update *u, const struct profile_image *from,
		       struct session_image *i)
{
	const char *path = profile_text(u->p, from->path);

	*i = (struct session_image){ .build_id = profile_text(u->p, from->build_id) };
	if (from->kind == PROFILE_FILE)
		i->name = (struct image_name){ .kind = IMAGE_FILE, .path = file_name(u, path) };
	else
		i->name = (struct image_name){ .kind = IMAGE_ANON, .path = anon_name(u, path),
					       .anon_tgid = (uint32_t)u->pid,
					       .anon_start = from->start,
					       .anon_end = from->limit };
	i->is_known = can_be_named(&i->name);
	i->is_recorded = true;
	if (i->is_known && from->kind == PROFILE_FILE)
		find_part(u, i);
}

void session_images_make(struct session_update *u)
{
	u->images = xcalloc((size_t)u->p->nr_images + 1, sizeof(*u->images));
	for (uint32_t i = 0; i < u->p->nr_images; i++)
		make_image(u, &u->p->images[i], &u->images[i]);
}

void session_images_free(struct session_update *u)
{
	for (size_t i = 0; i < u->nr_names; i++)
		free(u->names[i]);
	free(u->names);
	free(u->images);
}

/* Several images may be segments of one file. */
void session_image_record(struct session_update *u, struct session_image *image)
{
	int err;

	if (image->is_recorded)
		return;
	for (uint32_t i = 0; i < u->p->nr_images; i++)
		if (!strcmp(u->images[i].name.path, image->name.path) &&
		    !strcmp(u->images[i].build_id, image->build_id))
			u->images[i].is_recorded = true;
	err = image_ids_append(u->to.stats, image->name.path, image->build_id);
	if (err)
		session_failed(u, err, u->to.stats);
}

uint64_t session_key(const struct profile *p, const struct profile_place *place)
{
	const struct profile_image *image = &p->images[place->image];

	if (image->kind == PROFILE_FILE)
		return profile_offset(image, place->address);
	return place->address - image->start;
}

int64_t session_label(const struct profile *p, uint32_t labels, const char *key)
{
	const struct profile_labels *set = &p->label_sets[labels];

	for (uint32_t i = 0; i < set->nr; i++) {
		const struct profile_label *l = &p->labels[set->first + i];

		if (!l->text && !strcmp(profile_text(p, l->key), key))
			return l->number;
	}
	return SAMPLE_ALL;
}
