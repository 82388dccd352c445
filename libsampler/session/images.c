// SPDX-License-Identifier: GPL-2.0-or-later
/* images.c - what samples of an image of the profile are filed under [SM-66] */
#include "libsampler/session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define ANON_NAME_MAX	64

static const char *keep_name(struct session_writer *w, char *name)
{
	xgrow(w->names, w->nr_names, w->names_room);
	return w->names[w->nr_names++] = name;
}

/* As it can stand between the braces of a folder: "{anon:NAME}". */
static const char *anon_name(struct session_writer *w, const char *path)
{
	char name[ANON_NAME_MAX + 1];
	size_t n = 0;

	for (; n < ANON_NAME_MAX && path[n]; n++)
		name[n] = strchr("/{}", path[n]) || (unsigned char)path[n] < ' ' ? '_' : path[n];
	name[n] = '\0';
	return keep_name(w, xstrdup(n ? name : "anon"));
}

/* A file that was replaced since it was started keeps its name. */
static const char *file_name(struct session_writer *w, const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t n = strlen(path), end = sizeof(deleted) - 1;
	char *name;

	if (n <= end || strcmp(path + n - end, deleted))
		return path;
	name = xstrdup(path);
	name[n - end] = '\0';
	return keep_name(w, name);
}

static bool can_be_named(const struct image_name *image)
{
	const struct sample_name name = { .app = { .path = "/x" }, .image = *image, .event = "X" };
	struct strbuf text = STRBUF_INIT;
	bool can = !sample_name_format(&name, &text);

	strbuf_free(&text);
	return can;
}

/* A later build of a path that the session knows another build of lies apart [SS-61]. */
static void find_part(struct session_writer *w, struct session_image *i)
{
	const char *first = w->ids ? image_ids_find(w->ids, i->name.path) : NULL;
	size_t number;
	int err;

	i->told = first || !*i->build_id;
	if (!first || !*i->build_id || !strcmp(first, i->build_id))
		return;
	err = session_parts_get(w->stats, &w->parts, i->build_id, "", &number);
	if (!err)
		i->part = number + 1;
	else
		session_failed(w, err, "a part of the session");
}

static void make_image(struct session_writer *w, const struct profile_image *from,
		       struct session_image *i)
{
	const char *path = profile_text(w->p, from->path);

	*i = (struct session_image){ .build_id = profile_text(w->p, from->build_id) };
	if (from->kind == PROFILE_FILE)
		i->name = (struct image_name){ .kind = IMAGE_FILE, .path = file_name(w, path) };
	else
		i->name = (struct image_name){ .kind = IMAGE_ANON, .path = anon_name(w, path),
					       .anon_tgid = (uint32_t)w->pid,
					       .anon_start = from->start,
					       .anon_end = from->limit };
	i->known = can_be_named(&i->name);
	i->told = true;
	if (i->known && from->kind == PROFILE_FILE)
		find_part(w, i);
}

void session_images_make(struct session_writer *w)
{
	w->images = xcalloc((size_t)w->p->nr_images + 1, sizeof(*w->images));
	for (uint32_t i = 0; i < w->p->nr_images; i++)
		make_image(w, &w->p->images[i], &w->images[i]);
}

void session_images_free(struct session_writer *w)
{
	for (size_t i = 0; i < w->nr_names; i++)
		free(w->names[i]);
	free(w->names);
	free(w->images);
}

/* Several images may be segments of one file. */
void session_image_tell(struct session_writer *w, struct session_image *image)
{
	int err;

	if (image->told)
		return;
	for (uint32_t i = 0; i < w->p->nr_images; i++)
		if (!strcmp(w->images[i].name.path, image->name.path) &&
		    !strcmp(w->images[i].build_id, image->build_id))
			w->images[i].told = true;
	err = image_ids_append(w->stats, image->name.path, image->build_id);
	if (err)
		session_failed(w, err, "the builds of images");
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
