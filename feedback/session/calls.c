/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls.c - read calls from call stacks, and find those of a caller */
#include "feedback/session/calls.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/sorted.h"
#include "libutil/xalloc.h"
#include "pp/exchange/export/profile.h"

/* For each node, the samples of its stack and of all stacks that continue it. */
static uint64_t *sum_samples(const struct profile *p)
{
	uint64_t *sums = xcalloc((size_t)p->tree.nr + 1, sizeof(*sums));

	for (uint32_t i = 0; i < p->nr_samples; i++)
		for (uint32_t e = 0; p->samples[i].node != PROFILE_NONE && e < p->nr_events; e++)
			sums[p->samples[i].node] += p->values[(size_t)i * p->nr_events + e];
	for (uint32_t i = p->tree.nr; i-- > 0; )
		if (p->tree.nodes[i].parent != PROFILE_NONE)
			sums[p->tree.nodes[i].parent] += sums[i];
	return sums;
}

/* The image and offset of @node; false: not in a file. */
static bool locate_node(const struct profile *p, uint32_t node, const char **ret_path,
			uint64_t *ret_offset)
{
	const struct profile_place *place = &p->places[p->tree.nodes[node].key];
	const struct profile_image *image;

	if (place->image == PROFILE_NONE || p->images[place->image].kind != PROFILE_FILE)
		return false;
	image = &p->images[place->image];
	*ret_path = profile_text(p, image->path);
	*ret_offset = profile_offset(image, place->address);
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct xprof_call *x = a, *y = b;
	int order = strcmp(x->caller, y->caller);

	if (!order && x->from != y->from)
		order = x->from < y->from ? -1 : 1;
	if (!order)
		order = strcmp(x->callee, y->callee);
	return order ? order : x->to < y->to ? -1 : x->to > y->to;
}

void xprof_calls_read(struct collection *c, struct xprof_calls *ret)
{
	const struct export_options plain = { 0 };
	struct notices ignored = { 0 };		/* reading the samples reports them */
	struct op_error e;
	struct profile *p = NULL;
	uint64_t *sums;

	*ret = (struct xprof_calls){ 0 };
	if (!export_profile(c, &plain, &p, &ignored, &e)) {
		sums = sum_samples(p);
		ret->profile = p;
		ret->all = xcalloc((size_t)p->tree.nr + 1, sizeof(*ret->all));
		for (uint32_t i = 0; i < p->tree.nr; i++) {
			struct xprof_call *call = &ret->all[ret->nr];

			call->count = sums[i];
			ret->nr += p->tree.nodes[i].parent != PROFILE_NONE && sums[i] &&
				   locate_node(p, i, &call->callee, &call->to) &&
				   locate_node(p, p->tree.nodes[i].parent, &call->caller,
					       &call->from);
		}
		qsort(ret->all, ret->nr, sizeof(*ret->all), compare);
		free(sums);
	}
	notices_free(&ignored);
}

void xprof_calls_free(struct xprof_calls *calls)
{
	free(calls->all);
	profile_free(calls->profile);
	*calls = (struct xprof_calls){ 0 };
}

const struct xprof_call *xprof_calls_find(const struct xprof_calls *calls, const char *caller,
					  uint64_t low, uint64_t high, size_t *ret_nr)
{
	const struct xprof_call key = { .caller = caller, .callee = "", .from = low };
	size_t first = first_not(calls->nr, i, compare(&calls->all[i], &key) < 0), end;

	for (end = first; end < calls->nr && calls->all[end].from < high &&
	     !strcmp(calls->all[end].caller, caller); )
		end++;
	*ret_nr = end - first;
	return calls->all + first;
}
