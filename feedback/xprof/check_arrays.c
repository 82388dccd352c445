/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_arrays.c - arrays that came from a file: every index and string is looked at once */
#include <errno.h>
#include <string.h>

#include "feedback/xprof/decode.h"
#include "feedback/xprof/lines.h"

struct walk {
	const struct xprof *x;
	struct op_error *e;
	uint64_t next[NR_XPROF_ARRAYS];		/* elements that have an owner already */
	const uint32_t sizes[NR_XPROF_ARRAYS];
};

static int fail(const struct walk *w, const char *array, uint32_t at, const char *what)
{
	return op_error_set(w->e, -EPROTO, "%s %u: %s [XP-28]", array, at + 1, what);
}

static int check_strings(const struct walk *w)
{
	const struct xprof *x = w->x;
	uint32_t at = 1;

	if (!x->nr_strings || x->strings[0] || x->strings[x->nr_strings - 1])
		return fail(w, "strings", 0, "the first or the last byte is not 0");
	while (at < x->nr_strings) {
		size_t len = strlen(x->strings + at);
		const char *fault = xprof_name_fault(x->strings + at, len);

		if (fault)
			return fail(w, "strings", at, fault);
		at += len + 1;
	}
	return 0;
}

static bool is_string(const struct xprof *x, uint32_t s)
{
	return !s || (s < x->nr_strings && !x->strings[s - 1]);
}

/* Do @nr elements of @array from @first on follow those of the owner before? */
static bool owns(struct walk *w, enum xprof_array array, uint32_t first, uint64_t nr)
{
	bool does = first == w->next[array] && nr <= w->sizes[array] - w->next[array];

	w->next[array] += does ? nr : 0;
	return does;
}

static bool owns_lists(struct walk *w, const struct xprof_object *o, const struct xprof_proc *p)
{
	return owns(w, XPROF_ARRAY_counters, p->first_counter,
		    w->x->type == XPROF_OBJFD ? 0 : p->nr_counters) &&
	       owns(w, XPROF_ARRAY_values, p->first_value, xprof_nr_values(o, p)) &&
	       owns(w, XPROF_ARRAY_blocks, p->first_block, p->nr_blocks) &&
	       owns(w, XPROF_ARRAY_edges, p->first_edge, p->nr_edges) &&
	       owns(w, XPROF_ARRAY_tuples, p->first_tuple, p->nr_tuples);
}

static int check_objects(struct walk *w)
{
	const struct xprof *x = w->x;

	for (uint32_t i = 0; i < x->nr_objects; i++) {
		const struct xprof_object *o = &x->objects[i];

		if (!is_string(x, o->path) || o->has & ~3u || o->unused ||
		    !owns(w, XPROF_ARRAY_procs, o->first_proc, o->nr_procs))
			return fail(w, "objects", i, "its path or its procedures");
		for (uint32_t k = o->first_proc; k < o->first_proc + o->nr_procs; k++) {
			const struct xprof_proc *p = &x->procs[k];

			if (!is_string(x, p->name) || p->has & ~3u || p->unused ||
			    (p->nr_vp_records && !o->nr_values) || !owns_lists(w, o, p))
				return fail(w, "procs", k, "its name or its lists");
		}
	}
	return 0;
}

static int check_programs(struct walk *w)
{
	const struct xprof *x = w->x;

	for (uint32_t i = 0; i < x->nr_programs; i++) {
		const struct xprof_program *p = &x->programs[i];

		if (!is_string(x, p->path) || p->has & ~3u ||
		    !owns(w, XPROF_ARRAY_refs, p->first_ref, p->nr_refs) ||
		    !owns(w, XPROF_ARRAY_comdats, p->first_comdat, p->nr_comdats))
			return fail(w, "programs", i, "its path or its lists");
	}
	for (uint32_t i = 0; i < x->nr_refs; i++)
		if (x->refs[i].object >= x->nr_objects)
			return fail(w, "refs", i, "no such object file");
	return 0;
}

static int check_sources(struct walk *w)
{
	const struct xprof *x = w->x;

	for (uint32_t i = 0; i < x->nr_sources; i++) {
		const struct xprof_source *s = &x->sources[i];

		if (!is_string(x, s->path) ||
		    !owns(w, XPROF_ARRAY_lines, s->first_line, s->nr_lines))
			return fail(w, "sources", i, "its path or its lines");
	}
	for (uint32_t i = 0; i < x->nr_lines; i++)
		if (!owns(w, XPROF_ARRAY_block_refs, x->lines[i].first_block_ref,
			  x->lines[i].nr_block_refs))
			return fail(w, "lines", i, "its blocks");
	return 0;
}

/* Strings of records that own nothing. */
static int check_texts(const struct walk *w)
{
	const struct xprof *x = w->x;

	for (uint32_t i = 0; i < x->nr_values; i++)
		if (!is_string(x, x->values[i].name) || !is_string(x, x->values[i].path))
			return fail(w, "values", i, "no such string");
	for (uint32_t i = 0; i < x->nr_tuples; i++)
		if (!is_string(x, x->tuples[i].file))
			return fail(w, "tuples", i, "no such string");
	for (uint32_t i = 0; i < x->nr_comdats; i++)
		if (!is_string(x, x->comdats[i].name) || !is_string(x, x->comdats[i].path))
			return fail(w, "comdats", i, "no such string");
	for (uint32_t i = 0; i < x->nr_block_refs; i++)
		if (!is_string(x, x->block_refs[i].name) || !is_string(x, x->block_refs[i].path) ||
		    x->block_refs[i].unused)
			return fail(w, "block_refs", i, "no such string");
	return 0;
}

int xprof_check_arrays(const struct xprof *x, struct op_error *e)
{
	struct walk w = {
		.x = x, .e = e,
		.sizes = {
#define SIZE(name, element, wide, narrow)	x->nr_##name,
			XPROF_ARRAYS(SIZE)
		},
	};
	int err = check_strings(&w);

	if (!err)
		err = check_objects(&w);
	if (!err)
		err = check_programs(&w);
	if (!err)
		err = check_sources(&w);
	if (!err)
		err = check_texts(&w);
	for (int i = XPROF_ARRAY_procs; i < NR_XPROF_ARRAYS && !err; i++)
		if (w.next[i] != w.sizes[i] && i != XPROF_ARRAY_programs &&
		    i != XPROF_ARRAY_sources)
			return op_error_set(e, -EPROTO, "array %d has elements that belong to "
					    "nothing [XP-28]", i + 1);
	return err;
}
