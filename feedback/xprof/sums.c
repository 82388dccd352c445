/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sums.c - statistics of counters, and numbers of distinct names */
#include "feedback/xprof/xprof.h"

#include <stdlib.h>

#include "libutil/sorted.h"
#include "libutil/xalloc.h"

static uint32_t count_distinct(uint64_t *numbers, size_t nr)
{
	uint32_t distinct = 0;

	if (nr)
		qsort(numbers, nr, sizeof(*numbers), compare_u64);
	for (size_t i = 0; i < nr; i++)
		distinct += !i || numbers[i] != numbers[i - 1];
	return distinct;
}

uint32_t xprof_nr_proc_names(const struct xprof *x)
{
	uint64_t *names = xcalloc(x->nr_values + 1, sizeof(*names));
	uint32_t nr = 0;

	for (uint32_t i = 0; i < x->nr_values; i++)
		if (x->values[i].type == XPROF_PROC && x->values[i].name)
			names[nr++] = (uint64_t)x->values[i].path << 32 | x->values[i].name;
	nr = count_distinct(names, nr);
	free(names);
	return nr;
}

uint32_t xprof_nr_source_files(const struct xprof *x, const struct xprof_object *o)
{
	const struct xprof_proc *first, *last;
	uint64_t *files;
	uint32_t nr = 0;

	if (!o->nr_procs)
		return 0;
	first = &x->procs[o->first_proc];
	last = first + o->nr_procs - 1;
	files = xcalloc(last->first_tuple + last->nr_tuples - first->first_tuple + 1,
			sizeof(*files));
	for (uint32_t i = first->first_tuple; i < last->first_tuple + last->nr_tuples; i++)
		files[nr++] = x->tuples[i].file;
	nr = count_distinct(files, nr);
	free(files);
	return nr;
}

bool xprof_is_sampled(const struct xprof *x, uint32_t object)
{
	for (uint32_t i = 0; i < x->nr_programs; i++) {
		const struct xprof_program *p = &x->programs[i];

		for (uint32_t k = p->first_ref; k < p->first_ref + p->nr_refs; k++)
			if (x->refs[k].object == object && p->path == x->objects[object].path)
				return true;
	}
	return false;
}

static void add_counter(struct xprof_sums *s, uint64_t counter)
{
	if (counter > s->max)
		s->max = counter;
	s->overflowed |= __builtin_add_overflow(s->sum, counter, &s->sum);
}

struct xprof_sums xprof_sums(const struct xprof *x, uint32_t first_proc, uint32_t nr_procs)
{
	struct xprof_sums s = { 0 };

	if (x->type == XPROF_OBJFD)
		return s;		/* all are 0 */
	for (uint32_t i = first_proc; i < first_proc + nr_procs; i++)
		for (uint32_t c = 0; c < x->procs[i].nr_counters; c++)
			add_counter(&s, x->counters[x->procs[i].first_counter + c]);
	return s;
}

struct xprof_sums xprof_program_sums(const struct xprof *x, const struct xprof_program *p)
{
	struct xprof_sums all = { 0 };

	for (uint32_t i = p->first_ref; i < p->first_ref + p->nr_refs; i++) {
		const struct xprof_object *o = &x->objects[x->refs[i].object];
		struct xprof_sums s = xprof_sums(x, o->first_proc, o->nr_procs);

		if (s.max > all.max)
			all.max = s.max;
		all.overflowed |= s.overflowed;
		all.overflowed |= __builtin_add_overflow(all.sum, s.sum, &all.sum);
	}
	return all;
}

static void set(uint32_t has, struct xprof_sums s, uint64_t *max, uint64_t *sum)
{
	*max = has & XPROF_HAS_MAX ? s.max : 0;
	*sum = has & XPROF_HAS_SUM ? s.sum : 0;
}

void xprof_set_sums(struct xprof *x)
{
	for (uint32_t i = 0; i < x->nr_objects; i++) {
		struct xprof_object *o = &x->objects[i];

		set(o->has, xprof_sums(x, o->first_proc, o->nr_procs), &o->max, &o->sum);
	}
	for (uint32_t i = 0; i < x->nr_procs; i++) {
		struct xprof_proc *p = &x->procs[i];

		set(p->has, xprof_sums(x, i, 1), &p->max, &p->sum);
	}
	for (uint32_t i = 0; i < x->nr_programs; i++) {
		struct xprof_program *p = &x->programs[i];

		set(p->has, xprof_program_sums(x, p), &p->max, &p->sum);
	}
}
