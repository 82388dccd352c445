// SPDX-License-Identifier: GPL-2.0-or-later
/* source.c - counts of a stack store that grows, or of sample files */
#include "live/top/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdb/history/folder.h"
#include "libdb/session/session.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/sorted.h"
#include "libutil/table.h"
#include "libutil/xalloc.h"
#include "pp/select/samples.h"

#define FILES_LOOK	10	/* readings from one look for new sample files to the next */

/* Of the labels of the store: their positions, ascending, and indices in the array of their kind */
struct top_labels {
	struct top_label {
		uint32_t pos, index;
	} *list;
	size_t nr, room;
	size_t images_room, events_room, contexts_room;
};

/* Which key of which sample file a count is. */
struct top_keys {
	struct top_key {
		uint64_t file, key;	/* file: hash of its path */
	} *list;
	size_t nr, room;
	struct hash_table table;
};

/* --- labels --- */

/* The arrays of a snapshot are read-only to all but those who make it. */
#define GROW(array, nr, room)                                                                  \
	do {                                                                                   \
		void *grown = (void *)(array);                                                 \
		if ((nr) == (room)) {                                                          \
			(room) = (room) + (room) / 2 + 16;                                     \
			grown = xrealloc_array(grown, (room), sizeof(*(array)));               \
		}                                                                              \
		(array) = grown;                                                               \
	} while (0)

static uint32_t add_image(struct top_source *s, const struct stack_image *image)
{
	struct stack_image copy = *image;

	copy.name.path = xstrdup(image->name.path);
	copy.build_id = xstrdup(image->build_id);
	GROW(s->labels.images, s->labels.nr_images, s->positions->images_room);
	((struct stack_image *)s->labels.images)[s->labels.nr_images] = copy;
	return s->labels.nr_images++;
}

static uint32_t add_event(struct top_source *s, const struct stack_event *event)
{
	struct stack_event copy = *event;

	copy.name = xstrdup(event->name);
	GROW(s->labels.events, s->labels.nr_events, s->positions->events_room);
	((struct stack_event *)s->labels.events)[s->labels.nr_events] = copy;
	return s->labels.nr_events++;
}

static uint32_t add_context(struct top_source *s, const struct stack_context *context)
{
	struct stack_context copy = *context;

	copy.cgroup = xstrdup(context->cgroup);
	copy.comm = copy.labels = "";
	GROW(s->labels.contexts, s->labels.nr_contexts, s->positions->contexts_room);
	((struct stack_context *)s->labels.contexts)[s->labels.nr_contexts] = copy;
	return s->labels.nr_contexts++;
}

static void free_labels(struct top_source *s)
{
	struct stack_snapshot *l = &s->labels;

	for (uint32_t i = 0; i < l->nr_images; i++) {
		free((char *)l->images[i].name.path);
		free((char *)l->images[i].build_id);
	}
	for (uint32_t i = 0; i < l->nr_events; i++)
		free((char *)l->events[i].name);
	for (uint32_t i = 0; i < l->nr_contexts; i++)
		free((char *)l->contexts[i].cgroup);
	free((void *)l->images);
	free((void *)l->events);
	free((void *)l->contexts);
}

/* --- a stack store --- */

/* The index of the label at @pos, which the tail has checked. */
static uint32_t index_at(const struct top_source *s, uint32_t pos)
{
	size_t low = first_not(s->positions->nr, i, s->positions->list[i].pos < pos);

	return s->positions->list[low].index;
}

static void take_label(void *context, uint32_t pos)
{
	struct top_source *s = context;
	const struct stack_record *r = &s->tail.log.records[pos];
	const void *fields = r + 1;
	const char *strings[STACK_LABEL_STRINGS] = { "", "", "" };
	struct top_label label = { .pos = pos };

	stack_label_strings(r, strings);
	if (r->second == STACK_IMAGE) {
		const struct stack_image_fields *f = fields;
		const struct stack_image image = {
			{ .kind = f->kind, .path = strings[0], .anon_tgid = f->tgid,
			  .anon_start = f->start, .anon_end = f->end }, strings[1],
		};

		label.index = add_image(s, &image);
	} else if (r->second == STACK_EVENT) {
		const struct stack_event_fields *f = fields;

		label.index = add_event(s, &(struct stack_event){ strings[0], f->count,
								  f->unit_mask });
	} else {
		const struct stack_context_fields *f = fields;

		label.index = add_context(s, &(struct stack_context){
			f->app ? index_at(s, f->app) : STACK_NONE, f->tgid, f->tid, f->cpu,
			strings[0], "", "" });
	}
	xgrow(s->positions->list, s->positions->nr, s->positions->room);
	s->positions->list[s->positions->nr++] = label;
}

static void add_count(struct top_source *s, const struct top_count *c)
{
	xgrow(s->counts, s->nr_counts, s->room);
	s->counts[s->nr_counts++] = *c;
}

static void add_stack(struct top_source *s, const struct stack_tail_count *c)
{
	const struct stack_record *series = &s->tail.log.records[c->series];
	unsigned int end;
	bool is_root = !stack_tail_caller(&s->tail, c->node, &end);
	struct stack_frame frame = { 0, 0 };

	if (!is_root)
		frame = stack_tail_frame(&s->tail, c->node);
	add_count(s, &(struct top_count){
		.node = is_root ? 0 : c->node,
		.image = is_root ? STACK_NONE : index_at(s, frame.image),
		.context = index_at(s, stack_argument(series)),
		.event = index_at(s, series->second),
		.offset = frame.offset,
	});
}

static int read_store(struct top_source *s, struct op_error *e)
{
	int err = stack_tail_read(&s->tail, take_label, s, e);

	if (err)
		return err;
	while (s->nr_counts < s->tail.nr_counts)
		add_stack(s, &s->tail.counts[s->nr_counts]);
	for (size_t i = 0; i < s->nr_counts; i++)
		s->counts[i].samples = s->tail.counts[i].samples;
	return 0;
}

/* The store of the segment that the daemon is filling, or NULL. */
static char *history_store(const char *session_dir)
{
	char *history = path_join(session_dir, HISTORY_DIR), *path = NULL;
	struct history_folders folders = { NULL, 0, 0 };

	if (!history_folders_read(history, &folders) && folders.nr)
		path = path_join(folders.list[folders.nr - 1].path, HISTORY_STORE);
	history_folders_free(&folders);
	free(history);
	if (path && !file_exists(path)) {
		free(path);
		path = NULL;
	}
	return path;
}

static bool open_store(struct top_source *s, char *path)
{
	struct stat st;

	if (!path || stack_tail_open(path, &s->tail, NULL)) {
		free(path);
		return false;
	}
	fstat(s->tail.fd, &st);
	s->device = st.st_dev;
	s->inode = st.st_ino;
	s->store = path;
	return s->has_stacks = true;
}

/* --- sample files --- */

static uint32_t image_of(struct top_source *s, const struct image_name *name,
			 const struct report_image *image)
{
	for (uint32_t i = 0; i < s->labels.nr_images; i++) {
		const struct image_name *known = &s->labels.images[i].name;

		if (known->kind == name->kind && known->anon_tgid == name->anon_tgid &&
		    known->anon_start == name->anon_start && !strcmp(known->path, name->path))
			return i;
	}
	return add_image(s, &(struct stack_image){ *name, image->build_id ? image->build_id : "" });
}

static uint32_t context_of(struct top_source *s, const struct sample_file *f)
{
	const struct stack_context c = {
		image_of(s, &f->name.app, f->app), f->name.tgid, f->name.tid, f->name.cpu,
		f->cgroup, "", "",
	};

	for (uint32_t i = 0; i < s->labels.nr_contexts; i++) {
		const struct stack_context *known = &s->labels.contexts[i];

		if (known->app == c.app && known->tgid == c.tgid && known->tid == c.tid &&
		    known->cpu == c.cpu && !strcmp(known->cgroup, c.cgroup))
			return i;
	}
	return add_context(s, &c);
}

static uint32_t event_of(struct top_source *s, const struct sample_file *f)
{
	for (uint32_t i = 0; i < s->labels.nr_events; i++)
		if (!strcmp(s->labels.events[i].name, f->name.event) &&
		    s->labels.events[i].count == f->name.count &&
		    s->labels.events[i].unit_mask == f->name.unit_mask)
			return i;
	return add_event(s, &(struct stack_event){ f->name.event, f->name.count,
						   f->name.unit_mask });
}

static bool is_key(const void *keys, uint32_t i, const void *key)
{
	const struct top_key *a = (const struct top_key *)keys + i, *b = key;

	return a->file == b->file && a->key == b->key;
}

/* The index of the count of @key, which is new if @c was added for it. */
static uint32_t count_of(struct top_source *s, const struct top_key *key, const struct top_count *c)
{
	const uint64_t hash = hash_mix(key->file, key->key);
	struct top_keys *k = s->keys;
	uint32_t i = hash_table_find(&k->table, hash, is_key, k->list, key);

	if (i != HASH_NONE)
		return i;
	xgrow(k->list, k->nr, k->room);
	k->list[k->nr++] = *key;
	hash_table_add(&k->table, hash, (uint32_t)s->nr_counts);
	add_count(s, c);
	return (uint32_t)s->nr_counts - 1;
}

static void read_file(struct top_source *s, const struct sample_file *file)
{
	struct top_count c = {
		.image = image_of(s, &file->name.image, file->image),
		.context = context_of(s, file), .event = event_of(s, file),
	};
	struct top_key key = { .file = hash_string(file->path) };
	struct notices ignored = { 0 };
	struct sample_header header;
	struct sample_key *keys;
	size_t nr;

	if (!samples_read_keys(file, &header, &keys, &nr, &ignored)) {
		for (size_t i = 0; i < nr; i++) {
			uint32_t count;

			key.key = c.offset = keys[i].key;
			count = count_of(s, &key, &c);
			s->counts[count].samples += keys[i].raw;
		}
		free(keys);
	}
	notices_free(&ignored);
}

/* Files that were written since. Images stay the same: reports of names refer to them. */
static void look_for_files(struct top_source *s)
{
	static const struct profile_spec all;
	struct file_list files = { .want_arcs = false };
	struct notices ignored = { 0 };

	if (file_list_collect(&s->collection.sessions, &all, NULL, &s->collection.images, &files,
			      &ignored, NULL)) {
		file_list_free(&files);
	} else {
		file_list_free(&s->collection.files);
		s->collection.files = files;
	}
	notices_free(&ignored);
}

static void read_files(struct top_source *s)
{
	if (s->nr_reads++ % FILES_LOOK == FILES_LOOK - 1)
		look_for_files(s);
	for (size_t i = 0; i < s->nr_counts; i++)
		s->counts[i].samples = 0;
	for (size_t i = 0; i < s->collection.files.nr; i++)
		if (!sample_event_is_derived(s->collection.files.files[i].name.event))
			read_file(s, &s->collection.files.files[i]);
}

/* --- */

/* Was the store, or the folder of the session, replaced by another one? */
static bool is_replaced(const struct top_source *s)
{
	char *history = s->has_stacks ? history_store(s->session_dir) : NULL;
	bool is_other = history && strcmp(history, s->store) != 0;
	struct stat st;

	free(history);
	return is_other || stat(s->store, &st) || st.st_dev != s->device ||
	       st.st_ino != s->inode;
}

int top_source_read(struct top_source *s, struct op_error *e)
{
	if (is_replaced(s))
		return op_error_set(e, -ESTALE, "the session was replaced");
	if (s->has_stacks)
		return read_store(s, e);
	read_files(s);
	return 0;
}

size_t top_source_frames(const struct top_source *s, const struct top_count *c,
			 struct stack_frame *ret, unsigned int *ret_end)
{
	uint32_t node = c->node;
	size_t nr = 0;

	*ret_end = STACK_COMPLETE;
	if (!node) {
		ret[nr++] = (struct stack_frame){ c->image, c->offset };
		return c->image == STACK_NONE ? 0 : nr;
	}
	while (nr < TOP_FRAMES_MAX) {
		uint32_t caller = stack_tail_caller(&s->tail, node, ret_end);

		if (!caller)
			break;
		ret[nr] = stack_tail_frame(&s->tail, node);
		ret[nr].image = index_at(s, ret[nr].image);
		nr++;
		node = caller;
	}
	return nr;
}

static bool open_folder(struct top_source *s)
{
	struct stat st;

	s->store = session_samples_path(s->session_dir, SESSION_CURRENT);
	if (stat(s->store, &st))
		return false;
	s->device = st.st_dev;
	s->inode = st.st_ino;
	return true;
}

int top_source_open(const struct top_place *place, struct top_source *ret, struct op_error *e)
{
	static const struct profile_spec all;
	const struct merge nothing = { 0 };
	const struct collect_options how = {
		.session_dir = place->session_dir, .spec = &all, .merge = &nothing,
		.image_path = place->image_path, .root = place->root, .files_only = true,
	};
	struct top_source *s = ret;
	struct notices ignored = { 0 };
	int err;

	*s = (struct top_source){ .session_dir = xstrdup(place->session_dir), .tail.fd = -1 };
	s->positions = xcalloc(1, sizeof(*s->positions));
	s->keys = xcalloc(1, sizeof(*s->keys));
	err = collect(&how, &s->collection, &ignored, e);
	notices_free(&ignored);
	if (!err && !open_store(s, history_store(place->session_dir)) &&
	    !open_store(s, session_stats_path(place->session_dir, SESSION_CURRENT,
					      STACK_STORE_FILE)) &&
	    !open_folder(s))
		err = op_error_set(e, -ENOENT, "no samples");
	if (err)
		top_source_close(s);
	return err;
}

void top_source_close(struct top_source *s)
{
	collection_free(&s->collection);
	stack_tail_close(&s->tail);
	free_labels(s);
	if (s->keys)
		hash_table_free(&s->keys->table);
	if (s->keys)
		free(s->keys->list);
	if (s->positions)
		free(s->positions->list);
	free(s->keys);
	free(s->positions);
	free(s->counts);
	free(s->store);
	free(s->session_dir);
	*s = (struct top_source){ .tail.fd = -1 };
}
