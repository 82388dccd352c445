/* SPDX-License-Identifier: GPL-2.0-or-later */
/* copy.c - copy parts of one profile to another, and make profiles of a part of another */
#include "feedback/xprof/copy.h"

#include <string.h>

#include "feedback/xprof/add.h"
#include "libutil/xalloc.h"

struct xprof_object *xprof_copy_object(struct xprof *to, const struct xprof *from,
				       const struct xprof_object *o)
{
	uint32_t path = xprof_copy_string(to, from, o->path);
	struct xprof_object *copy = xprof_begin_object(to);
	uint32_t first_proc = copy->first_proc;

	*copy = *o;
	copy->path = path;
	copy->first_proc = first_proc;
	copy->nr_procs = 0;
	return copy;
}

static void copy_tuples(struct xprof *to, const struct xprof *from, const struct xprof_proc *p)
{
	for (uint32_t i = p->first_tuple; i < p->first_tuple + p->nr_tuples; i++) {
		uint32_t file = xprof_copy_string(to, from, from->tuples[i].file);
		struct xprof_tuple *t = xprof_add_tuples(to);

		*t = from->tuples[i];
		t->file = file;
	}
}

struct xprof_proc *xprof_copy_proc(struct xprof *to, const struct xprof *from,
				   const struct xprof_proc *p)
{
	uint32_t name = xprof_copy_string(to, from, p->name);
	struct xprof_proc *copy = xprof_begin_proc(to), firsts = *copy;

	*copy = *p;
	copy->name = name;
	copy->first_counter = firsts.first_counter;
	copy->first_value = firsts.first_value;
	copy->first_block = firsts.first_block;
	copy->first_edge = firsts.first_edge;
	copy->first_tuple = firsts.first_tuple;
	for (uint32_t i = 1; !p->is_declared && i <= p->nr_counters; i++)
		*xprof_add_counters(to) = to->type == XPROF_OBJFD ? 0 : xprof_counter(from, p, i);
	for (uint32_t i = 0; i < p->nr_blocks; i++)
		*xprof_add_blocks(to) = from->blocks[p->first_block + i];
	for (uint32_t i = 0; i < p->nr_edges; i++)
		*xprof_add_edges(to) = from->edges[p->first_edge + i];
	copy_tuples(to, from, p);
	return copy;
}

void xprof_copy_value(struct xprof *to, const struct xprof *from, const struct xprof_value *v)
{
	uint32_t name = xprof_copy_string(to, from, v->name);
	uint32_t path = xprof_copy_string(to, from, v->path);
	struct xprof_value *copy = xprof_add_values(to);

	*copy = *v;
	copy->name = name;
	copy->path = path;
}

void xprof_copy_all(struct xprof *to, const struct xprof *from, const struct xprof_object *o)
{
	xprof_copy_object(to, from, o);
	for (uint32_t i = o->first_proc; i < o->first_proc + o->nr_procs; i++) {
		const struct xprof_proc *p = &from->procs[i];

		xprof_copy_proc(to, from, p);
		for (uint64_t k = 0; k < xprof_nr_values(o, p); k++)
			xprof_copy_value(to, from, &from->values[p->first_value + k]);
	}
}

static void copy_comdat(struct xprof *to, const struct xprof_index *to_index,
			const struct xprof *from, const struct xprof_comdat *c,
			struct xprof_program *program)
{
	uint32_t name = xprof_copy_string(to, from, c->name);
	uint32_t path = xprof_copy_string(to, from, c->path);

	if (xprof_index_object(to_index, path) != UINT32_MAX &&
	    xprof_index_proc(to_index, path, name) == UINT32_MAX)
		return;		/* its object was recompiled without it */
	*xprof_add_comdats(to) = (struct xprof_comdat){ name, path };
	program->nr_comdats++;
}

void xprof_copy_program(struct xprof *to, const struct xprof_index *to_index,
			const struct xprof *from, const struct xprof_program *p)
{
	struct xprof_program *copy = xprof_begin_program(to);

	copy->has = p->has;
	copy->path = xprof_copy_string(to, from, p->path);
	for (uint32_t i = p->first_ref; i < p->first_ref + p->nr_refs; i++) {
		const struct xprof_object *o = &from->objects[from->refs[i].object];
		uint32_t path = xprof_copy_string(to, from, o->path);
		uint32_t object = xprof_index_object(to_index, path);

		if (object == UINT32_MAX)
			continue;
		xprof_add_refs(to)->object = object;
		copy->nr_refs++;
	}
	for (uint32_t i = p->first_comdat; i < p->first_comdat + p->nr_comdats; i++)
		copy_comdat(to, to_index, from, &from->comdats[i], copy);
}

struct xprof *xprof_make_tcovd(const struct xprof *x)
{
	struct xprof *made = xprof_new(XPROF_TCOVD);
	struct xprof_index index;

	for (uint32_t i = 0; i < x->nr_objects; i++)
		xprof_copy_all(made, x, &x->objects[i]);
	xprof_index_make(made, &index);
	for (uint32_t i = 0; i < x->nr_programs; i++)
		xprof_copy_program(made, &index, x, &x->programs[i]);
	xprof_index_free(&index);
	xprof_set_sums(made);
	return made;
}

struct xprof *xprof_make_objfd(const struct xprof *x, uint32_t at)
{
	const struct xprof_object *o = &x->objects[at];
	struct xprof *made = xprof_new(XPROF_OBJFD);

	xprof_copy_object(made, x, o)->has = 0;
	for (uint32_t i = o->first_proc; i < o->first_proc + o->nr_procs; i++) {
		struct xprof_proc *p = xprof_copy_proc(made, x, &x->procs[i]);

		p->has = p->max = p->sum = 0;
		p->nr_vp_records = p->nr_vp_sites = 0;
	}
	xprof_set_sums(made);
	return made;
}

#define COPY_ARRAY(name, element, wide, narrow)                                                \
	if (XPROF_ARRAY_##name != XPROF_ARRAY_strings && x->nr_##name) {                       \
		made->name = xrealloc_array(NULL, x->nr_##name, sizeof(*x->name));             \
		memcpy(made->name, x->name, x->nr_##name * sizeof(*x->name));                  \
		made->nr_##name = made->room_##name = x->nr_##name;                            \
	}

#define PACK_STRINGS(array, member)                                                            \
	for (uint32_t i = 0; i < x->nr_##array; i++)                                           \
		made->array[i].member = xprof_copy_string(made, x, x->array[i].member)

struct xprof *xprof_pack(const struct xprof *x)
{
	struct xprof *made = xprof_new(x->type);

	XPROF_ARRAYS(COPY_ARRAY)
	PACK_STRINGS(objects, path);
	PACK_STRINGS(procs, name);
	PACK_STRINGS(values, name);
	PACK_STRINGS(values, path);
	PACK_STRINGS(tuples, file);
	PACK_STRINGS(programs, path);
	PACK_STRINGS(comdats, name);
	PACK_STRINGS(comdats, path);
	PACK_STRINGS(sources, path);
	PACK_STRINGS(block_refs, name);
	PACK_STRINGS(block_refs, path);
	return made;
}
