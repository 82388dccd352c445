/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check.c - check procedures, and references between objects, programs and source lines */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/xprof/flow.h"
#include "feedback/xprof/text.h"
#include "feedback/xprof/value.h"
#include "formats/format.h"
#include "libutil/sorted.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

struct checker {
	const struct xprof *x;
	const struct xprof_places *places;
	const struct xprof_options *options;
	struct xprof_index index;
	struct op_error *e;
};

static const char *const array_names[NR_XPROF_ARRAYS] = {
#define ARRAY_NAME(name, element, wide, narrow)	#name,
	XPROF_ARRAYS(ARRAY_NAME)
};

/* FILE:LINE: or FILE: offset N: of the record, and the message. */
static void add_message(const struct checker *c, enum xprof_array array, uint32_t at,
			const char *format, va_list args, struct strbuf *text)
{
	if (!c->places)
		strbuf_addf(text, "%s[%u]: ", array_names[array], at);
	else if (c->x->map)
		strbuf_addf(text, "%s: offset %zu: ", c->places->path,
			    xprof_file_offset(c->x, array, at));
	else
		strbuf_addf(text, "%s:%u: ", c->places->path, c->places->lines[array][at]);
	strbuf_vaddf(text, format, args);
}

static int __attribute__((format(printf, 4, 5)))
check_fail(const struct checker *c, enum xprof_array array, uint32_t at, const char *format, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list args;

	va_start(args, format);
	add_message(c, array, at, format, args, &text);
	va_end(args);
	op_error_set(c->e, -EPROTO, "%s", text.text);
	strbuf_free(&text);
	return -EPROTO;
}

static void __attribute__((format(printf, 4, 5)))
check_warn(const struct checker *c, enum xprof_array array, uint32_t at, const char *format, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list args;

	va_start(args, format);
	add_message(c, array, at, format, args, &text);
	va_end(args);
	format_warn(c->options->warnings, "%s", text.text);
	strbuf_free(&text);
}

/* What the format's description permits, though it makes little sense: an error if strict. */
static int __attribute__((format(printf, 4, 5)))
check_lax(const struct checker *c, enum xprof_array array, uint32_t at, const char *format, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list args;
	int err = 0;

	va_start(args, format);
	add_message(c, array, at, format, args, &text);
	va_end(args);
	if (c->options->strict)
		err = op_error_set(c->e, -EPROTO, "%s", text.text);
	else
		format_warn(c->options->warnings, "%s", text.text);
	strbuf_free(&text);
	return err;
}

/* [XP-14] */
static int check_sums(const struct checker *c, enum xprof_array array, uint32_t at,
		      uint32_t has, uint64_t max, uint64_t sum, struct xprof_sums sums)
{
	if (has & XPROF_HAS_MAX && max != sums.max)
		return check_fail(c, array, at, "max is %llu, but the largest counter is %llu",
				  (unsigned long long)max, (unsigned long long)sums.max);
	if (has & XPROF_HAS_SUM && sum != sums.sum)
		return check_fail(c, array, at, "sum is %llu, but the counters add up to %llu",
				  (unsigned long long)sum, (unsigned long long)sums.sum);
	if (has & XPROF_HAS_SUM && sums.overflowed)
		check_warn(c, array, at, "the sum of the counters exceeds 2^64 - 1");
	return 0;
}

/* --- within a procedure: ids, graph, values, flow --- */

/* The counter of the procedure's @i-th block, or of an edge if @i is at least nr_blocks. */
static uint32_t counter_of(const struct xprof *x, const struct xprof_proc *p, uint32_t i)
{
	return i < p->nr_blocks ? x->blocks[p->first_block + i].counter
				: x->edges[p->first_edge + i - p->nr_blocks].counter;
}

static int fail_counter(const struct checker *c, const struct xprof_proc *p, uint32_t i,
			const char *what)
{
	bool is_block = i < p->nr_blocks;

	return check_fail(c, is_block ? XPROF_ARRAY_blocks : XPROF_ARRAY_edges,
			  is_block ? p->first_block + i : p->first_edge + i - p->nr_blocks,
			  "counter %u %s", counter_of(c->x, p, i), what);
}

/* Counters must be in range [XP-8], and each must count only one thing [XP-18]. */
static int check_counters(const struct checker *c, const struct xprof_proc *p)
{
	uint32_t nr = p->nr_blocks + p->nr_edges, nr_used = 0;
	uint64_t *used = xcalloc((size_t)nr + 1, sizeof(*used));
	int err = 0;

	for (uint32_t i = 0; i < nr && !err; i++) {
		uint32_t counter = counter_of(c->x, p, i);

		if (counter > p->nr_counters)
			err = fail_counter(c, p, i, p->nr_counters
					   ? "is out of range for the procedure"
					   : "in a procedure without counters");
		else if (counter)
			used[nr_used++] = (uint64_t)counter << 32 | i;
	}
	if (nr_used)
		qsort(used, nr_used, sizeof(*used), compare_u64);
	for (uint32_t i = 1; i < nr_used && !err; i++)
		if (used[i] >> 32 == used[i - 1] >> 32)
			err = fail_counter(c, p, (uint32_t)used[i], "is used more than once");
	free(used);
	return err;
}

/* [XP-18] */
static int check_edges(const struct checker *c, const struct xprof_proc *p)
{
	for (uint32_t i = p->first_edge; i < p->first_edge + p->nr_edges; i++) {
		const struct xprof_edge *e = &c->x->edges[i];

		if (!e->from || e->from > p->nr_blocks || !e->to || e->to > p->nr_blocks)
			return check_fail(c, XPROF_ARRAY_edges, i, "edge from block %u to %u, but "
					  "the procedure has %u blocks", e->from, e->to,
					  p->nr_blocks);
	}
	return 0;
}

/* [XP-11] */
static int check_tuples(const struct checker *c, const struct xprof_proc *p)
{
	uint32_t last = 0;

	if (p->nr_tuples > p->nr_srcmap_ops)
		return check_fail(c, XPROF_ARRAY_tuples, p->first_tuple + p->nr_srcmap_ops,
				  "more tuples than the %u that PROC declares", p->nr_srcmap_ops);
	for (uint32_t i = p->first_tuple; i < p->first_tuple + p->nr_tuples; i++) {
		const struct xprof_tuple *t = &c->x->tuples[i];

		if (t->id && t->id == last)
			return check_fail(c, XPROF_ARRAY_tuples, i, "duplicate tuple %u", t->id);
		if (!t->id || t->id > p->nr_srcmap_ops)
			return check_fail(c, XPROF_ARRAY_tuples, i, "tuple %u out of range: "
					  "expected 1 to %u", t->id, p->nr_srcmap_ops);
		if (t->id < last)
			return check_fail(c, XPROF_ARRAY_tuples, i, "tuple %u after tuple %u",
					  t->id, last);
		if (!t->block || t->block > p->nr_blocks)
			return check_fail(c, XPROF_ARRAY_tuples, i, "block %u out of range: "
					  "expected 1 to %u", t->block, p->nr_blocks);
		if (!t->line || !t->file)
			return check_fail(c, XPROF_ARRAY_tuples, i, "tuple without a line or file");
		last = t->id;
	}
	return 0;
}

static int compare_exprs(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static uint32_t nr_exprs(const struct xprof *x, const struct xprof_proc *p, uint64_t nr)
{
	uint32_t *exprs = xcalloc(nr + 1, sizeof(*exprs)), distinct = 0;

	for (uint64_t i = 0; i < nr; i++)
		exprs[i] = x->values[p->first_value + i].expr;
	qsort(exprs, nr, sizeof(*exprs), compare_exprs);
	for (uint64_t i = 0; i < nr; i++)
		distinct += !i || exprs[i] != exprs[i - 1];
	free(exprs);
	return distinct;
}

/* @head: the first value of the record [XP-12]. */
static int check_value(const struct checker *c, uint32_t at, const struct xprof_value *head)
{
	const struct xprof_value *v = &c->x->values[at];

	if (v->type >= NR_XPROF_VALUE_TYPES || v->type != head->type || v->expr != head->expr)
		return check_fail(c, XPROF_ARRAY_values, at, "unexpected type or expression: all "
				  "values of a record must have the same");
	if (!xprof_value_is_canonical(v) || (!v->count && (v->value || v->name)) ||
	    !v->name != !v->path || (v->name && v->type != XPROF_PROC))
		return check_fail(c, XPROF_ARRAY_values, at, "invalid %s",
				  xprof_value_names[v->type]);
	return 0;
}

static int check_values(const struct checker *c, const struct xprof_object *o,
			const struct xprof_proc *p, uint32_t at)
{
	uint64_t nr = xprof_nr_values(o, p);
	uint32_t exprs = nr_exprs(c->x, p, nr);
	int err = 0;

	for (uint64_t i = 0; i < nr && !err; i++)
		err = check_value(c, p->first_value + i,
				  &c->x->values[p->first_value + i - i % o->nr_values]);
	if (!err && exprs > p->nr_vp_sites)	/* [XP-12] */
		err = check_lax(c, XPROF_ARRAY_procs, at, "PROC declares %u value-profiled "
				"expressions, found %u", p->nr_vp_sites, exprs);
	return err;
}

static void mark_reachable(const struct xprof *x, const struct xprof_proc *p,
			   const struct xprof_flow *flow, uint32_t block, bool *reached,
			   uint32_t *stack)
{
	uint32_t nr = 0;

	if (reached[block])
		return;
	reached[block] = true;
	stack[nr++] = block;
	while (nr) {
		block = stack[--nr];
		for (uint32_t e = flow->first_out[block]; e != UINT32_MAX; e = flow->next_out[e]) {
			uint32_t to = x->edges[p->first_edge + e].to - 1;

			if (!reached[to])
				stack[nr++] = to;
			reached[to] = true;
		}
	}
}

/* Warn if a block is unreachable from block 1 and from blocks without edges into them [XP-19]. */
static void check_reachable(const struct checker *c, const struct xprof_proc *p,
			    const struct xprof_flow *flow)
{
	bool *reached = xcalloc((size_t)p->nr_blocks + 1, sizeof(*reached));
	uint32_t *stack = xcalloc((size_t)p->nr_blocks + 1, sizeof(*stack)), b;

	for (b = 0; b < p->nr_blocks; b++)
		if (!b || flow->first_in[b] == UINT32_MAX)
			mark_reachable(c->x, p, flow, b, reached, stack);
	for (b = 0; b < p->nr_blocks && reached[b]; b++)
		;
	if (b < p->nr_blocks)
		check_warn(c, XPROF_ARRAY_blocks, p->first_block + b, "block %u is unreachable",
			   b + 1);
	free(reached);
	free(stack);
}

/* [XP-20] */
static int check_flow(const struct checker *c, const struct xprof_proc *p)
{
	struct xprof_flow flow;
	uint32_t block;
	int err = 0;

	xprof_flow_solve(c->x, p, &flow);
	check_reachable(c, p, &flow);
	if (c->options->strict && !xprof_flow_is_consistent(c->x, p, &flow, &block))
		err = check_fail(c, XPROF_ARRAY_blocks, p->first_block + block,
				 "flow into block %u differs from flow out of it", block + 1);
	xprof_flow_free(&flow);
	return err;
}

static int check_proc(const struct checker *c, const struct xprof_object *o, uint32_t at)
{
	const struct xprof_proc *p = &c->x->procs[at];
	int err;

	if (!p->name)
		return check_fail(c, XPROF_ARRAY_procs, at, "procedure without a name");
	err = check_sums(c, XPROF_ARRAY_procs, at, p->has, p->max, p->sum,
			 xprof_sums(c->x, at, 1));
	if (!err)
		err = check_values(c, o, p, at);
	if (!err)
		err = check_edges(c, p);
	if (!err)
		err = check_counters(c, p);
	if (!err)
		err = check_tuples(c, p);
	return err ? err : check_flow(c, p);
}

/* --- objects, programs and source lines --- */

/* [XP-6] */
static int check_ids(const struct checker *c, const struct xprof_object *o)
{
	bool *seen = xcalloc((size_t)o->nr_procs + 1, sizeof(*seen));
	int err = 0;

	for (uint32_t i = o->first_proc; i < o->first_proc + o->nr_procs && !err; i++) {
		uint32_t id = c->x->procs[i].id;

		if (!id || id > o->nr_procs)
			err = check_fail(c, XPROF_ARRAY_procs, i, "procedure id %u out of range: "
					 "expected 1 to %u", id, o->nr_procs);
		else if (seen[id])
			err = check_fail(c, XPROF_ARRAY_procs, i, "duplicate procedure id %u", id);
		else
			seen[id] = true;
	}
	free(seen);
	return err;
}

static int check_object(const struct checker *c, uint32_t at)
{
	const struct xprof_object *o = &c->x->objects[at];
	int err;

	if (!o->path)
		return check_fail(c, XPROF_ARRAY_objects, at, "object file without a path");
	if (o->usec >= 1000000)				/* [XP-6] */
		return check_fail(c, XPROF_ARRAY_objects, at, "microseconds %u out of range: "
				  "expected 0 to 999999", o->usec);
	if (xprof_index_object(&c->index, o->path) != at)	/* [XP-15] */
		return check_fail(c, XPROF_ARRAY_objects, at, "duplicate object file '%s'",
				  xprof_text(c->x, o->path));
	err = check_sums(c, XPROF_ARRAY_objects, at, o->has, o->max, o->sum,
			 xprof_sums(c->x, o->first_proc, o->nr_procs));
	if (!err)
		err = check_ids(c, o);
	for (uint32_t i = o->first_proc; i < o->first_proc + o->nr_procs && !err; i++)
		err = check_proc(c, o, i);
	return err;
}

/* NAME:PATH must be split in the same way when it is read again [XP-10]. */
static int check_name_path(const struct checker *c, enum xprof_array array, uint32_t at,
			   uint32_t name, uint32_t path)
{
	const char *text = xprof_text(c->x, name);
	size_t len = strlen(text);
	struct strbuf both = STRBUF_INIT;
	int err = 0;

	strbuf_addf(&both, "%s:%s", text, xprof_text(c->x, path));
	if (xprof_index_split(&c->index, both.text, both.len) != len)
		err = check_fail(c, array, at, "ambiguous NAME:PATH '%s'", both.text);
	strbuf_free(&both);
	return err;
}

/* *ret_proc: the procedure, or UINT32_MAX if its object is not part of the profile. */
static int check_ref(const struct checker *c, enum xprof_array array, uint32_t at,
		     uint32_t name, uint32_t path, uint32_t *ret_proc)
{
	int err;

	*ret_proc = UINT32_MAX;
	if (!name || !path)
		return check_fail(c, array, at, "procedure without a name or path");
	err = check_name_path(c, array, at, name, path);
	if (err || xprof_index_object(&c->index, path) == UINT32_MAX)
		return err;
	*ret_proc = xprof_index_proc(&c->index, path, name);
	if (*ret_proc == UINT32_MAX)		/* [XP-15] */
		return check_lax(c, array, at, "object file '%s' has no procedure '%s'",
				 xprof_text(c->x, path), xprof_text(c->x, name));
	return 0;
}

static int check_programs(const struct checker *c)
{
	const struct xprof *x = c->x;
	uint32_t proc;
	int err = 0;

	for (uint32_t i = 0; i < x->nr_programs && !err; i++) {
		const struct xprof_program *p = &x->programs[i];

		if (!p->path)
			return check_fail(c, XPROF_ARRAY_programs, i, "program without a path");
		if (p->has)
			err = check_sums(c, XPROF_ARRAY_programs, i, p->has, p->max, p->sum,
					 xprof_program_sums(x, p));
	}
	for (uint32_t i = 0; i < x->nr_comdats && !err; i++)
		err = check_ref(c, XPROF_ARRAY_comdats, i, x->comdats[i].name, x->comdats[i].path,
				&proc);
	return err;
}

static int check_block_ref(const struct checker *c, uint32_t at, const uint64_t *counts)
{
	const struct xprof_block_ref *b = &c->x->block_refs[at];
	const struct xprof_proc *p;
	uint64_t count;
	uint32_t proc;
	int err = check_ref(c, XPROF_ARRAY_block_refs, at, b->name, b->path, &proc);

	if (err || proc == UINT32_MAX)
		return err;
	p = &c->x->procs[proc];
	if (!b->block || b->block > p->nr_blocks)		/* [XP-15] */
		return check_fail(c, XPROF_ARRAY_block_refs, at, "block %u out of range: expected "
				  "1 to %u", b->block, p->nr_blocks);
	count = counts[p->first_block + b->block - 1];
	if (count != XPROF_UNKNOWN && count != b->count)	/* [XP-22] */
		return check_fail(c, XPROF_ARRAY_block_refs, at, "count is %llu, but the counters "
				  "give %llu", (unsigned long long)b->count,
				  (unsigned long long)count);
	return 0;
}

static int check_sources(const struct checker *c)
{
	const struct xprof *x = c->x;
	uint64_t *counts;
	int err = 0;

	for (uint32_t i = 0; i < x->nr_sources; i++)
		if (!x->sources[i].path)
			return check_fail(c, XPROF_ARRAY_sources, i, "source file without a path");
	for (uint32_t i = 0; i < x->nr_lines; i++)
		if (!x->lines[i].line || !x->lines[i].nr_block_refs)
			return check_fail(c, XPROF_ARRAY_lines, i,
					  "source line without a number or blocks");
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
	struct checker c = { .x = x, .places = places, .options = options, .e = e };
	int err = 0;

	xprof_index_make(x, &c.index);
	for (uint32_t i = 0; i < x->nr_objects && !err; i++)
		err = check_object(&c, i);
	for (uint32_t i = 0; i < x->nr_values && !err; i++) {
		const struct xprof_value *v = &x->values[i];

		if (v->name)
			err = check_name_path(&c, XPROF_ARRAY_values, i, v->name, v->path);
	}
	if (!err)
		err = check_programs(&c);
	if (!err)
		err = check_sources(&c);
	xprof_index_free(&c.index);
	return err;
}
