/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check.c - what must hold between objects, programs and source lines */
#include "feedback/xprof/check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/xprof/flow.h"
#include "feedback/xprof/split.h"
#include "formats/format.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

static const char *const array_names[NR_XPROF_ARRAYS] = {
#define ARRAY_NAME(name, element, wide, narrow)	#name,
	XPROF_ARRAYS(ARRAY_NAME)
};

static void say(const struct xprof_checker *c, enum xprof_array array, uint32_t at,
		const char *format, va_list args, struct strbuf *text)
{
	if (c->places)
		strbuf_addf(text, "line %u: ", c->places->at[array][at]);
	else
		strbuf_addf(text, "%s %u: ", array_names[array], at + 1);
	strbuf_vaddf(text, format, args);
}

int xprof_check_fail(const struct xprof_checker *c, enum xprof_array array, uint32_t at,
		     const char *format, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list args;

	va_start(args, format);
	say(c, array, at, format, args, &text);
	va_end(args);
	op_error_set(c->e, -EPROTO, "%s", text.text);
	strbuf_free(&text);
	return -EPROTO;
}

void xprof_check_warn(const struct xprof_checker *c, enum xprof_array array, uint32_t at,
		      const char *format, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list args;

	va_start(args, format);
	say(c, array, at, format, args, &text);
	va_end(args);
	format_warn(c->options->warnings, "%s", text.text);
	strbuf_free(&text);
}

int xprof_check_sums(const struct xprof_checker *c, enum xprof_array array, uint32_t at,
		     uint32_t has, uint64_t max, uint64_t sum, struct xprof_sums sums)
{
	if (has & XPROF_HAS_MAX && max != sums.max)
		return xprof_check_fail(c, array, at, "max is %llu, of the counters it is %llu "
					"[XP-14]", (unsigned long long)max,
					(unsigned long long)sums.max);
	if (has & XPROF_HAS_SUM && sum != sums.sum)
		return xprof_check_fail(c, array, at, "sum is %llu, of the counters it is %llu "
					"[XP-14]", (unsigned long long)sum,
					(unsigned long long)sums.sum);
	if (has & XPROF_HAS_SUM && sums.overflowed)
		xprof_check_warn(c, array, at, "the sum of the counters is beyond 2^64 [XP-14]");
	return 0;
}

static int check_ids(const struct xprof_checker *c, const struct xprof_object *o)
{
	bool *seen = xcalloc((size_t)o->nr_procs + 1, sizeof(*seen));
	int err = 0;

	for (uint32_t i = o->first_proc; i < o->first_proc + o->nr_procs && !err; i++) {
		uint32_t id = c->x->procs[i].id;

		if (!id || id > o->nr_procs || seen[id])
			err = xprof_check_fail(c, XPROF_ARRAY_procs, i, "procedure id %u %s "
					       "[XP-6]", id, id && id <= o->nr_procs
					       ? "is there already" : "is not in 1 .. number of "
					       "procedures");
		else
			seen[id] = true;
	}
	free(seen);
	return err;
}

static int check_object(const struct xprof_checker *c, uint32_t at)
{
	const struct xprof_object *o = &c->x->objects[at];
	int err;

	if (!o->path)
		return xprof_check_fail(c, XPROF_ARRAY_objects, at, "no path [XP-4]");
	if (o->usec >= 1000000)
		return xprof_check_fail(c, XPROF_ARRAY_objects, at, "%u microseconds are a second "
					"or more [XP-6]", o->usec);
	if (xprof_index_object(&c->index, o->path) != at)
		return xprof_check_fail(c, XPROF_ARRAY_objects, at, "a second OBJFILE of this path "
					"[XP-15]");
	err = xprof_check_sums(c, XPROF_ARRAY_objects, at, o->has, o->max, o->sum,
			       xprof_sums(c->x, o->first_proc, o->nr_procs));
	if (!err)
		err = check_ids(c, o);
	for (uint32_t i = o->first_proc; i < o->first_proc + o->nr_procs && !err; i++)
		err = xprof_check_proc(c, o, i);
	return err;
}

/* Would NAME:PATH, read again, be taken apart in the same way? */
static bool is_told_apart(const struct xprof_checker *c, uint32_t name, uint32_t path)
{
	const char *text = xprof_text(c->x, name);
	size_t len = strlen(text);
	struct strbuf both = STRBUF_INIT;
	bool is;

	strbuf_addf(&both, "%s:%s", text, xprof_text(c->x, path));
	is = xprof_split(&c->index, both.text, both.len) == len;
	strbuf_free(&both);
	return is;
}

/* The procedure if its object is here, else UINT32_MAX. */
static int check_ref(const struct xprof_checker *c, enum xprof_array array, uint32_t at,
		     uint32_t name, uint32_t path, uint32_t *ret_proc)
{
	*ret_proc = UINT32_MAX;
	if (!name || !path || !is_told_apart(c, name, path))
		return xprof_check_fail(c, array, at, "no NAME:PATH to be told apart [XP-10]");
	if (xprof_index_object(&c->index, path) == UINT32_MAX)
		return 0;
	*ret_proc = xprof_index_proc(&c->index, path, name);
	if (*ret_proc == UINT32_MAX)
		return xprof_check_fail(c, array, at, "the object file is here, but has no such "
					"procedure [XP-15]");
	return 0;
}

static int check_programs(const struct xprof_checker *c)
{
	const struct xprof *x = c->x;
	uint32_t proc;
	int err = 0;

	for (uint32_t i = 0; i < x->nr_programs && !err; i++) {
		const struct xprof_program *p = &x->programs[i];

		if (!p->path)
			return xprof_check_fail(c, XPROF_ARRAY_programs, i, "no path [XP-4]");
		if (p->has)
			err = xprof_check_sums(c, XPROF_ARRAY_programs, i, p->has, p->max, p->sum,
					       xprof_program_sums(x, p));
	}
	for (uint32_t i = 0; i < x->nr_comdats && !err; i++)
		err = check_ref(c, XPROF_ARRAY_comdats, i, x->comdats[i].name, x->comdats[i].path,
				&proc);
	return err;
}

static int check_block_ref(const struct xprof_checker *c, uint32_t at, const uint64_t *counts)
{
	const struct xprof_block_ref *b = &c->x->block_refs[at];
	const struct xprof_proc *p;
	uint64_t count;
	uint32_t proc;
	int err = check_ref(c, XPROF_ARRAY_block_refs, at, b->name, b->path, &proc);

	if (err || proc == UINT32_MAX)
		return err;
	p = &c->x->procs[proc];
	if (!b->block || b->block > p->nr_blocks)
		return xprof_check_fail(c, XPROF_ARRAY_block_refs, at, "the procedure has no block "
					"%u [XP-15]", b->block);
	count = counts[p->first_block + b->block - 1];
	if (count != XPROF_UNKNOWN && count != b->count)
		return xprof_check_fail(c, XPROF_ARRAY_block_refs, at, "the count is %llu, the "
					"counters give %llu [XP-22]", (unsigned long long)b->count,
					(unsigned long long)count);
	return 0;
}

static int check_sources(const struct xprof_checker *c)
{
	const struct xprof *x = c->x;
	uint64_t *counts;
	int err = 0;

	for (uint32_t i = 0; i < x->nr_sources; i++)
		if (!x->sources[i].path)
			return xprof_check_fail(c, XPROF_ARRAY_sources, i, "no path [XP-4]");
	for (uint32_t i = 0; i < x->nr_lines; i++)
		if (!x->lines[i].line || !x->lines[i].nr_block_refs)
			return xprof_check_fail(c, XPROF_ARRAY_lines, i,
						"no line, or no block of it [XP-15]");
	if (!x->nr_block_refs)
		return 0;
	counts = xprof_block_counts(x);
	for (uint32_t i = 0; i < x->nr_block_refs && !err; i++)
		err = check_block_ref(c, i, counts);
	free(counts);
	return err;
}

int xprof_check(const struct xprof *x, const struct xprof_places *places,
		const struct xprof_options *options, struct op_error *e)
{
	struct xprof_checker c = { .x = x, .places = places, .options = options, .e = e };
	int err = 0;

	xprof_index_make(x, &c.index);
	for (uint32_t i = 0; i < x->nr_objects && !err; i++)
		err = check_object(&c, i);
	for (uint32_t i = 0; i < x->nr_values && !err; i++) {
		uint32_t name = x->values[i].name;

		if (name && !is_told_apart(&c, name, x->values[i].path))
			err = xprof_check_fail(&c, XPROF_ARRAY_values, i,
					       "no NAME:PATH to be told apart [XP-10]");
	}
	if (!err)
		err = check_programs(&c);
	if (!err)
		err = check_sources(&c);
	xprof_index_free(&c.index);
	return err;
}
