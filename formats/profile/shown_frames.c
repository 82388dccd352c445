// SPDX-License-Identifier: GPL-2.0-or-later
/* shown_frames.c - name a function for each place, with or without symbols */
#include "formats/profile/shown_frames.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/hash.h"
#include "libutil/table.h"
#include "libutil/xalloc.h"

struct shown_builder {
	const struct profile *profile;
	struct shown_frames *shown;
	struct hash_table table;	/* of functions */
	size_t room_functions, nr_frames, room_frames;
};

static inline bool same_function(const void *shown, uint32_t id, const void *key)
{
	const struct shown_function *a = &((const struct shown_frames *)shown)->functions[id];
	const struct shown_function *b = key;

	return a->name == b->name && a->file == b->file && a->image == b->image &&
	       a->start_line == b->start_line;
}

/* Names are strings of the profile or of an image, so equal texts are the same pointer. */
static uint32_t find_function(struct shown_builder *m, const struct shown_function *f)
{
	struct shown_frames *s = m->shown;
	uint64_t hash = hash_mix(hash_u64((uintptr_t)f->name),
				 (uint64_t)f->image << 32 | f->file);
	uint32_t id = hash_table_find(&m->table, hash, same_function, s, f);

	if (id != HASH_NONE)
		return id;
	xgrow(s->functions, s->nr_functions, m->room_functions);
	s->functions[s->nr_functions] = *f;
	hash_table_add(&m->table, hash, s->nr_functions);
	return s->nr_functions++;
}

static const char *bracketed_name(struct shown_builder *m, uint32_t image)
{
	const struct profile *p = m->profile;
	uint32_t slot = image == PROFILE_NONE ? p->nr_images : image;
	const char *path, *base;

	if (m->shown->bracketed[slot])
		return m->shown->bracketed[slot];
	path = image == PROFILE_NONE ? "" : profile_text(p, p->images[image].path);
	base = strrchr(path, '/');
	base = base && base[1] ? base + 1 : path;
	if (*base == '[')
		m->shown->bracketed[slot] = xstrdup(base);
	else
		m->shown->bracketed[slot] = xasprintf("[%s]", *base ? base : "unknown");
	return m->shown->bracketed[slot];
}

static void add_frame(struct shown_builder *m, const struct shown_function *f, uint32_t line)
{
	struct shown_frame frame = { find_function(m, f), line };

	xgrow(m->shown->frames, m->nr_frames, m->room_frames);
	m->shown->frames[m->nr_frames++] = frame;
}

static void add_place(struct shown_builder *m, const struct profile_place *place)
{
	const struct profile *p = m->profile;
	const struct profile_line_list lines = p->line_lists[place->lines];
	struct shown_function shown = { .image = place->image };

	for (uint32_t i = 0; i < lines.nr; i++) {
		const struct profile_line *line = &p->lines[lines.first + i];
		const struct profile_function *f = &p->functions[line->function];

		shown.name = f->name ? profile_text(p, f->name) : bracketed_name(m, place->image);
		shown.file = f->file;
		shown.start_line = f->start_line;
		add_frame(m, &shown, line->line);
	}
	if (!lines.nr) {
		shown.name = bracketed_name(m, place->image);
		add_frame(m, &shown, 0);
	}
}

void shown_frames_make(const struct profile *p, struct shown_frames *ret)
{
	struct shown_builder m = { .profile = p, .shown = ret };
	struct shown_function unknown = { .image = PROFILE_NONE };

	*ret = (struct shown_frames){ .nr_bracketed = p->nr_images + 1 };
	ret->bracketed = xcalloc(ret->nr_bracketed, sizeof(*ret->bracketed));
	ret->first = xcalloc((size_t)p->nr_places + 1, sizeof(*ret->first));
	for (uint32_t i = 0; i < p->nr_places; i++) {
		ret->first[i] = m.nr_frames;
		add_place(&m, &p->places[i]);
	}
	ret->first[p->nr_places] = m.nr_frames;
	unknown.name = bracketed_name(&m, PROFILE_NONE);
	ret->unknown = find_function(&m, &unknown);
	hash_table_free(&m.table);
}

void shown_frames_free(struct shown_frames *s)
{
	for (uint32_t i = 0; i < s->nr_bracketed; i++)
		free(s->bracketed[i]);
	free(s->bracketed);
	free(s->functions);
	free(s->frames);
	free(s->first);
	*s = (struct shown_frames){ 0 };
}
