/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history_files.c - from stacks to the samples of their innermost frames, sorted into files
 *
 * The files are those that the daemon would have written for the same samples ([EB-73], [SS-61]).
 */
#include <stdlib.h>
#include <string.h>

#include "events/cpu/type.h"
#include "libdb/session/sample_file.h"
#include "libdb/session/text_file.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"
#include "pp/select/history.h"
#include "pp/select/history_parts.h"

struct file_key {
	uint32_t app, image, context, event;	/* numbers; @app STACK_NONE: the program */
};

struct history_filer {
	struct session_info info;
	struct history_parts parts;
	uint32_t *first;		/* image of each path with a build ID */
	size_t nr_first, first_room;
	struct hash_table by_path;
	struct file_key *keys;		/* of each file */
	size_t *settled;		/* of each: so many keys are in it once, sorted */
	size_t keys_room, settled_room;
	struct hash_table by_key;
};

/* Of a snapshot: the numbers of its parts. */
struct numbers {
	uint32_t *images, *contexts, *events;
};

static bool has_path(const void *filer, uint32_t id, const void *path)
{
	const struct history_filer *f = filer;

	return !strcmp(f->parts.images[f->first[id]].name.path, path);
}

/* As stats/images of a session: the first build of each path. */
static void note_build(struct history_filer *f, uint32_t image)
{
	const struct stack_image *m = &f->parts.images[image];
	uint32_t id;

	if (m->name.kind != IMAGE_FILE || !*m->build_id || image_id_is_apart(m->build_id))
		return;
	id = hash_table_intern(&f->by_path, hash_string(m->name.path), has_path, f, m->name.path);
	if (id == f->nr_first) {
		xgrow(f->first, f->nr_first, f->first_room);
		f->first[f->nr_first++] = image;
	}
}

static uint32_t number_image(struct history_filer *f, const struct stack_image *image)
{
	size_t before = f->parts.nr_images;
	uint32_t id = history_parts_image(&f->parts, image);

	if (id == before)
		note_build(f, id);
	return id;
}

/* What names of files are separated by. */
static uint32_t number_context(struct history_filer *f, const struct stack_context *c)
{
	const struct stack_context context = {
		.app = STACK_NONE, .tgid = c->tgid, .tid = c->tid, .cpu = c->cpu,
		.cgroup = c->cgroup, .comm = "", .labels = "",
	};

	return history_parts_context(&f->parts, &context);
}

/* The build that the image's samples lie apart for, or "". */
static const char *apart_build(const struct history_filer *f, const struct stack_image *m)
{
	uint32_t id;

	if (m->name.kind != IMAGE_FILE || !*m->build_id)
		return "";
	id = hash_table_find(&f->by_path, hash_string(m->name.path), has_path, f, m->name.path);
	return id != HASH_NONE && !strcmp(f->parts.images[f->first[id]].build_id, m->build_id)
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
	const struct stack_context *c = &f->parts.contexts[key->context];
	const struct stack_event *event = &f->parts.events[key->event];
	const struct stack_image *image = &f->parts.images[key->image];
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
		file->name.app = f->parts.images[key->app].name;
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
		n.events[i] = history_parts_event(&h->filer->parts, &s->events[i]);
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
	for (size_t i = 0; i < f->nr_first; i++) {
		const struct stack_image *m = &f->parts.images[f->first[i]];

		strbuf_addf(&text, "%s ", m->build_id);
		text_add_escaped(&text, m->name.path, true);
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
	history_parts_free(&f->parts);
	hash_table_free(&f->by_path);
	free(f->first);
	free(f->keys);
	free(f->settled);
	hash_table_free(&f->by_key);
	free(f);
}
