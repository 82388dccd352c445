// SPDX-License-Identifier: GPL-2.0-or-later
/* values.c - gcc's value profiles as value records, and back [XP-46] */
#include "feedback/gcov/values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/xprof/lines.h"
#include "libutil/xalloc.h"

/* Executions of a site, if they are not the sum of the counts of its values. */
enum { TOPN_TOTALS = NR_GCOV_KINDS, INDIRECT_TOTALS, NR_EXPR_KINDS };

/* --- to records --- */

struct maker {
	struct xprof *x;
	const struct gcov_idents *idents;
	struct xprof_proc *p;
};

static void fill_record(struct maker *m, uint32_t type, uint32_t expr)
{
	while ((m->x->nr_values - m->p->first_value) % GCOV_RECORD_VALUES)
		*xprof_add_values(m->x) = (struct xprof_value){ .type = type, .expr = expr };
}

static bool is_name(const char *text)
{
	return !xprof_name_fault(text, strlen(text));
}

/* Fill in the callee; without one the value is that of a procedure that is not profiled. */
static void set_callee(struct maker *m, struct xprof_value *v, uint64_t ident)
{
	const struct gcov_ident *callee = m->idents ? gcov_ident_find(m->idents, ident) : NULL;

	if (!callee || !is_name(callee->name) || !is_name(callee->object))
		return;
	v->name = xprof_intern(m->x, callee->name);
	v->path = xprof_intern(m->x, callee->object);
}

/* @nr pairs of value and count. */
static void add_site(struct maker *m, uint32_t kind, uint32_t site, const uint64_t *pairs,
		     uint64_t nr)
{
	struct xprof_value v = {
		.type = kind == GCOV_INDIRECT ? XPROF_PROC : XPROF_LLONG,
		.expr = kind * GCOV_EXPRS + site + 1,
	};
	uint32_t before = m->x->nr_values;

	for (uint64_t i = 0; i < nr; i++) {
		v.count = pairs[2 * i + 1];
		if (!v.count)
			continue;
		if (kind == GCOV_INDIRECT) {
			v.name = v.path = 0;
			set_callee(m, &v, pairs[2 * i]);
		} else {
			v.value = pairs[2 * i];
		}
		*xprof_add_values(m->x) = v;
	}
	if (m->x->nr_values == before)
		*xprof_add_values(m->x) = (struct xprof_value){ .type = v.type, .expr = v.expr };
	fill_record(m, v.type, v.expr);
	m->p->nr_vp_sites++;
}

static void add_words(struct maker *m, uint32_t kind, const struct gcov_values *v)
{
	for (uint32_t i = 0; i < v->nr && i < GCOV_EXPRS - 1; i++) {
		uint64_t word = v->words ? v->words[i] : 0;

		add_site(m, kind, i, (uint64_t[]){ word, word != 0 }, 1);
	}
}

static void add_lists(struct maker *m, uint32_t kind, const struct gcov_values *v)
{
	uint32_t totals = kind == GCOV_TOPN ? TOPN_TOTALS : INDIRECT_TOTALS, site = 0;

	for (uint32_t at = 0; at < v->nr && site < GCOV_EXPRS - 1; site++) {
		const uint64_t *list = v->words ? v->words + at : (uint64_t[]){ 0, 0 };
		uint64_t sum = 0;

		for (uint64_t i = 0; i < list[1]; i++)
			sum += list[3 + 2 * i];
		add_site(m, kind, site, list + 2, list[1]);
		if (sum != list[0])
			add_site(m, totals, site, (uint64_t[]){ list[0], 1 }, 1);
		at += 2 + 2 * (uint32_t)list[1];
	}
}

void gcov_add_values(struct xprof *x, const struct gcov_function *f,
		     const struct gcov_idents *idents, struct xprof_proc *p)
{
	struct maker m = { x, idents, p };

	for (uint32_t kind = 1; kind < NR_GCOV_KINDS; kind++) {
		if (gcov_has_lists(kind))
			add_lists(&m, kind, &f->values[kind]);
		else
			add_words(&m, kind, &f->values[kind]);
	}
	p->nr_vp_records = (x->nr_values - p->first_value) / GCOV_RECORD_VALUES;
}

/* --- from records --- */

struct site {
	uint64_t total, sum;
	uint32_t nr;			/* pairs */
	uint32_t at;			/* of its list */
	bool has_total;
};

struct parser {
	const struct xprof *x;
	const struct xprof_value *values;
	uint64_t nr;
	const struct gcov_idents *idents;
	uint32_t nr_sites[NR_EXPR_KINDS];
};

/* Each site has a value, so larger numbers are not of this kind of profile. */
static bool count_sites(struct parser *p)
{
	for (uint64_t i = 0; i < p->nr; i++) {
		uint32_t kind = p->values[i].expr / GCOV_EXPRS;
		uint32_t site = p->values[i].expr % GCOV_EXPRS;

		if (!kind || kind >= NR_EXPR_KINDS || !site || site > p->nr)
			return false;
		if (p->nr_sites[kind] < site)
			p->nr_sites[kind] = site;
	}
	return p->nr_sites[TOPN_TOTALS] <= p->nr_sites[GCOV_TOPN] &&
	       p->nr_sites[INDIRECT_TOTALS] <= p->nr_sites[GCOV_INDIRECT];
}

static void make_words(const struct parser *p, uint32_t kind, struct gcov_values *ret)
{
	ret->nr = p->nr_sites[kind];
	ret->words = xcalloc((size_t)ret->nr + 1, sizeof(*ret->words));
	for (uint64_t i = 0; i < p->nr; i++) {
		const struct xprof_value *v = &p->values[i];
		uint64_t *word = &ret->words[v->expr % GCOV_EXPRS - 1];

		if (v->expr / GCOV_EXPRS == kind && v->count && !*word)
			*word = v->value;
	}
}

/* The value that the compiler knows; false: a callee that it does not. */
static bool value_of(const struct parser *p, const struct xprof_value *v, uint64_t *ret)
{
	const struct gcov_ident *callee;

	*ret = v->value;
	if (v->type != XPROF_PROC)
		return true;
	callee = v->name ? gcov_ident_of(p->idents, xprof_text(p->x, v->name),
					 xprof_text(p->x, v->path)) : NULL;
	*ret = callee ? callee->ident : 0;
	return callee;
}

static void make_lists(const struct parser *p, uint32_t kind, struct gcov_values *ret)
{
	uint32_t totals = kind == GCOV_TOPN ? TOPN_TOTALS : INDIRECT_TOTALS;
	struct site *sites = xcalloc((size_t)p->nr_sites[kind] + 1, sizeof(*sites)), *s;
	uint64_t value;
	uint32_t at = 0;

	for (uint64_t i = 0; i < p->nr; i++) {
		const struct xprof_value *v = &p->values[i];

		s = &sites[v->expr % GCOV_EXPRS - 1];
		if (v->expr / GCOV_EXPRS == kind && v->count) {
			s->sum += v->count;
			s->nr += value_of(p, v, &value);
		} else if (v->expr / GCOV_EXPRS == totals && v->count) {
			s->total = v->value;
			s->has_total = true;
		}
	}
	for (s = sites; s < sites + p->nr_sites[kind]; s++) {
		s->at = at;
		at += 2 + 2 * s->nr;
	}
	ret->nr = at;
	ret->words = xcalloc((size_t)at + 1, sizeof(*ret->words));
	for (s = sites; s < sites + p->nr_sites[kind]; s++) {
		ret->words[s->at++] = s->has_total ? s->total : s->sum;
		ret->words[s->at++] = s->nr;
	}
	for (uint64_t i = 0; i < p->nr; i++) {
		const struct xprof_value *v = &p->values[i];

		s = &sites[v->expr % GCOV_EXPRS - 1];
		if (v->expr / GCOV_EXPRS != kind || !v->count || !value_of(p, v, &value))
			continue;
		ret->words[s->at++] = value;
		ret->words[s->at++] = v->count;
	}
	free(sites);
}

int gcov_values_of(const struct xprof *x, const struct xprof_object *o, const struct xprof_proc *p,
		   const struct gcov_idents *idents, struct gcov_values ret[NR_GCOV_KINDS])
{
	struct parser parser = {
		.x = x, .values = x->values + p->first_value, .nr = xprof_nr_values(o, p),
		.idents = idents,
	};

	memset(ret, 0, NR_GCOV_KINDS * sizeof(*ret));
	if (!count_sites(&parser))
		return -EPROTO;
	for (uint32_t kind = 1; kind < NR_GCOV_KINDS; kind++) {
		if (!parser.nr_sites[kind])
			continue;
		if (gcov_has_lists(kind))
			make_lists(&parser, kind, &ret[kind]);
		else
			make_words(&parser, kind, &ret[kind]);
	}
	return 0;
}
