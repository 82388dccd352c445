/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_proc.c - what must hold within a procedure: ids, its graph, values, flow */
#include <stdlib.h>

#include "feedback/xprof/check.h"
#include "feedback/xprof/flow.h"
#include "feedback/xprof/value.h"
#include "libutil/xalloc.h"

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The counter of the procedure's @i-th block, or, after these, of an edge. */
static uint32_t counter_of(const struct xprof *x, const struct xprof_proc *p, uint32_t i)
{
	return i < p->nr_blocks ? x->blocks[p->first_block + i].counter
				: x->edges[p->first_edge + i - p->nr_blocks].counter;
}

static int fail_counter(const struct xprof_checker *c, const struct xprof_proc *p, uint32_t i,
			const char *what)
{
	bool is_block = i < p->nr_blocks;

	return xprof_check_fail(c, is_block ? XPROF_ARRAY_blocks : XPROF_ARRAY_edges,
				is_block ? p->first_block + i : p->first_edge + i - p->nr_blocks,
				"counter %u %s", counter_of(c->x, p, i), what);
}

/* Counters are in range, and each counts one thing. */
static int check_counters(const struct xprof_checker *c, const struct xprof_proc *p)
{
	uint32_t nr = p->nr_blocks + p->nr_edges, nr_used = 0;
	uint64_t *used = xcalloc((size_t)nr + 1, sizeof(*used));
	int err = 0;

	for (uint32_t i = 0; i < nr && !err; i++) {
		uint32_t counter = counter_of(c->x, p, i);

		if (counter > p->nr_counters)
			err = fail_counter(c, p, i, p->nr_counters
					   ? "is more than the procedure has [XP-18]"
					   : "of a procedure without any: it never ran [XP-8]");
		else if (counter)
			used[nr_used++] = (uint64_t)counter << 32 | i;
	}
	if (nr_used)
		qsort(used, nr_used, sizeof(*used), compare_u64);
	for (uint32_t i = 1; i < nr_used && !err; i++)
		if (used[i] >> 32 == used[i - 1] >> 32)
			err = fail_counter(c, p, (uint32_t)used[i],
					   "counts something else already [XP-18]");
	free(used);
	return err;
}

static int check_edges(const struct xprof_checker *c, const struct xprof_proc *p)
{
	for (uint32_t i = p->first_edge; i < p->first_edge + p->nr_edges; i++) {
		const struct xprof_edge *e = &c->x->edges[i];

		if (!e->from || e->from > p->nr_blocks || !e->to || e->to > p->nr_blocks)
			return xprof_check_fail(c, XPROF_ARRAY_edges, i, "from block %u to %u, the "
						"procedure has %u [XP-18]", e->from, e->to,
						p->nr_blocks);
	}
	return 0;
}

static int check_tuples(const struct xprof_checker *c, const struct xprof_proc *p)
{
	uint32_t last = 0;

	if (p->nr_tuples > p->nr_srcmap_ops)
		return xprof_check_fail(c, XPROF_ARRAY_tuples, p->first_tuple + p->nr_srcmap_ops,
					"more tuples than the %u that PROC has [XP-11]",
					p->nr_srcmap_ops);
	for (uint32_t i = p->first_tuple; i < p->first_tuple + p->nr_tuples; i++) {
		const struct xprof_tuple *t = &c->x->tuples[i];

		if (t->id <= last || t->id > p->nr_srcmap_ops)
			return xprof_check_fail(c, XPROF_ARRAY_tuples, i, "tuple id %u %s [XP-11]",
						t->id, t->id == last && last ? "is there already"
						: "is not in 1 .. what PROC has, in order");
		if (!t->block || t->block > p->nr_blocks)
			return xprof_check_fail(c, XPROF_ARRAY_tuples, i, "block %u, the procedure "
						"has %u [XP-11]", t->block, p->nr_blocks);
		if (!t->line || !t->file)
			return xprof_check_fail(c, XPROF_ARRAY_tuples, i,
						"line 0, or no file [XP-11]");
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

static int check_value(const struct xprof_checker *c, uint32_t at, const struct xprof_value *head)
{
	const struct xprof_value *v = &c->x->values[at];

	if (v->type >= NR_XPROF_VALUE_TYPES || v->type != head->type || v->expr != head->expr)
		return xprof_check_fail(c, XPROF_ARRAY_values, at, "type and expression of a "
					"record's values are not the same [XP-12]");
	if (!xprof_value_is_sound(v) || (!v->count && (v->value || v->name)) ||
	    !v->name != !v->path || (v->name && v->type != XPROF_PROC))
		return xprof_check_fail(c, XPROF_ARRAY_values, at, "no value of its type [XP-12]");
	return 0;
}

static int check_values(const struct xprof_checker *c, const struct xprof_object *o,
			const struct xprof_proc *p, uint32_t at)
{
	uint64_t nr = xprof_nr_values(o, p);
	uint32_t exprs = nr_exprs(c->x, p, nr);
	int err = 0;

	for (uint64_t i = 0; i < nr && !err; i++)
		err = check_value(c, p->first_value + i,
				  &c->x->values[p->first_value + i - i % o->nr_values]);
	if (!err && exprs != p->nr_vp_sites)
		err = xprof_check_fail(c, XPROF_ARRAY_procs, at, "PROC has %u value profiled "
				       "expressions, its records %u [XP-12]",
				       p->nr_vp_sites, exprs);
	return err;
}

static void go_from(const struct xprof *x, const struct xprof_proc *p,
		    const struct xprof_flow *flow, uint32_t block, bool *reached, uint32_t *stack)
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

/* From block 1, and from those that nothing in the procedure leads to [XP-19]. */
static void check_reached(const struct xprof_checker *c, const struct xprof_proc *p,
			  const struct xprof_flow *flow)
{
	bool *reached = xcalloc((size_t)p->nr_blocks + 1, sizeof(*reached));
	uint32_t *stack = xcalloc((size_t)p->nr_blocks + 1, sizeof(*stack)), b;

	for (b = 0; b < p->nr_blocks; b++)
		if (!b || flow->first_in[b] == UINT32_MAX)
			go_from(c->x, p, flow, b, reached, stack);
	for (b = 0; b < p->nr_blocks && reached[b]; b++)
		;
	if (b < p->nr_blocks)
		xprof_check_warn(c, XPROF_ARRAY_blocks, p->first_block + b,
				 "block %u cannot be reached [XP-19]", b + 1);
	free(reached);
	free(stack);
}

static int check_flow(const struct xprof_checker *c, const struct xprof_proc *p)
{
	struct xprof_flow flow;
	uint32_t block;
	int err = 0;

	xprof_flow_solve(c->x, p, &flow);
	check_reached(c, p, &flow);
	if (c->options->strict && !xprof_flow_holds(c->x, p, &flow, &block))
		err = xprof_check_fail(c, XPROF_ARRAY_blocks, p->first_block + block, "what flows "
				       "into block %u is not what flows out [XP-20]", block + 1);
	xprof_flow_free(&flow);
	return err;
}

int xprof_check_proc(const struct xprof_checker *c, const struct xprof_object *o, uint32_t at)
{
	const struct xprof_proc *p = &c->x->procs[at];
	int err;

	if (!p->name)
		return xprof_check_fail(c, XPROF_ARRAY_procs, at, "no name [XP-4]");
	err = xprof_check_sums(c, XPROF_ARRAY_procs, at, p->has, p->max, p->sum,
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
