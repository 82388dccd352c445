/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history_files.c - from stacks to the samples of their innermost frames, sorted into files
 *
 * The files are those that the daemon would have written for the same samples ([EB-73], [SS-61]).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "events/cpu/type.h"
#include "libdb/session/sample_file.h"
#include "libdb/session/text_file.h"
#include "libutil/hash.h"
#include "libutil/table.h"
#include "libutil/xalloc.h"
#include "pp/select/history.h"

/* Equal texts have one number. */
struct numbered {
	char **texts;
	size_t nr, room;
	struct hash_table by_text;
};

struct file_key {
	uint32_t app, image, context, event;	/* numbers; @app STACK_NONE: the program */
};

struct history_filer {
	struct session_info info;
	struct numbered image_names, context_names, event_names;
	struct stack_image *images;	/* of each number; their texts are ours */
	struct stack_context *contexts;
	struct stack_event *events;
	size_t images_room, contexts_room, events_room;
	struct numbered paths;		/* of images that have a build ID, */
	uint32_t *first;		/* and the first image of each */
	size_t first_room;
	struct file_key *keys;		/* of each file */
	size_t *settled;		/* of each: so many keys are in it once, sorted */
	size_t keys_room, settled_room;
	struct hash_table by_key;
};

/* Of a snapshot: the numbers of its parts. */
struct numbers {
	uint32_t *images, *contexts, *events;
};

static bool is_text(const void *numbered, uint32_t id, const void *text)
{
	return !strcmp(((const struct numbered *)numbered)->texts[id], text);
}

static uint32_t find_number(const struct numbered *n, const char *text)
{
	return hash_table_find(&n->by_text, hash_string(text), is_text, n, text);
}

/* Takes over @text. */
static uint32_t number_of(struct numbered *n, char *text)
{
	uint32_t id = find_number(n, text);

	if (id != HASH_NONE) {
		free(text);
		return id;
	}
	hash_table_add(&n->by_text, hash_string(text), (uint32_t)n->nr);
	xgrow(n->texts, n->nr, n->room);
	n->texts[n->nr] = text;
	return (uint32_t)n->nr++;
}

static void free_numbered(struct numbered *n)
{
	for (size_t i = 0; i < n->nr; i++)
		free(n->texts[i]);
	free(n->texts);
	hash_table_free(&n->by_text);
}

/* As stats/images of a session: the first build of each path. */
static void note_build(struct history_filer *f, uint32_t image)
{
	const struct stack_image *m = &f->images[image];
	size_t before = f->paths.nr;

	if (m->name.kind != IMAGE_FILE || !*m->build_id || image_id_is_apart(m->build_id))
		return;
	(void)number_of(&f->paths, xstrdup(m->name.path));
	if (f->paths.nr == before)
		return;
	xgrow(f->first, before, f->first_room);
	f->first[before] = image;
}

static uint32_t number_image(struct history_filer *f, const struct stack_image *m)
{
	size_t before = f->image_names.nr;
	uint32_t id = number_of(&f->image_names, xasprintf(
		"%d %" PRIu32 " %" PRIx64 " %" PRIx64 " %s %s", m->name.kind, m->name.anon_tgid,
		m->name.anon_start, m->name.anon_end, m->build_id, m->name.path));

	if (id < before)
		return id;
	xgrow(f->images, before, f->images_room);
	f->images[id] = *m;
	f->images[id].name.path = xstrdup(m->name.path);
	f->images[id].build_id = xstrdup(m->build_id);
	note_build(f, id);
	return id;
}

static uint32_t number_context(struct history_filer *f, const struct stack_context *c)
{
	size_t before = f->context_names.nr;
	uint32_t id = number_of(&f->context_names, xasprintf(
		"%" PRId64 " %" PRId64 " %" PRId64 " %s", c->tgid, c->tid, c->cpu, c->cgroup));

	if (id < before)
		return id;
	xgrow(f->contexts, before, f->contexts_room);
	f->contexts[id] = *c;
	f->contexts[id].cgroup = xstrdup(c->cgroup);
	return id;
}

static uint32_t number_event(struct history_filer *f, const struct stack_event *event)
{
	size_t before = f->event_names.nr;
	uint32_t id = number_of(&f->event_names, xasprintf(
		"%" PRIu64 " %" PRIu64 " %s", event->count, event->unit_mask, event->name));

	if (id < before)
		return id;
	xgrow(f->events, before, f->events_room);
	f->events[id] = *event;
	f->events[id].name = xstrdup(event->name);
	return id;
}

/* The build that the image's samples lie apart for, or "". */
static const char *apart_build(const struct history_filer *f, const struct stack_image *m)
{
	uint32_t path;

	if (m->name.kind != IMAGE_FILE || !*m->build_id)
		return "";
	path = find_number(&f->paths, m->name.path);
	return path != HASH_NONE && !strcmp(f->images[f->first[path]].build_id, m->build_id)
		? "" : m->build_id;
}

/* --- files --- */

/* The application that samples in @image are filed under, as an image; STACK_NONE: the program. */
static uint32_t app_of(const struct history_filer *f, const struct stack_snapshot *s,
		       const struct stack_context *c, uint32_t image)
{
	const struct stack_image *m = &s->images[image];
	bool is_kernel = m->name.kind == IMAGE_KERNEL ||
			 (*f->info.vmlinux && !strcmp(m->name.path, f->info.vmlinux));
	bool by_app = strstr(f->info.separate, "kernel") ||
		      (strstr(f->info.separate, "lib") && !is_kernel);

	if (m->name.kind == IMAGE_ANON)
		return STACK_NONE;
	return by_app && c->app != STACK_NONE ? c->app : image;
}

static struct sample_header header_of(const struct history_filer *f, const struct sample_name *name)
{
	const struct cpu_type *type = cpu_type_by_name(f->info.cpu_type);
	int number = type ? cpu_type_header_number(type, SAMPLE_VERSION_1X) : -1;
	struct sample_header header = sample_file_header(name);

	if (number < 0)
		number = cpu_type_header_number(cpu_type_by_name("timer"), SAMPLE_VERSION_1X);
	header.version = SAMPLE_VERSION_1X;
	header.cpu_type = (uint32_t)number;
	header.cpu_mhz = (double)f->info.clock_khz / 1000;
	return header;
}

static void new_file(struct session_history *h, const struct file_key *key)
{
	const struct history_filer *f = h->filer;
	const struct stack_context *c = &f->contexts[key->context];
	const struct stack_event *event = &f->events[key->event];
	const struct stack_image *image = &f->images[key->image];
	struct stack_arc_file *file;

	xgrow(h->files, h->nr_files, h->files_room);
	file = &h->files[h->nr_files++];
	*file = (struct stack_arc_file){
		.name = {
			.image = image->name,
			.event = event->name, .count = event->count,
			.unit_mask = event->unit_mask,
			.tgid = c->tgid, .tid = c->tid, .cpu = c->cpu,
		},
		.build_id = apart_build(f, image),
		.cgroup = c->cgroup,
	};
	if (key->app == STACK_NONE)
		file->name.app = (struct image_name){ .kind = IMAGE_FILE, .path = image->build_id };
	else
		file->name.app = f->images[key->app].name;
	file->header = header_of(f, &file->name);
}

static bool is_key(const void *keys, uint32_t id, const void *key)
{
	return !memcmp(&((const struct file_key *)keys)[id], key, sizeof(struct file_key));
}

static uint32_t file_of(struct session_history *h, const struct file_key *key)
{
	struct history_filer *f = h->filer;
	uint64_t hash = hash_mix(hash_mix(key->app, key->image),
				 hash_mix(key->context, key->event));
	uint32_t id = hash_table_find(&f->by_key, hash, is_key, f->keys, key);

	if (id != HASH_NONE)
		return id;
	id = (uint32_t)h->nr_files;
	xgrow(f->keys, id, f->keys_room);
	xgrow(f->settled, id, f->settled_room);
	f->keys[id] = *key;
	f->settled[id] = 0;
	hash_table_add(&f->by_key, hash, id);
	new_file(h, key);
	return id;
}

/* Each key once. */
static void settle(struct session_history *h, uint32_t id)
{
	stack_arc_file_sort(&h->files[id]);
	h->filer->settled[id] = h->files[id].nr;
}

#define LOOSE_MAX	256	/* keys that may be in a file more than once, or as many again */

static void add_sample(struct session_history *h, const struct file_key *key, uint64_t offset,
		       uint64_t count)
{
	uint32_t id = file_of(h, key);
	struct stack_arc_file *file = &h->files[id];

	if (file->nr > 2 * h->filer->settled[id] + LOOSE_MAX)
		settle(h, id);
	xgrow(file->arcs, file->nr, file->room);
	file->arcs[file->nr++] = (struct stack_arc){ offset, count };
}

static void add_all(struct session_history *h, const struct stack_snapshot *s,
		    const struct numbers *n)
{
	for (uint32_t i = 0; i < s->nr_counts; i++) {
		const struct stack_count *count = &s->counts[i];
		const struct stack_frame *leaf = &s->frames[s->nodes[count->node].frame];
		const struct stack_image *m = &s->images[leaf->image];
		struct file_key key = { .image = n->images[leaf->image],
					.context = n->contexts[count->context],
					.event = n->events[count->event] };
		uint32_t app;

		/* not of our daemon: samples of memory have a mapping and a program */
		if (m->name.kind == IMAGE_ANON && (!m->name.anon_end || *m->build_id != '/'))
			continue;
		app = app_of(h->filer, s, &s->contexts[count->context], leaf->image);
		key.app = app == STACK_NONE ? STACK_NONE : n->images[app];
		add_sample(h, &key, leaf->offset, count->count);
	}
}

void history_filer_add(struct session_history *h, const struct stack_snapshot *s)
{
	struct numbers n = {
		.images = xcalloc(s->nr_images + 1, sizeof(*n.images)),
		.contexts = xcalloc(s->nr_contexts + 1, sizeof(*n.contexts)),
		.events = xcalloc(s->nr_events + 1, sizeof(*n.events)),
	};

	for (uint32_t i = 0; i < s->nr_images; i++)
		n.images[i] = number_image(h->filer, &s->images[i]);
	for (uint32_t i = 0; i < s->nr_contexts; i++)
		n.contexts[i] = number_context(h->filer, &s->contexts[i]);
	for (uint32_t i = 0; i < s->nr_events; i++)
		n.events[i] = number_event(h->filer, &s->events[i]);
	add_all(h, s, &n);
	free(n.images);
	free(n.contexts);
	free(n.events);
}

void history_filer_end(struct session_history *h, struct image_ids **ret)
{
	const struct history_filer *f = h->filer;
	struct strbuf text = STRBUF_INIT;
	size_t len;

	for (uint32_t i = 0; i < h->nr_files; i++)
		settle(h, i);
	for (size_t i = 0; i < f->paths.nr; i++) {
		strbuf_addf(&text, "%s ", f->images[f->first[i]].build_id);
		text_add_escaped(&text, f->paths.texts[i], true);
		strbuf_add_char(&text, '\n');
	}
	*ret = NULL;
	len = text.len;
	(void)image_ids_parse(strbuf_steal(&text), len, "history", ret, NULL);
}

struct history_filer *history_filer_new(const struct session_info *info)
{
	struct history_filer *f = xcalloc(1, sizeof(*f));

	f->info = *info;
	return f;
}

void history_filer_free(struct history_filer *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->image_names.nr; i++) {
		free((char *)f->images[i].name.path);
		free((char *)f->images[i].build_id);
	}
	for (size_t i = 0; i < f->context_names.nr; i++)
		free((char *)f->contexts[i].cgroup);
	for (size_t i = 0; i < f->event_names.nr; i++)
		free((char *)f->events[i].name);
	free_numbered(&f->image_names);
	free_numbered(&f->context_names);
	free_numbered(&f->event_names);
	free_numbered(&f->paths);
	free(f->images);
	free(f->contexts);
	free(f->events);
	free(f->first);
	free(f->keys);
	free(f->settled);
	hash_table_free(&f->by_key);
	free(f);
}
