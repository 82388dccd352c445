/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcov_listing.c - print a source with execution counts, and tables of the most executed lines */
#include "feedback/gcov/tcov_listing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/xprof/flow.h"
#include "feedback/xprof/line_counts.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

#define SOURCE_MAX	((size_t)256 << 20)

struct listing {
	const struct xprof *x;
	const uint64_t *counts;
	uint32_t file;
	const struct tcov_options *options;
	struct xprof_line_count *lines;
	size_t nr_lines;
	bool is_sampled;		/* counts are estimates, and 0 says little */
	FILE *out;
};

static bool has_sampled_lines(const struct xprof *x, uint32_t file)
{
	for (uint32_t i = 0; i < x->nr_objects; i++) {
		const struct xprof_object *o = &x->objects[i];

		if (!xprof_is_sampled(x, i))
			continue;
		for (uint32_t k = o->first_proc; k < o->first_proc + o->nr_procs; k++) {
			const struct xprof_proc *p = &x->procs[k];

			for (uint32_t t = p->first_tuple; t < p->first_tuple + p->nr_tuples; t++)
				if (x->tuples[t].file == file)
					return true;
		}
	}
	return false;
}

static void print_line(const struct listing *l, const struct xprof_line_count *c, const char *text,
		       int len)
{
	char count[24];

	if (!c || (!l->options->all && !c->begins_block)) {
		fprintf(l->out, "%16s%.*s\n", "", len, text);
		return;
	}
	if (c->count)
		snprintf(count, sizeof(count), "%" PRIu64, c->count);
	else
		snprintf(count, sizeof(count), "%s", l->is_sampled ? "....." : "#####");
	fprintf(l->out, "%12s -> %.*s\n", count, len, text);
}

static void print_source(const struct listing *l, const char *text, size_t size)
{
	const char *end = text + size;
	uint32_t number = 0;
	size_t next = 0;

	while (text < end) {
		const char *newline = memchr(text, '\n', end - text);
		const char *stop = newline ? newline : end;
		const struct xprof_line_count *c = NULL;

		number++;
		if (next < l->nr_lines && l->lines[next].line == number)
			c = &l->lines[next++];
		print_line(l, c, text, stop - text);
		text = stop + 1;
	}
}

static int by_count(const void *a, const void *b)
{
	const struct xprof_line_count *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Changes the order of the lines. */
static void print_top(struct listing *l)
{
	if (!l->options->top)
		return;
	qsort(l->lines, l->nr_lines, sizeof(*l->lines), by_count);
	fprintf(l->out, "\n\n\t\tTop %u lines\n\n\t\tLine\tCount\n\n", l->options->top);
	for (size_t i = 0; i < l->nr_lines && i < l->options->top && l->lines[i].count; i++)
		fprintf(l->out, "\t\t%u\t%" PRIu64 "\n", l->lines[i].line, l->lines[i].count);
}

struct totals {
	uint64_t blocks, executed, executions;
};

static void add_proc(const struct listing *l, const struct xprof_proc *p, struct totals *t)
{
	bool *seen = xcalloc((size_t)p->nr_blocks + 1, sizeof(*seen));

	for (uint32_t i = p->first_tuple; i < p->first_tuple + p->nr_tuples; i++) {
		const struct xprof_tuple *s = &l->x->tuples[i];
		uint64_t count = l->counts[p->first_block + s->block - 1];

		if (s->file != l->file || seen[s->block])
			continue;
		seen[s->block] = true;
		t->blocks++;
		if (count == XPROF_UNKNOWN || !count)
			continue;
		t->executed++;
		t->executions = t->executions > UINT64_MAX - count ? UINT64_MAX
								   : t->executions + count;
	}
	free(seen);
}

static void print_totals(const struct listing *l)
{
	struct totals t = { 0 };

	for (uint32_t i = 0; i < l->x->nr_procs; i++)
		add_proc(l, &l->x->procs[i], &t);
	if (!t.blocks)
		return;
	fprintf(l->out, "\n\n%12" PRIu64 "\tbasic blocks in this file\n", t.blocks);
	fprintf(l->out, "%12" PRIu64 "\tbasic blocks %s\n", t.executed,
		l->is_sampled ? "sampled" : "executed");
	fprintf(l->out, "%12.2f\tpercent of the file %s\n", 100.0 * t.executed / t.blocks,
		l->is_sampled ? "sampled" : "executed");
	fprintf(l->out, "\n%12" PRIu64 "\ttotal basic block executions\n", t.executions);
	fprintf(l->out, "%12.2f\taverage executions of a basic block\n",
		(double)t.executions / t.blocks);
}

int tcov_listing_print(const struct xprof *x, const uint64_t *counts, uint32_t file,
		       const char *path, const struct tcov_options *options, FILE *out,
		       struct op_error *e)
{
	struct listing l = {
		.x = x, .counts = counts, .file = file, .options = options, .out = out,
	};
	char *text;
	size_t size;
	int err = file_read_all(path, SOURCE_MAX, &text, &size);

	if (err)
		return op_error_set(e, err, "cannot read '%s': %s; use -p OLD NEW if the sources "
				    "were moved", path, strerror(-err));
	l.lines = xprof_line_counts(x, file, &l.nr_lines);
	l.is_sampled = has_sampled_lines(x, file);
	if (l.is_sampled)
		fputs("counts are estimated from samples; ..... has none, but may have run\n\n",
		      out);
	print_source(&l, text, size);
	print_top(&l);
	print_totals(&l);
	free(l.lines);
	free(text);
	return 0;
}
