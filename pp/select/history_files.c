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
	uint32_t app, image, context, event;
};

struct filer {
	struct session_history *h;
	struct report_session *session;
	struct numbered names;		/* of images, contexts and events */
	uint32_t *images, *contexts, *events;	/* their numbers */
	struct file_key *keys;		/* of each file */
	size_t keys_room;
	struct hash_table by_key;
};

static bool is_text(const void *numbered, uint32_t id, const void *text)
{
	return !strcmp(((const struct numbered *)numbered)->texts[id], text);
}

/* Takes over @text. */
static uint32_t number_of(struct numbered *n, char *text)
{
	uint64_t hash = hash_string(text);
	uint32_t id = hash_table_find(&n->by_text, hash, is_text, n, text);

	if (id != HASH_NONE) {
		free(text);
		return id;
	}
	hash_table_add(&n->by_text, hash, (uint32_t)n->nr);
	xgrow(n->texts, n->nr, n->room);
	n->texts[n->nr] = text;
	return (uint32_t)n->nr++;
}

static void number_all(struct filer *f)
{
	const struct stack_snapshot *s = &f->h->stacks;

	f->images = xcalloc(s->nr_images + 1, sizeof(*f->images));
	f->contexts = xcalloc(s->nr_contexts + 1, sizeof(*f->contexts));
	f->events = xcalloc(s->nr_events + 1, sizeof(*f->events));
	for (uint32_t i = 0; i < s->nr_images; i++) {
		const struct stack_image *m = &s->images[i];

		f->images[i] = number_of(&f->names, xasprintf(
			"i %d %" PRIu32 " %" PRIx64 " %" PRIx64 " %s %s", m->name.kind,
			m->name.anon_tgid, m->name.anon_start, m->name.anon_end, m->build_id,
			m->name.path));
	}
	for (uint32_t i = 0; i < s->nr_contexts; i++) {
		const struct stack_context *c = &s->contexts[i];

		f->contexts[i] = number_of(&f->names, xasprintf(
			"c %" PRId64 " %" PRId64 " %" PRId64 " %s", c->tgid, c->tid, c->cpu,
			c->cgroup));
	}
	for (uint32_t i = 0; i < s->nr_events; i++)
		f->events[i] = number_of(&f->names, xasprintf(
			"e %" PRIu64 " %" PRIu64 " %s", s->events[i].count,
			s->events[i].unit_mask, s->events[i].name));
}

/* --- builds --- */

/* As stats/images of a session: the first build of each path. */
static void make_ids(struct filer *f)
{
	const struct stack_snapshot *s = &f->h->stacks;
	struct numbered paths = { NULL, 0, 0, { 0 } };
	struct strbuf text = STRBUF_INIT;
	size_t len;

	for (uint32_t i = 0; i < s->nr_images; i++) {
		const struct stack_image *m = &s->images[i];
		size_t before = paths.nr;

		if (m->name.kind != IMAGE_FILE || !*m->build_id || image_id_is_apart(m->build_id))
			continue;
		(void)number_of(&paths, xstrdup(m->name.path));
		if (paths.nr == before)
			continue;
		strbuf_addf(&text, "%s ", m->build_id);
		text_add_escaped(&text, m->name.path, true);
		strbuf_add_char(&text, '\n');
	}
	for (size_t i = 0; i < paths.nr; i++)
		free(paths.texts[i]);
	free(paths.texts);
	hash_table_free(&paths.by_text);
	if (f->session->ids)
		image_ids_free(f->session->ids);
	f->session->ids = NULL;
	len = text.len;
	(void)image_ids_parse(strbuf_steal(&text), len, "history", &f->session->ids, NULL);
}

/* The build that the image's samples lie apart for, or "". */
static const char *apart_build(const struct filer *f, const struct stack_image *m)
{
	const char *first;

	if (m->name.kind != IMAGE_FILE || !*m->build_id)
		return "";
	first = f->session->ids ? image_ids_find(f->session->ids, m->name.path) : NULL;
	return first && !strcmp(first, m->build_id) ? "" : m->build_id;
}

/* --- files --- */

/* The application that samples in @image are filed under, as an image; STACK_NONE: the program. */
static uint32_t app_of(const struct filer *f, const struct stack_context *c, uint32_t image)
{
	const struct session_info *info = &f->session->info;
	const struct stack_image *m = &f->h->stacks.images[image];
	bool is_kernel = m->name.kind == IMAGE_KERNEL ||
			 (*info->vmlinux && !strcmp(m->name.path, info->vmlinux));
	bool by_app = strstr(info->separate, "kernel") ||
		      (strstr(info->separate, "lib") && !is_kernel);

	if (m->name.kind == IMAGE_ANON)
		return STACK_NONE;
	return by_app && c->app != STACK_NONE ? c->app : image;
}

static struct sample_header header_of(const struct filer *f, const struct sample_name *name)
{
	const struct session_info *info = &f->session->info;
	const struct cpu_type *type = cpu_type_by_name(info->cpu_type);
	int number = type ? cpu_type_header_number(type, SAMPLE_VERSION_1X) : -1;
	struct sample_header header = sample_file_header(name);

	if (number < 0)
		number = cpu_type_header_number(cpu_type_by_name("timer"), SAMPLE_VERSION_1X);
	header.version = SAMPLE_VERSION_1X;
	header.cpu_type = (uint32_t)number;
	header.cpu_mhz = (double)info->clock_khz / 1000;
	return header;
}

static struct stack_arc_file *new_file(struct filer *f, const struct stack_count *count,
				       uint32_t app, uint32_t image)
{
	struct session_history *h = f->h;
	const struct stack_snapshot *s = &h->stacks;
	const struct stack_context *c = &s->contexts[count->context];
	const struct stack_event *event = &s->events[count->event];
	struct stack_arc_file *file;

	xgrow(h->files, h->nr_files, h->files_room);
	file = &h->files[h->nr_files++];
	*file = (struct stack_arc_file){
		.name = {
			.image = s->images[image].name,
			.event = event->name, .count = event->count,
			.unit_mask = event->unit_mask,
			.tgid = c->tgid, .tid = c->tid, .cpu = c->cpu,
		},
		.build_id = apart_build(f, &s->images[image]),
		.cgroup = c->cgroup,
	};
	if (app == STACK_NONE)
		file->name.app = (struct image_name){ .kind = IMAGE_FILE,
						      .path = s->images[image].build_id };
	else
		file->name.app = s->images[app].name;
	file->header = header_of(f, &file->name);
	return file;
}

static bool is_key(const void *keys, uint32_t id, const void *key)
{
	return !memcmp(&((const struct file_key *)keys)[id], key, sizeof(struct file_key));
}

static struct stack_arc_file *file_of(struct filer *f, const struct stack_count *count,
				      uint32_t app, uint32_t image)
{
	const struct file_key key = { app == STACK_NONE ? STACK_NONE : f->images[app],
				      f->images[image], f->contexts[count->context],
				      f->events[count->event] };
	uint64_t hash = hash_mix(hash_mix(key.app, key.image), hash_mix(key.context, key.event));
	uint32_t id = hash_table_find(&f->by_key, hash, is_key, f->keys, &key);

	if (id != HASH_NONE)
		return &f->h->files[id];
	id = (uint32_t)f->h->nr_files;
	xgrow(f->keys, id, f->keys_room);
	f->keys[id] = key;
	hash_table_add(&f->by_key, hash, id);
	return new_file(f, count, app, image);
}

static void file_all(struct filer *f)
{
	const struct stack_snapshot *s = &f->h->stacks;

	for (uint32_t i = 0; i < s->nr_counts; i++) {
		const struct stack_count *count = &s->counts[i];
		const struct stack_frame *leaf = &s->frames[s->nodes[count->node].frame];
		const struct stack_image *m = &s->images[leaf->image];
		struct stack_arc_file *file;

		/* not of our daemon: samples of memory have a mapping and a program */
		if (m->name.kind == IMAGE_ANON && (!m->name.anon_end || *m->build_id != '/'))
			continue;
		file = file_of(f, count, app_of(f, &s->contexts[count->context], leaf->image),
			       leaf->image);
		xgrow(file->arcs, file->nr, file->room);
		file->arcs[file->nr++] = (struct stack_arc){ leaf->offset, count->count };
	}
}

void session_history_make_files(struct session_history *h, struct report_session *session)
{
	struct filer f = { .h = h, .session = session };

	number_all(&f);
	make_ids(&f);
	file_all(&f);
	for (size_t i = 0; i < h->nr_files; i++)
		stack_arc_file_sort(&h->files[i]);
	for (size_t i = 0; i < f.names.nr; i++)
		free(f.names.texts[i]);
	free(f.names.texts);
	hash_table_free(&f.names.by_text);
	hash_table_free(&f.by_key);
	free(f.images);
	free(f.contexts);
	free(f.events);
	free(f.keys);
}
