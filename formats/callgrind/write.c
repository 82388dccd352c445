// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * write.c - write costs of lines and of calls, for KCachegrind and callgrind_annotate
 *
 * Rules: doc/callgrind.md [CK-1]..[CK-6].
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/callgrind/callgrind.h"
#include "formats/callgrind/costs.h"
#include "formats/profile/saturate.h"
#include "libutil/plain_text.h"
#include "libutil/xalloc.h"

struct callgrind_writer {
	const struct profile *profile;
	const struct costs *costs;
	FILE *out;
	bool *named_images, *named_files, *named_functions;	/* written before, with a number */
};

static int compare_costs(const void *x, const void *y, void *context)
{
	const struct costs *c = context;
	const struct cost *a = &c->costs[*(const uint32_t *)x];
	const struct cost *b = &c->costs[*(const uint32_t *)y];

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (a->callee == b->callee || (a->callee != PROFILE_NONE && b->callee != PROFILE_NONE))
		return a->line != b->line ? (a->line < b->line ? -1 : 1)
					  : (a->callee > b->callee) - (a->callee < b->callee);
	return a->callee == PROFILE_NONE ? -1 : 1;
}

/* "KIND=(ID) NAME", the name only the first time; it ends with the line. [CK-2] */
static void write_name(struct callgrind_writer *w, const char *kind, bool *named, uint32_t id,
		       const char *name)
{
	fprintf(w->out, "%s=(%" PRIu32 ")", kind, id + 1);
	if (!named[id]) {
		fputc(' ', w->out);
		for (const char *c = *name ? name : "???"; *c; c++)
			fputc((unsigned char)*c < ' ' ? '?' : *c, w->out);
		named[id] = true;
	}
	fputc('\n', w->out);
}

static void write_image(struct callgrind_writer *w, const char *kind, uint32_t image)
{
	const struct profile *p = w->profile;

	if (image == PROFILE_NONE)
		write_name(w, kind, w->named_images, p->nr_images, "");
	else
		write_name(w, kind, w->named_images, image,
			   profile_text(p, p->images[image].path));
}

static void write_function(struct callgrind_writer *w, uint32_t id, bool is_callee)
{
	const struct shown_function *f = &w->costs->shown.functions[id];

	write_image(w, is_callee ? "cob" : "ob", f->image);
	write_name(w, is_callee ? "cfi" : "fl", w->named_files, f->file,
		   profile_text(w->profile, f->file));
	write_name(w, is_callee ? "cfn" : "fn", w->named_functions, id, f->name);
}

static void write_values(FILE *out, const int64_t *values, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		fprintf(out, " %" PRId64, values[i] < 0 ? 0 : values[i]);
	fputc('\n', out);
}

static void write_cost(struct callgrind_writer *w, uint32_t id)
{
	const struct cost *cost = &w->costs->costs[id];
	const int64_t *values = cost_values(w->costs, id);

	if (cost->callee != PROFILE_NONE) {
		write_function(w, cost->callee, true);
		fprintf(w->out, "calls=%" PRId64 " %" PRIu32 "\n", values[0] > 0 ? values[0] : 0,
			w->costs->shown.functions[cost->callee].start_line);
	}
	fprintf(w->out, "%" PRIu32, cost->line);
	write_values(w->out, values, w->profile->nr_events);
}

static void write_costs(struct callgrind_writer *w)
{
	const struct costs *c = w->costs;
	uint32_t *order = xcalloc((size_t)c->nr + 1, sizeof(*order)), function = PROFILE_NONE;

	for (uint32_t i = 0; i < c->nr; i++)
		order[i] = i;
	qsort_r(order, c->nr, sizeof(*order), compare_costs, (void *)c);
	for (uint32_t i = 0; i < c->nr; i++) {
		if (c->costs[order[i]].function != function) {
			function = c->costs[order[i]].function;
			fputc('\n', w->out);
			write_function(w, function, false);
		}
		write_cost(w, order[i]);
	}
	free(order);
}

/* Own costs only, because the costs of calls include them again. */
static void write_totals(struct callgrind_writer *w, const char *key)
{
	const struct profile *p = w->profile;
	int64_t *totals = xcalloc(p->nr_events, sizeof(*totals));

	for (uint32_t i = 0; i < w->costs->nr; i++)
		for (uint32_t k = 0; w->costs->costs[i].callee == PROFILE_NONE && k < p->nr_events;
		     k++)
			totals[k] = add_saturated(totals[k], cost_values(w->costs, i)[k]);
	fputs(key, w->out);
	write_values(w->out, totals, p->nr_events);
	free(totals);
}

/* Replace what would end the name of an event. [CK-1] */
static void write_events(const struct profile *p, FILE *out)
{
	fputs("events:", out);
	for (uint32_t i = 0; i < p->nr_events; i++) {
		fputc(' ', out);
		for (const char *c = profile_text(p, p->events[i].name); *c; c++)
			fputc(strchr(" \t:=+*", *c) || (unsigned char)*c < ' ' ? '_' : *c, out);
	}
	fputc('\n', out);
}

static void write_all(struct callgrind_writer *w)
{
	const char *title = profile_title(w->profile);

	fprintf(w->out, "# callgrind format\nversion: 1\n" CALLGRIND_CREATOR OP_VERSION "\n");
	if (*title) {
		fputs("cmd: ", w->out);
		plain_put(title, w->out);
		fputc('\n', w->out);
	}
	fputs("positions: line\n", w->out);
	write_events(w->profile, w->out);
	write_totals(w, "summary:");
	write_costs(w);
	fputc('\n', w->out);
	write_totals(w, "totals:");
}

int callgrind_write(const struct profile *p, const struct format_write_options *options, FILE *out,
		    struct op_error *e)
{
	struct callgrind_writer w = { .profile = p, .out = out };
	struct costs costs;

	(void)options;
	if (!p->nr_events)
		return op_error_set(e, -EINVAL, "the profile has no events");
	costs_make(p, &costs);
	w.costs = &costs;
	w.named_images = xcalloc((size_t)p->nr_images + 1, sizeof(bool));
	w.named_files = xcalloc(p->nr_strings, sizeof(bool));
	w.named_functions = xcalloc((size_t)costs.shown.nr_functions + 1, sizeof(bool));
	write_all(&w);
	free(w.named_images);
	free(w.named_files);
	free(w.named_functions);
	costs_free(&costs);
	return 0;
}
