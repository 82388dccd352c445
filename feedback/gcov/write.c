// SPDX-License-Identifier: GPL-2.0-or-later
/* write.c - write gcc's data files (.gcda) from a profile [XP-47] */
#include "feedback/gcov/write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/gcov/cursor.h"
#include "feedback/gcov/values.h"
#include "feedback/gcov/xprof.h"
#include "feedback/xprof/flow.h"

#define DATA_MAGIC	0x67636461	/* "gcda" */

struct encoder {
	struct strbuf *out;
	bool swapped;
};

static void put_u32(const struct encoder *c, uint32_t n)
{
	n = c->swapped ? __builtin_bswap32(n) : n;
	strbuf_add_bytes(c->out, &n, sizeof(n));
}

static void put_u64(const struct encoder *c, uint64_t n)
{
	put_u32(c, (uint32_t)n);
	put_u32(c, (uint32_t)(n >> 32));
}

/* Counters that are all 0 have only a negative length. */
static void put_counters(const struct encoder *c, uint32_t tag, const uint64_t *words, uint32_t nr,
			 bool may_omit)
{
	bool any = !may_omit;

	for (uint32_t i = 0; i < nr && !any; i++)
		any = words && words[i];
	put_u32(c, tag);
	put_u32(c, any || !nr ? 8 * nr : -(8 * nr));
	for (uint32_t i = 0; i < nr && any; i++)
		put_u64(c, words ? words[i] : 0);
}

/* A program runs its function main() once, and gcc asks for the number of runs. */
static uint64_t count_runs(const struct xprof *x)
{
	uint64_t *counts = xprof_block_counts(x), runs = 0;

	for (uint32_t i = 0; i < x->nr_procs; i++) {
		const struct xprof_proc *p = &x->procs[i];

		if (!strcmp(xprof_text(x, p->name), "main") && p->nr_blocks &&
		    counts[p->first_block] != XPROF_UNKNOWN)
			runs += counts[p->first_block];
	}
	free(counts);
	return runs ? runs : 1;
}

void gcov_writer_init(struct gcov_writer *ret, const struct xprof *x,
		      const struct gcov_idents *idents)
{
	*ret = (struct gcov_writer){
		.x = x, .idents = idents, .runs = count_runs(x),
		.max = xprof_sums(x, 0, x->nr_procs).max,
	};
}

static void put_summary(const struct gcov_writer *w, const struct encoder *c)
{
	put_u32(c, GCOV_SUMMARY);
	put_u32(c, 8);
	put_u32(c, w->runs < UINT32_MAX ? (uint32_t)w->runs : UINT32_MAX);
	put_u32(c, w->max < UINT32_MAX ? (uint32_t)w->max : UINT32_MAX);
}

static int put_function(const struct gcov_writer *w, const struct encoder *c,
			const struct gcov_function *f, const struct xprof_object *o,
			const struct xprof_proc *p, struct op_error *e)
{
	struct gcov_values values[NR_GCOV_KINDS];

	if (gcov_values_of(w->x, o, p, w->idents, values))
		return op_error_set(e, -EPROTO, "procedure '%s' has values that are not gcc's",
				    f->name);
	put_u32(c, GCOV_FUNCTION);
	put_u32(c, 12);
	put_u32(c, f->ident);
	put_u32(c, f->lineno_checksum);
	put_u32(c, f->cfg_checksum);
	put_counters(c, GCOV_ARC_COUNTERS, p->nr_counters ? w->x->counters + p->first_counter
							  : NULL, f->nr_counted, true);
	for (uint32_t kind = 1; kind < NR_GCOV_KINDS; kind++) {
		if (values[kind].nr)
			put_counters(c, GCOV_ARC_COUNTERS + (kind << 17), values[kind].words,
				     values[kind].nr, !gcov_has_lists(kind));
		free(values[kind].words);
	}
	return 0;
}

/* The procedure of @f from *at on, in the order of the notes; NULL: the profile lacks it. */
static const struct xprof_proc *next_proc(const struct xprof *x, const struct xprof_object *o,
					  const struct gcov_function *f, uint32_t *at)
{
	for (uint32_t i = *at; i < o->nr_procs; i++) {
		const struct xprof_proc *p = &x->procs[o->first_proc + i];

		if (strcmp(xprof_text(x, p->name), f->name) != 0)
			continue;
		*at = i + 1;
		return p;
	}
	return NULL;
}

int gcov_write_data(const struct gcov_writer *w, uint32_t object, const struct gcov_notes *n,
		    uint32_t *ret_nr_stale, struct strbuf *out, struct op_error *e)
{
	const struct xprof_object *o = &w->x->objects[object];
	const struct encoder c = { out, n->swapped };
	uint32_t at = 0, nr_stale = 0;
	int err = 0;

	put_u32(&c, DATA_MAGIC);
	put_u32(&c, n->version);
	put_u32(&c, n->stamp);
	put_u32(&c, 0);			/* checksum of the program: not read */
	put_summary(w, &c);
	for (uint32_t i = 0; i < n->nr && !err; i++) {
		const struct gcov_function *f = &n->functions[i];
		const struct xprof_proc *p = f->nr_blocks ? next_proc(w->x, o, f, &at) : NULL;

		if (!p)
			continue;
		if (p->signature != gcov_signature(f) ||
		    (p->nr_counters && p->nr_counters != f->nr_counted))
			nr_stale++;
		else
			err = put_function(w, &c, f, o, p, e);
	}
	put_u32(&c, 0);
	*ret_nr_stale = nr_stale;
	return err;
}
