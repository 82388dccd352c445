/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xprof.c - profile feedback in memory: growing arrays, and an index of them */
#include "feedback/xprof/xprof.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "libutil/hash.h"
#include "libutil/message.h"
#include "libutil/table.h"
#include "libutil/xalloc.h"

/* Examined in a NAME:PATH: a line of colons must not take quadratic time. */
#define COLONS_MAX	256

const char *const xprof_type_names[NR_XPROF_TYPES] = { "feedback", "objfd", "tcovd", "tcovsd" };
const char *const xprof_value_names[NR_XPROF_VALUE_TYPES] = {
	"VP_INT", "VP_LLONG", "VP_FLOAT", "VP_DOUBLE", "VP_PROC"
};

#define CHECK_SIZE(name, element, wide, narrow)                                                \
	_Static_assert(sizeof(element) == (wide) * 8 + (narrow) * 4 || sizeof(element) == 1,   \
		       "no padding in " #name);
XPROF_ARRAYS(CHECK_SIZE)

struct xprof *xprof_new(enum xprof_type type)
{
	struct xprof *x = xcalloc(1, sizeof(*x));

	x->type = type;
	x->interned = xcalloc(1, sizeof(*x->interned));
	*xprof_add_strings(x) = '\0';
	return x;
}

void xprof_free(struct xprof *x)
{
	if (!x)
		return;
	if (x->map) {
		munmap(x->map, x->map_size);
	} else {
#define FREE_ARRAY(name, element, wide, narrow)	free(x->name);
		XPROF_ARRAYS(FREE_ARRAY)
	}
	if (x->interned)
		hash_table_free(x->interned);
	free(x->interned);
	free(x);
}

#define ADD_TO_ARRAY(name, element, wide, narrow)                                              \
	element *xprof_add_##name(struct xprof *x)                                             \
	{                                                                                      \
		if (x->nr_##name == UINT32_MAX - 1)                                            \
			bug("too many " #name);                                                \
		xgrow(x->name, x->nr_##name, x->room_##name);                                  \
		memset(&x->name[x->nr_##name], 0, sizeof(*x->name));                           \
		return &x->name[x->nr_##name++];                                               \
	}
XPROF_ARRAYS(ADD_TO_ARRAY)

struct xprof_object *xprof_begin_object(struct xprof *x)
{
	struct xprof_object *o = xprof_add_objects(x);

	o->first_proc = x->nr_procs;
	return o;
}

struct xprof_proc *xprof_begin_proc(struct xprof *x)
{
	struct xprof_proc *p = xprof_add_procs(x);

	p->first_counter = x->nr_counters;
	p->first_value = x->nr_values;
	p->first_block = x->nr_blocks;
	p->first_edge = x->nr_edges;
	p->first_tuple = x->nr_tuples;
	x->objects[x->nr_objects - 1].nr_procs++;
	return p;
}

struct xprof_program *xprof_begin_program(struct xprof *x)
{
	struct xprof_program *p = xprof_add_programs(x);

	p->first_ref = x->nr_refs;
	p->first_comdat = x->nr_comdats;
	return p;
}

struct xprof_source *xprof_begin_source(struct xprof *x)
{
	struct xprof_source *s = xprof_add_sources(x);

	s->first_line = x->nr_lines;
	return s;
}

struct xprof_line *xprof_begin_line(struct xprof *x)
{
	struct xprof_line *l = xprof_add_lines(x);

	l->first_block_ref = x->nr_block_refs;
	x->sources[x->nr_sources - 1].nr_lines++;
	return l;
}

struct bytes {
	const char *at;
	size_t len;
};

static bool is_text(const char *text, const struct bytes *bytes)
{
	return strlen(text) == bytes->len && !memcmp(text, bytes->at, bytes->len);
}

static bool is_string(const void *x, uint32_t string, const void *bytes)
{
	return is_text(xprof_text(x, string), bytes);
}

static uint32_t append_string(struct xprof *x, const char *text, size_t len)
{
	uint32_t at = x->nr_strings;

	if (len >= UINT32_MAX - 1 - at)
		bug("too many strings");
	if (x->room_strings - at < len + 1) {
		uint64_t room = (uint64_t)at + at / 2 + len + 1;

		x->room_strings = room < UINT32_MAX ? room : UINT32_MAX;
		x->strings = xrealloc_array(x->strings, x->room_strings, 1);
	}
	memcpy(x->strings + at, text, len);
	x->strings[at + len] = '\0';
	x->nr_strings += len + 1;
	return at;
}

uint32_t xprof_intern_n(struct xprof *x, const char *text, size_t len)
{
	const struct bytes bytes = { text, len };
	uint32_t string;
	uint64_t hash;

	if (!len)
		return 0;
	hash = hash_bytes(text, len);
	string = hash_table_find(x->interned, hash, is_string, x, &bytes);
	if (string == HASH_NONE) {
		string = append_string(x, text, len);
		hash_table_add(x->interned, hash, string);
	}
	return string;
}

uint32_t xprof_intern(struct xprof *x, const char *text)
{
	return xprof_intern_n(x, text, strlen(text));
}

uint64_t xprof_counter(const struct xprof *x, const struct xprof_proc *p, uint32_t id)
{
	return id && !p->is_declared ? x->counters[p->first_counter + id - 1] : 0;
}

size_t xprof_file_offset(const struct xprof *x, enum xprof_array array, uint32_t at)
{
	switch (array) {
#define OFFSET_OF(name, element, wide, narrow)	\
	case XPROF_ARRAY_##name: return (const char *)(x->name + at) - x->map;
	XPROF_ARRAYS(OFFSET_OF)
	default: return 0;
	}
}

/* --- an index of objects and procedures --- */

static bool has_path(const void *index, uint32_t object, const void *bytes)
{
	const struct xprof *x = ((const struct xprof_index *)index)->x;

	return is_text(xprof_text(x, x->objects[object].path), bytes);
}

struct proc_key {
	uint32_t object, name;
};

static bool is_proc(const void *context, uint32_t proc, const void *key)
{
	const struct xprof_index *index = context;
	const struct proc_key *wanted = key;

	return index->owners[proc] == wanted->object &&
	       index->x->procs[proc].name == wanted->name;
}

static uint32_t find_proc(const struct xprof_index *index, uint32_t object, uint32_t name)
{
	const struct proc_key key = { object, name };

	return hash_table_find(&index->procs, hash_mix(object, name), is_proc, index, &key);
}

static void index_object(struct xprof_index *index, uint32_t object)
{
	const struct xprof_object *o = &index->x->objects[object];

	if (xprof_index_object(index, o->path) == UINT32_MAX)
		hash_table_add(&index->objects, hash_string(xprof_text(index->x, o->path)), object);
	for (uint32_t i = o->first_proc; i < o->first_proc + o->nr_procs; i++) {
		uint32_t name = index->x->procs[i].name;

		index->owners[i] = object;
		if (find_proc(index, object, name) == UINT32_MAX)
			hash_table_add(&index->procs, hash_mix(object, name), i);
	}
}

void xprof_index_make(const struct xprof *x, struct xprof_index *ret)
{
	*ret = (struct xprof_index){ .x = x };
	ret->owners = xcalloc(x->nr_procs + 1, sizeof(*ret->owners));
	for (uint32_t i = 0; i < x->nr_objects; i++)
		index_object(ret, i);
}

void xprof_index_free(struct xprof_index *index)
{
	hash_table_free(&index->objects);
	hash_table_free(&index->procs);
	free(index->owners);
	*index = (struct xprof_index){ 0 };
}

uint32_t xprof_index_path(const struct xprof_index *index, const char *path, size_t len)
{
	const struct bytes bytes = { path, len };

	return hash_table_find(&index->objects, hash_bytes(path, len), has_path, index, &bytes);
}

uint32_t xprof_index_object(const struct xprof_index *index, uint32_t path)
{
	const char *text = xprof_text(index->x, path);

	return xprof_index_path(index, text, strlen(text));
}

uint32_t xprof_index_proc(const struct xprof_index *index, uint32_t path, uint32_t name)
{
	uint32_t object = xprof_index_object(index, path);

	return object == UINT32_MAX ? object : find_proc(index, object, name);
}

size_t xprof_index_split(const struct xprof_index *index, const char *text, size_t len)
{
	const char *end = text + len, *at = text, *slash = NULL, *last;

	for (int i = 0; i < COLONS_MAX && (at = memchr(at, ':', end - at)); i++, at++) {
		if (at > text && xprof_index_path(index, at + 1, end - at - 1) != UINT32_MAX)
			return at - text;
		if (!slash && at + 1 < end && at[1] == '/')
			slash = at;
	}
	if (slash)
		return slash - text;
	last = memrchr(text, ':', len);
	return last ? (size_t)(last - text) : len;
}
