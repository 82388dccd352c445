// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample.c - write a profile as LLVM's sample profile, for clang -fprofile-sample-use [XP-52]
 *
 * Its counts are by function and by line relative to the function's declaration. The format is that
 * of doc/sample-pgo.md [SG-10], without discriminators and nested functions, which tuples lack.
 */
#include "feedback/llvm/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/xprof/flow.h"
#include "libutil/count.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"

#define HEAD	UINT32_MAX	/* in place of an offset: how often the function was entered */

/* Where a function is declared: its first tuple. */
struct decl {
	uint32_t file, line, name;	/* strings, but for the line */
};

struct line_count {
	uint32_t name, offset;		/* string; lines from the declaration */
	uint32_t proc;			/* whose block it is */
	uint64_t count;
};

struct sample_writer {
	const struct xprof *x;
	struct decl *decls;		/* sorted */
	size_t nr_decls;
	struct line_count *counts;
	size_t nr, room;
	uint32_t nr_unwritable;
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_decls(const void *a, const void *b)
{
	const struct decl *x = a, *y = b;
	int order = compare_numbers(x->file, y->file);

	if (!order)
		order = compare_numbers(x->line, y->line);
	return order ? order : compare_numbers(x->name, y->name);
}

static int compare_counts(const void *a, const void *b)
{
	const struct line_count *x = a, *y = b;
	int order = compare_numbers(x->name, y->name);

	if (!order)
		order = compare_numbers(x->offset, y->offset);
	return order ? order : compare_numbers(x->proc, y->proc);
}

static bool is_writable(const char *name)
{
	return *name && !name[strcspn(name, " \t:")];
}

static struct decl decl_of(const struct xprof *x, const struct xprof_proc *p)
{
	const struct xprof_tuple *t = &x->tuples[p->first_tuple];

	return (struct decl){ t->file, t->line, p->name };
}

static void list_decls(struct sample_writer *w)
{
	const struct xprof *x = w->x;

	w->decls = xcalloc((size_t)x->nr_procs + 1, sizeof(*w->decls));
	for (uint32_t i = 0; i < x->nr_procs; i++)
		if (x->procs[i].nr_tuples && is_writable(xprof_text(x, x->procs[i].name)))
			w->decls[w->nr_decls++] = decl_of(x, &x->procs[i]);
	qsort(w->decls, w->nr_decls, sizeof(*w->decls), compare_decls);
}

/*
 * The function that a line of @own is in: another one if it was inlined. NULL: it is not in the
 * profile. Instances of a template are declared on one line; the line is of the one that has it.
 */
static const struct decl *function_at(const struct sample_writer *w, const struct decl *own,
				      uint32_t file, uint32_t line)
{
	size_t next = first_not(w->nr_decls, i, w->decls[i].file < file ||
				(w->decls[i].file == file && w->decls[i].line <= line));
	const struct decl *found = next ? &w->decls[next - 1] : NULL;

	if (!found || found->file != file)
		return NULL;
	return found->file == own->file && found->line == own->line ? own : found;
}

static void add_count(struct sample_writer *w, struct line_count count)
{
	xgrow(w->counts, w->nr, w->room);
	w->counts[w->nr++] = count;
}

/* Nothing is known of sampled code without samples. */
static void add_proc(struct sample_writer *w, uint32_t proc, bool is_sampled)
{
	const struct xprof *x = w->x;
	const struct xprof_proc *p = &x->procs[proc];
	const struct decl own = decl_of(x, p);
	struct xprof_flow flow;

	xprof_flow_solve(x, p, &flow);
	if (flow.blocks[0] != XPROF_UNKNOWN && (flow.blocks[0] || !is_sampled))
		add_count(w, (struct line_count){ own.name, HEAD, proc, flow.blocks[0] });
	for (uint32_t i = p->first_tuple; i < p->first_tuple + p->nr_tuples; i++) {
		const struct xprof_tuple *t = &x->tuples[i];
		const struct decl *d = function_at(w, &own, t->file, t->line);
		uint64_t count = flow.blocks[t->block - 1];

		if (d && count != XPROF_UNKNOWN && (count || !is_sampled))
			add_count(w, (struct line_count){ d->name, (t->line - d->line) & 0xffff,
							  proc, count });
	}
	xprof_flow_free(&flow);
}

/*
 * A line has the count of its most frequent block, and a function the sum of its copies: those of
 * other objects, and those inlined. The sums take the place of the counts.
 */
static void sum_counts(struct sample_writer *w)
{
	size_t kept = 0;

	if (w->nr)
		qsort(w->counts, w->nr, sizeof(*w->counts), compare_counts);
	for (size_t i = 0; i < w->nr; ) {
		struct line_count sum = w->counts[i];

		sum.count = 0;
		while (i < w->nr && w->counts[i].name == sum.name &&
		       w->counts[i].offset == sum.offset) {
			uint32_t proc = w->counts[i].proc;
			uint64_t most = 0;

			for (; i < w->nr && !compare_counts(&w->counts[i], &(struct line_count){
						sum.name, sum.offset, proc, 0 }); i++)
				most = w->counts[i].count > most ? w->counts[i].count : most;
			count_add(&sum.count, most);
		}
		w->counts[kept++] = sum;
	}
	w->nr = kept;
}

/* The function whose counts begin at @first. Returns where the next ones begin. */
static size_t write_function(const struct sample_writer *w, size_t first, FILE *out)
{
	uint32_t name = w->counts[first].name;
	uint64_t total = 0, head = 0;
	size_t end = first;

	for (; end < w->nr && w->counts[end].name == name; end++)
		if (w->counts[end].offset == HEAD)
			head = w->counts[end].count;
		else
			count_add(&total, w->counts[end].count);
	fprintf(out, "%s:%" PRIu64 ":%" PRIu64 "\n", xprof_text(w->x, name), total, head);
	for (size_t i = first; i < end; i++)
		if (w->counts[i].offset != HEAD)
			fprintf(out, " %" PRIu32 ": %" PRIu64 "\n", w->counts[i].offset,
				w->counts[i].count);
	return end;
}

int llvm_sample_write(const struct xprof *x, FILE *out, uint32_t *ret_nr_unwritable,
		      struct op_error *e)
{
	struct sample_writer w = { .x = x };

	list_decls(&w);
	for (uint32_t k = 0; k < x->nr_objects; k++) {
		const struct xprof_object *o = &x->objects[k];
		bool is_sampled = xprof_is_sampled(x, k);

		for (uint32_t i = o->first_proc; i < o->first_proc + o->nr_procs; i++)
			if (!is_writable(xprof_text(x, x->procs[i].name)))
				w.nr_unwritable++;
			else if (x->procs[i].nr_tuples)
				add_proc(&w, i, is_sampled);
	}
	sum_counts(&w);
	for (size_t i = 0; i < w.nr; )
		i = write_function(&w, i, out);
	*ret_nr_unwritable = w.nr_unwritable;
	free(w.decls);
	free(w.counts);
	return w.nr ? 0 : op_error_set(e, -EINVAL, "no functions with source lines in the folder");
}
