// SPDX-License-Identifier: GPL-2.0-or-later
/* frames.c - see frames.h */
#include "fleet/store/frames.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/hash.h"
#include "libutil/xalloc.h"

#define LINES_MAX	256	/* functions at a place */
#define NO_BUILD	"-"
#define NO_IMAGE	"-"

/* As one text of a list: newlines separate them. */
static void add_text(struct strbuf *list, const char *text)
{
	size_t at = list->len;

	strbuf_add(list, text);
	for (char *c = list->text + at; *c; c++)
		if (*c == '\n')
			*c = '?';
	strbuf_add_char(list, '\0');
}

/* "KIND BUILD-ID PATH" */
static void add_image(const struct profile *p, uint32_t image, struct strbuf *list)
{
	const struct profile_image *i = &p->images[image];
	const char *build = profile_text(p, i->build_id);
	char *text = xasprintf("%d %s %s", i->kind, *build ? build : NO_BUILD,
			       profile_text(p, i->path));

	add_text(list, text);
	free(text);
}

static bool add_frame(struct store_frames *f, const char *function, uint64_t offset)
{
	if (f->nr == STORE_FRAMES_MAX)
		return false;
	add_text(&f->functions, function);
	f->offsets[f->nr++] = offset;
	return true;
}

static void add_place(const struct profile *p, uint32_t index, struct store_frames *f)
{
	const struct profile_place *place = &p->places[index];
	const struct profile_line_list list = p->line_lists[place->lines];
	uint64_t offset = place->address;

	if (place->image != PROFILE_NONE)
		offset = profile_offset(&p->images[place->image], place->address);
	for (uint32_t i = 0; i < list.nr || !i; i++) {
		const char *name = !list.nr ? "" : profile_text(
			p, p->functions[p->lines[list.first + i].function].name);

		if (!add_frame(f, name, offset))
			return;
		if (i + 1 < list.nr)
			add_text(&f->images, "");
		else if (place->image == PROFILE_NONE)
			add_text(&f->images, NO_IMAGE);
		else
			add_image(p, place->image, &f->images);
	}
}

void store_frames_of(const struct profile *p, uint32_t node, struct store_frames *ret)
{
	strbuf_reset(&ret->functions);
	strbuf_reset(&ret->images);
	ret->nr = 0;
	while (node != PROFILE_NONE && ret->nr < STORE_FRAMES_MAX) {
		add_place(p, p->tree.nodes[node].key, ret);
		node = p->tree.nodes[node].parent;
	}
}

void store_frames_free(struct store_frames *f)
{
	strbuf_free(&f->functions);
	strbuf_free(&f->images);
}

uint64_t store_frames_hash(const struct store_frames *f)
{
	uint64_t hash = hash_mix(hash_bytes(f->functions.text, f->functions.len),
				 hash_bytes(f->images.text, f->images.len));

	return hash_mix(hash, hash_bytes(f->offsets, f->nr * sizeof(*f->offsets)));
}

/* --- back --- */

/* An image without addresses: offsets are its addresses. False: malformed. */
static bool parse_image(struct profile *p, const char *text, uint32_t *ret)
{
	struct profile_image image = { 0 };
	size_t n;

	*ret = PROFILE_NONE;
	if (!strcmp(text, NO_IMAGE))
		return true;
	if (*text < '0' || *text > '0' + PROFILE_JIT || text[1] != ' ')
		return false;
	image.kind = (enum profile_image_kind)(*text - '0');
	text += 2;
	n = strcspn(text, " ");
	if (!text[n])
		return false;
	if (strncmp(text, NO_BUILD " ", 2))
		image.build_id = profile_string_n(p, text, n);
	image.path = profile_string(p, text + n + 1);
	for (*ret = 0; *ret < p->nr_images; ++*ret)
		if (p->images[*ret].path == image.path &&
		    p->images[*ret].build_id == image.build_id)
			return true;
	*ret = profile_add_image(p, &image);
	return true;
}

uint32_t store_frames_add(struct profile *p, char *functions, char *images, char *offsets)
{
	struct profile_line lines[LINES_MAX] = { { 0, 0 } };
	uint32_t *places = NULL, nr_lines = 0, image, node;
	size_t nr = 0, room = 0;
	char *function, *image_text, *offset;

	while ((function = strsep(&functions, "\n")) && (image_text = strsep(&images, "\n")) &&
	       (offset = strsep(&offsets, " "))) {
		const uint32_t name = profile_string(p, function);

		if (*function && nr_lines < LINES_MAX)
			lines[nr_lines++].function = profile_function(p, &(struct profile_function){
				.name = name, .system_name = name });
		if (!*image_text)
			continue;
		if (!parse_image(p, image_text, &image)) {
			nr = 0;
			break;
		}
		xgrow(places, nr, room);
		places[nr++] = profile_place(p, image, strtoull(offset, NULL, 10), lines, nr_lines);
		nr_lines = 0;
	}
	node = nr ? profile_stack(p, places, nr) : PROFILE_NONE;
	free(places);
	return node;
}
