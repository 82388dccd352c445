/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xprof.c - convert gcc's coverage to profile feedback */
#include "feedback/gcov/xprof.h"

#include <errno.h>
#include <string.h>

#include "feedback/gcov/values.h"
#include "feedback/xprof/lines.h"
#include "libutil/hash.h"
#include "libutil/strbuf.h"

/* [XP-4] */
static int add_name(struct xprof *x, const char *text, uint32_t *ret, struct op_error *e)
{
	const char *fault = xprof_name_fault(text, strlen(text));

	if (fault)
		return op_error_set(e, -EPROTO, "%s", fault);
	*ret = xprof_intern(x, text);
	return 0;
}

/* Add the absolute path of a file, which is relative to the folder in which the compiler ran. */
static int add_file(struct xprof *x, const struct gcov_notes *n, const char *file, uint32_t *ret,
		    struct op_error *e)
{
	struct strbuf path = STRBUF_INIT;
	int err;

	if (*file == '/' || !*n->cwd)
		return add_name(x, file, ret, e);
	while (!strncmp(file, "./", 2))
		file += 2;
	strbuf_addf(&path, "%s/%s", n->cwd, file);
	err = add_name(x, path.text, ret, e);
	strbuf_free(&path);
	return err;
}

static int add_lines(struct xprof *x, const struct gcov_notes *n, const struct gcov_function *f,
		     struct xprof_proc *p, struct op_error *e)
{
	const char *last = NULL;
	uint32_t file = 0;

	if (f->is_artificial)		/* its lines are those of others */
		return 0;
	for (uint32_t i = 0; i < f->nr_lines; i++) {
		const struct gcov_line *l = &f->lines[i];
		int err = l->file == last ? 0 : add_file(x, n, l->file, &file, e);

		if (err)
			return err;
		last = l->file;
		*xprof_add_tuples(x) = (struct xprof_tuple){
			.id = i + 1, .block = l->block + 1, .line = l->line, .file = file,
		};
	}
	p->nr_tuples = p->nr_srcmap_ops = f->nr_lines;
	return 0;
}

static bool was_executed(const struct gcov_function *f)
{
	for (uint32_t i = 0; f->counters && i < f->nr_counted; i++)
		if (f->counters[i])
			return true;
	return false;
}

/* Arcs that are not on the tree have counters, in the order of the arcs, if it ran [XP-8]. */
static void add_graph(struct xprof *x, const struct gcov_function *f, struct xprof_proc *p)
{
	uint32_t nr_counters = was_executed(f) ? f->nr_counted : 0, counter = 0;

	for (uint32_t i = 0; i < nr_counters; i++)
		*xprof_add_counters(x) = f->counters[i];
	for (uint32_t i = 0; i < f->nr_blocks; i++)
		xprof_add_blocks(x);
	for (uint32_t i = 0; i < f->nr_arcs; i++) {
		const struct gcov_arc *a = &f->arcs[i];

		*xprof_add_edges(x) = (struct xprof_edge){
			.counter = !nr_counters || a->flags & GCOV_ON_TREE ? 0 : ++counter,
			.from = a->from + 1, .to = a->to + 1,
		};
	}
	p->nr_counters = nr_counters;
	p->nr_blocks = f->nr_blocks;
	p->nr_edges = f->nr_arcs;
}

static int add_function(struct xprof *x, const struct gcov_notes *n,
			const struct gcov_function *f, uint32_t id,
			const struct gcov_idents *idents, struct op_error *e)
{
	uint32_t name = 0;
	struct xprof_proc *p;
	int err = add_name(x, f->name, &name, e);

	if (err)
		return err;
	p = xprof_begin_proc(x);
	p->name = name;
	p->id = id;
	p->signature = gcov_signature(f);
	p->has = XPROF_HAS_MAX | XPROF_HAS_SUM;
	add_graph(x, f, p);
	gcov_add_values(x, f, idents, p);
	return add_lines(x, n, f, p, e);
}

int gcov_add_object(struct xprof *x, const struct gcov_notes *n, const char *path, uint32_t sec,
		    uint32_t usec, const struct gcov_idents *idents, struct op_error *e)
{
	struct xprof_object *o;
	uint32_t name = 0, id = 0;
	int err = add_name(x, path, &name, e);

	if (err)
		return err;
	o = xprof_begin_object(x);
	*o = (struct xprof_object){
		.has = XPROF_HAS_MAX | XPROF_HAS_SUM, .path = name, .sec = sec, .usec = usec,
		.first_proc = o->first_proc, .signature = n->stamp,
		.nr_values = GCOV_RECORD_VALUES,
	};
	for (uint32_t i = 0; i < n->nr && !err; i++) {
		const struct gcov_function *f = &n->functions[i];

		if (!gcov_is_procedure(n, f))
			continue;
		err = add_function(x, n, f, ++id, idents, e);
		if (!err)
			o->signature = hash_mix(o->signature,
						x->procs[x->nr_procs - 1].signature);
	}
	return err;
}
