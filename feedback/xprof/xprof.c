/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xprof.c - profile feedback in memory: arrays that grow, and what is looked up in them */
#include "feedback/xprof/xprof.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "libutil/hash.h"
#include "libutil/say.h"
#include "libutil/xalloc.h"

const char *const xprof_type_names[NR_XPROF_TYPES] = { "feedback", "objfd", "tcovd", "tcovsd" };
const char *const xprof_value_names[NR_XPROF_VALUE_TYPES] = {
	"VP_INT", "VP_LLONG", "VP_FLOAT", "VP_DOUBLE", "VP_PROC"
};

#define CHECK_SIZE(name, element, wide, narrow)                                                \
	_Static_assert(sizeof(element) == (wide) * 8 + (narrow) * 4 || sizeof(element) == 1,   \
		       "no padding in " #name);
XPROF_ARRAYS(CHECK_SIZE)

/* Strings by their text: slots hold offsets, 0 is an empty one. */
struct xprof_strings {
	uint32_t *slots;
	size_t nr, mask;
};

struct xprof *xprof_new(enum xprof_type type)
{
	struct xprof *x = xcalloc(1, sizeof(*x));

	x->type = type;
	x->made = xcalloc(1, sizeof(*x->made));
	x->made->mask = 63;
	x->made->slots = xcalloc(x->made->mask + 1, sizeof(*x->made->slots));
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
	if (x->made)
		free(x->made->slots);
	free(x->made);
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

static bool is_text(const char *text, const char *bytes, size_t len)
{
	return !strncmp(text, bytes, len) && !text[len];
}

static void grow_strings(struct xprof *x)
{
	struct xprof_strings *s = x->made;
	size_t mask = s->mask * 2 + 1;
	uint32_t *slots = xcalloc(mask + 1, sizeof(*slots));

	for (size_t i = 0; i <= s->mask; i++) {
		size_t at;

		if (!s->slots[i])
			continue;
		at = hash_string(x->strings + s->slots[i]) & mask;
		while (slots[at])
			at = (at + 1) & mask;
		slots[at] = s->slots[i];
	}
	free(s->slots);
	s->slots = slots;
	s->mask = mask;
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

uint32_t xprof_string_n(struct xprof *x, const char *text, size_t len)
{
	struct xprof_strings *s = x->made;
	size_t at;

	if (!len)
		return 0;
	if (s->nr >= s->mask / 2)
		grow_strings(x);
	for (at = hash_bytes(text, len) & s->mask; s->slots[at]; at = (at + 1) & s->mask) {
		const char *other = x->strings + s->slots[at];

		if (is_text(other, text, len))
			return s->slots[at];
	}
	s->slots[at] = append_string(x, text, len);
	s->nr++;
	return s->slots[at];
}

uint32_t xprof_string(struct xprof *x, const char *text)
{
	return xprof_string_n(x, text, strlen(text));
}

uint64_t xprof_counter(const struct xprof *x, const struct xprof_proc *p, uint32_t id)
{
	return id && x->type != XPROF_OBJFD ? x->counters[p->first_counter + id - 1] : 0;
}

/* --- an index of objects and procedures --- */

static size_t mask_for(uint32_t nr)
{
	size_t mask = 15;

	while (mask < (size_t)nr * 2)
		mask = mask * 2 + 1;
	return mask;
}

static size_t find_object(const struct xprof_index *index, const char *path, size_t len)
{
	const struct xprof *x = index->x;
	size_t at = hash_bytes(path, len) & index->object_mask;

	while (index->objects[at] &&
	       !is_text(xprof_text(x, x->objects[index->objects[at] - 1].path), path, len))
		at = (at + 1) & index->object_mask;
	return at;
}

static size_t find_proc(const struct xprof_index *index, uint32_t object, uint32_t name)
{
	size_t at = hash_mix(object, name) & index->proc_mask;
	uint32_t i;

	while ((i = index->procs[at]) &&
	       (index->owners[i - 1] != object || index->x->procs[i - 1].name != name))
		at = (at + 1) & index->proc_mask;
	return at;
}

static void index_object(struct xprof_index *index, uint32_t object)
{
	const struct xprof_object *o = &index->x->objects[object];
	const char *path = xprof_text(index->x, o->path);
	size_t at = find_object(index, path, strlen(path));

	if (!index->objects[at])
		index->objects[at] = object + 1;
	for (uint32_t i = o->first_proc; i < o->first_proc + o->nr_procs; i++) {
		index->owners[i] = object;
		at = find_proc(index, object, index->x->procs[i].name);
		if (!index->procs[at])
			index->procs[at] = i + 1;
	}
}

void xprof_index_make(const struct xprof *x, struct xprof_index *ret)
{
	*ret = (struct xprof_index){
		.x = x, .object_mask = mask_for(x->nr_objects), .proc_mask = mask_for(x->nr_procs),
	};
	ret->objects = xcalloc(ret->object_mask + 1, sizeof(*ret->objects));
	ret->procs = xcalloc(ret->proc_mask + 1, sizeof(*ret->procs));
	ret->owners = xcalloc(x->nr_procs + 1, sizeof(*ret->owners));
	for (uint32_t i = 0; i < x->nr_objects; i++)
		index_object(ret, i);
}

void xprof_index_free(struct xprof_index *index)
{
	free(index->objects);
	free(index->procs);
	free(index->owners);
	*index = (struct xprof_index){ 0 };
}

uint32_t xprof_index_path(const struct xprof_index *index, const char *path, size_t len)
{
	return index->objects[find_object(index, path, len)] - 1;
}

uint32_t xprof_index_object(const struct xprof_index *index, uint32_t path)
{
	const char *text = xprof_text(index->x, path);

	return xprof_index_path(index, text, strlen(text));
}

uint32_t xprof_index_proc(const struct xprof_index *index, uint32_t path, uint32_t name)
{
	uint32_t object = xprof_index_object(index, path);

	return object == UINT32_MAX ? object : index->procs[find_proc(index, object, name)] - 1;
}
