// SPDX-License-Identifier: GPL-2.0-or-later
/* write.c - write the text of LLVM's profiles [XP-50] */
#include "feedback/llvm/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/llvm/format.h"
#include "libutil/xalloc.h"

bool llvm_profile_is_object(const struct xprof *x, uint32_t object)
{
	const struct xprof_object *o = &x->objects[object];

	return o->nr_procs && o->nr_values == LLVM_RECORD_VALUES &&
	       *xprof_text(x, x->procs[o->first_proc].name) == ':';
}

/* --- values --- */

struct sites {
	const struct xprof *x;
	const struct xprof_value *values;
	uint64_t nr;
	uint32_t nr_sites[LLVM_NR_KINDS];
};

/* Each site has a value, so larger numbers are not of this kind of profile. */
static bool count_sites(struct sites *s)
{
	for (uint64_t i = 0; i < s->nr; i++) {
		uint32_t kind = s->values[i].expr / LLVM_KIND_EXPRS - 1;
		uint32_t site = s->values[i].expr % LLVM_KIND_EXPRS;

		if (kind >= LLVM_NR_KINDS || !site || site > s->nr)
			return false;
		if (s->nr_sites[kind] < site)
			s->nr_sites[kind] = site;
	}
	return true;
}

static void write_value(const struct sites *s, const struct xprof_value *v, FILE *out)
{
	if (v->type == XPROF_PROC)
		fprintf(out, "%s:%" PRIu64 "\n", xprof_text(s->x, v->name), v->count);
	else
		fprintf(out, "%" PRIu64 ":%" PRIu64 "\n", v->value, v->count);
}

static bool is_written(const struct xprof_value *v)
{
	return v->count && (v->type != XPROF_PROC || v->name);
}

/* The values of one site follow each other. */
static void write_kind(const struct sites *s, uint32_t kind, FILE *out)
{
	uint64_t *firsts = xcalloc((size_t)s->nr_sites[kind] + 1, sizeof(*firsts));

	for (uint64_t i = s->nr; i-- > 0;)
		if (s->values[i].expr / LLVM_KIND_EXPRS == kind + 1)
			firsts[s->values[i].expr % LLVM_KIND_EXPRS - 1] = i;
	fprintf(out, "%u\n%u\n", kind, s->nr_sites[kind]);
	for (uint32_t site = 0; site < s->nr_sites[kind]; site++) {
		uint32_t expr = (kind + 1) * LLVM_KIND_EXPRS + site + 1;
		unsigned int nr = 0;
		uint64_t i;

		for (i = firsts[site]; i < s->nr && s->values[i].expr == expr; i++)
			nr += is_written(&s->values[i]) && nr < LLVM_VALUES_MAX;
		fprintf(out, "%u\n", nr);
		for (i = firsts[site]; nr; i++)
			if (is_written(&s->values[i])) {
				write_value(s, &s->values[i], out);
				nr--;
			}
	}
	free(firsts);
}

static int write_values(const struct xprof *x, const struct xprof_object *o,
			const struct xprof_proc *p, FILE *out, struct op_error *e)
{
	struct sites s = {
		.x = x, .values = x->values + p->first_value, .nr = xprof_nr_values(o, p),
	};
	unsigned int nr_kinds = 0;

	if (!count_sites(&s))
		return op_error_set(e, -EPROTO, "procedure '%s' has values that are not LLVM's",
				    xprof_text(x, p->name));
	for (uint32_t kind = 0; kind < LLVM_NR_KINDS; kind++)
		nr_kinds += s.nr_sites[kind] > 0;
	if (nr_kinds)
		fprintf(out, "%u\n", nr_kinds);
	for (uint32_t kind = 0; kind < LLVM_NR_KINDS; kind++)
		if (s.nr_sites[kind])
			write_kind(&s, kind, out);
	return 0;
}

/* --- functions --- */

static int write_proc(const struct xprof *x, const struct xprof_object *o,
		      const struct xprof_proc *p, FILE *out, struct op_error *e)
{
	int err;

	fprintf(out, "%s\n%" PRIu64 "\n%u\n", xprof_text(x, p->name), p->signature, p->nr_counters);
	for (uint32_t i = 1; i <= p->nr_counters; i++)
		fprintf(out, "%" PRIu64 "\n", xprof_counter(x, p, i));
	err = write_values(x, o, p, out, e);
	putc('\n', out);
	return err;
}

/* Header lines come once, before all functions. */
static void write_header(const struct xprof *x, uint32_t object, FILE *out)
{
	const struct xprof_object *o = &x->objects[object];

	for (uint32_t i = o->first_proc; i < o->first_proc + o->nr_procs; i++)
		if (*xprof_text(x, x->procs[i].name) == ':')
			fprintf(out, "%s\n", xprof_text(x, x->procs[i].name));
}

int llvm_profile_write(const struct xprof *x, FILE *out, struct op_error *e)
{
	bool any = false;
	int err = 0;

	for (uint32_t k = 0; k < x->nr_objects && !err; k++) {
		const struct xprof_object *o = &x->objects[k];

		if (!llvm_profile_is_object(x, k))
			continue;
		if (!any)
			write_header(x, k, out);
		any = true;
		for (uint32_t i = o->first_proc; i < o->first_proc + o->nr_procs && !err; i++)
			if (*xprof_text(x, x->procs[i].name) != ':')
				err = write_proc(x, o, &x->procs[i], out, e);
	}
	return err || any ? err : op_error_set(e, -EINVAL, "no profile of LLVM in the folder");
}
