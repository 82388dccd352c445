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

#define MISSING_MAX	10	/* readings until a store that is gone was the last one */
#define POSITIONS_MAX	((64u << 20) / 8)	/* of all stores: 64 MiB */

/* A store, and of its labels the positions, ascending, and indices in the array of their kind. */
struct top_store {
	struct stack_tail tail;
	struct top_label {
		uint32_t pos, index;
	} *list;
	size_t nr, room;
	size_t first_count;		/* in the source's array */
};

struct top_rooms {
	size_t images, events, contexts;
	struct hash_table by_image;
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
	GROW(s->labels.images, s->labels.nr_images, s->rooms->images);
	((struct stack_image *)s->labels.images)[s->labels.nr_images] = copy;
	return s->labels.nr_images++;
}

static uint32_t add_event(struct top_source *s, const struct stack_event *event)
{
	struct stack_event copy = *event;

	copy.name = xstrdup(event->name);
	GROW(s->labels.events, s->labels.nr_events, s->rooms->events);
	((struct stack_event *)s->labels.events)[s->labels.nr_events] = copy;
	return s->labels.nr_events++;
}

static uint32_t add_context(struct top_source *s, const struct stack_context *context)
{
	struct stack_context copy = *context;

	copy.cgroup = xstrdup(context->cgroup);
	copy.comm = copy.labels = "";
	GROW(s->labels.contexts, s->labels.nr_contexts, s->rooms->contexts);
	((struct stack_context *)s->labels.contexts)[s->labels.nr_contexts] = copy;
	return s->labels.nr_contexts++;
}

static bool is_image(const void *images, uint32_t i, const void *image)
{
	const struct stack_image *a = (const struct stack_image *)images + i, *b = image;

	return a->name.kind == b->name.kind && a->name.anon_tgid == b->name.anon_tgid &&
	       a->name.anon_start == b->name.anon_start && a->name.anon_end == b->name.anon_end &&
	       !strcmp(a->name.path, b->name.path) && !strcmp(a->build_id, b->build_id);
}

/*
 * The index of @image, which is added if it is new: also one that an earlier store had. Whoever
 * maps code at ever new addresses makes very many.
 */
static uint32_t index_of_image(struct top_source *s, const struct stack_image *image)
{
	uint64_t hash = hash_mix(hash_mix(hash_string(image->name.path), image->name.anon_start),
				 image->name.anon_tgid);
	uint32_t i = hash_table_find(&s->rooms->by_image, hash, is_image, s->labels.images, image);

	if (i == HASH_NONE) {
		i = add_image(s, image);
		hash_table_add(&s->rooms->by_image, hash, i);
	}
	return i;
}

static uint32_t index_of_event(struct top_source *s, const struct stack_event *event)
{
	for (uint32_t i = 0; i < s->labels.nr_events; i++)
		if (!strcmp(s->labels.events[i].name, event->name) &&
		    s->labels.events[i].count == event->count &&
		    s->labels.events[i].unit_mask == event->unit_mask)
			return i;
	return add_event(s, event);
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

/* --- stack stores --- */

static struct top_store *last_store(const struct top_source *s)
{
	return &s->stores[s->nr_stores - 1];
}

/* The index of the label at @pos, which the tail has checked. */
static uint32_t index_at(const struct top_store *s, uint32_t pos)
{
	return s->list[first_not(s->nr, i, s->list[i].pos < pos)].index;
}

static void take_label(void *context, uint32_t pos)
{
	struct top_source *s = context;
	struct top_store *store = last_store(s);
	const struct stack_record *r = &store->tail.log.records[pos];
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

		label.index = index_of_image(s, &image);
	} else if (r->second == STACK_EVENT) {
		const struct stack_event_fields *f = fields;

		label.index = index_of_event(s, &(struct stack_event){ strings[0], f->count,
								       f->unit_mask });
	} else {
		const struct stack_context_fields *f = fields;

		label.index = add_context(s, &(struct stack_context){
			f->app ? index_at(store, f->app) : STACK_NONE, f->tgid, f->tid, f->cpu,
			strings[0], "", "" });
	}
	xgrow(store->list, store->nr, store->room);
	store->list[store->nr++] = label;
}

static void add_count(struct top_source *s, const struct top_count *c)
{
	xgrow(s->counts, s->nr_counts, s->room);
	s->counts[s->nr_counts++] = *c;
}

static void add_stack(struct top_source *s, const struct stack_tail_count *c)
{
	const struct top_store *store = last_store(s);
	const struct stack_record *series = &store->tail.log.records[c->series];
	unsigned int end;
	bool is_root = !stack_tail_caller(&store->tail, c->node, &end);
	struct stack_frame frame = { 0, 0 };

	if (!is_root)
		frame = stack_tail_frame(&store->tail, c->node);
	add_count(s, &(struct top_count){
		.node = is_root ? 0 : c->node,
		.image = is_root ? STACK_NONE : index_at(store, frame.image),
		.context = index_at(store, stack_argument(series)),
		.event = index_at(store, series->second),
		.offset = frame.offset,
	});
}

static int read_store(struct top_source *s, struct op_error *e)
{
	struct top_store *store = last_store(s);
	int err = stack_tail_read(&store->tail, take_label, s, e);

	if (err)
		return err;
	while (s->nr_counts < store->first_count + store->tail.nr_counts)
		add_stack(s, &store->tail.counts[s->nr_counts - store->first_count]);
	for (size_t i = store->first_count; i < s->nr_counts; i++)
		s->counts[i].samples = store->tail.counts[i - store->first_count].samples;
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
	struct top_store store = { .first_count = s->nr_counts };

	if (!path || stack_tail_open(path, &store.tail, NULL)) {
		free(path);
		return false;
	}
	xgrow(s->stores, s->nr_stores, s->stores_room);
	s->stores[s->nr_stores++] = store;
	free(s->store);
	s->store = path;
	return s->has_stacks = true;
}

/*
 * If the daemon fills the store of another hour by now: read the rest of the last one, which is
 * open even if it is removed, and go on with the new one. -ESTALE: it is time to begin anew.
 */
static int follow_history(struct top_source *s, struct op_error *e)
{
	char *path = history_store(s->session_dir);
	uint64_t positions = 0;
	int err = 0;

	s->nr_missing = path ? 0 : s->nr_missing + 1;
	if (path && strcmp(path, s->store) != 0) {
		for (size_t i = 0; i < s->nr_stores; i++)
			positions += s->stores[i].tail.log.have;
		err = read_store(s, e);
		if (err == -ENODATA)	/* it was replaced before it had any */
			err = 0;
		if (!err && (positions > POSITIONS_MAX || !open_store(s, path)))
			err = -ESTALE;
		path = NULL;
	}
	free(path);
	return s->nr_missing > MISSING_MAX ? -ESTALE : err;
}

/* --- sample files --- */

static uint32_t image_of(struct top_source *s, const struct image_name *name,
			 const struct report_image *image)
{
	return index_of_image(s, &(struct stack_image){ *name, image->build_id ? image->build_id
										: "" });
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
		.context = context_of(s, file), .event = index_of_event(s, &(struct stack_event){
			file->name.event, file->name.count, file->name.unit_mask }),
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

static bool is_file(const char *path, const struct stat *as)
{
	struct stat st;

	return !stat(path, &st) && st.st_dev == as->st_dev && st.st_ino == as->st_ino;
}

/* Was the session, or its store, replaced by another one? */
static bool is_replaced(const struct top_source *s)
{
	char *folder = session_samples_path(s->session_dir, SESSION_CURRENT);
	bool is_other = !is_file(folder, &s->folder);
	struct stat store;

	free(folder);
	if (!s->has_stacks || s->is_history)
		return is_other;
	return is_other || fstat(last_store(s)->tail.fd, &store) || !is_file(s->store, &store);
}

int top_source_read(struct top_source *s, struct op_error *e)
{
	if (is_replaced(s))
		return op_error_set(e, -ESTALE, "the session was replaced");
	if (s->is_history) {
		int err = follow_history(s, e);

		if (err)
			return err;
	}
	if (s->has_stacks)
		return read_store(s, e);
	read_files(s);
	return 0;
}

size_t top_source_frames(const struct top_source *s, const struct top_count *c,
			 struct stack_frame *ret, unsigned int *ret_end)
{
	const struct top_store *store = s->has_stacks ? last_store(s) : NULL;
	uint32_t node = c->node;
	size_t nr = 0;

	while (store && (size_t)(c - s->counts) < store->first_count)
		store--;
	*ret_end = STACK_COMPLETE;
	if (!node) {
		ret[nr++] = (struct stack_frame){ c->image, c->offset };
		return c->image == STACK_NONE ? 0 : nr;
	}
	while (nr < TOP_FRAMES_MAX) {
		uint32_t caller = stack_tail_caller(&store->tail, node, ret_end);

		if (!caller)
			break;
		ret[nr] = stack_tail_frame(&store->tail, node);
		ret[nr].image = index_at(store, ret[nr].image);
		nr++;
		node = caller;
	}
	return nr;
}

static bool open_folder(struct top_source *s)
{
	char *folder = session_samples_path(s->session_dir, SESSION_CURRENT);
	bool exists = !stat(folder, &s->folder);

	free(folder);
	return exists;
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

	*s = (struct top_source){ .session_dir = xstrdup(place->session_dir) };
	s->rooms = xcalloc(1, sizeof(*s->rooms));
	s->keys = xcalloc(1, sizeof(*s->keys));
	err = collect(&how, &s->collection, &ignored, e);
	notices_free(&ignored);
	if (!err && !open_folder(s))
		err = op_error_set(e, -ENOENT, "no samples");
	if (!err)
		s->is_history = open_store(s, history_store(place->session_dir));
	if (!err && !s->is_history)
		(void)open_store(s, session_stats_path(place->session_dir, SESSION_CURRENT,
						       STACK_STORE_FILE));
	if (err)
		top_source_close(s);
	return err;
}

void top_source_close(struct top_source *s)
{
	collection_free(&s->collection);
	for (size_t i = 0; i < s->nr_stores; i++) {
		stack_tail_close(&s->stores[i].tail);
		free(s->stores[i].list);
	}
	free(s->stores);
	free_labels(s);
	if (s->keys)
		hash_table_free(&s->keys->table);
	if (s->keys)
		free(s->keys->list);
	if (s->rooms)
		hash_table_free(&s->rooms->by_image);
	free(s->keys);
	free(s->rooms);
	free(s->counts);
	free(s->store);
	free(s->session_dir);
	*s = (struct top_source){ .nr_counts = 0 };
}
