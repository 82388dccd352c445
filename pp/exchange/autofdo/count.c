/* SPDX-License-Identifier: GPL-2.0-or-later */
/* count.c - samples to their positions, and calls to where they stand */
#include "pp/exchange/autofdo/private.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

#define ENTRY_BYTES	32	/* of a function: its prologue, mostly one basic block [SG-5] */

static struct pgo_position *position_of(struct pgo_work *w, const struct source_frame *frames,
					size_t nr)
{
	struct pgo_tree *t = &w->samples->tree;

	return pgo_position(t, pgo_tree_function(t, frames[nr - 1].function), frames, nr);
}

static void count_address(struct pgo_work *w, const struct pgo_image *image, size_t i)
{
	const struct source_frame *frames;
	size_t nr = source_position(image->positions, i, &frames);
	struct pgo_function *f;

	if (!nr || !image->counts[i])
		return;
	pgo_count(position_of(w, frames, nr), image->counts[i]);
	f = pgo_tree_function(&w->samples->tree, frames[nr - 1].function);
	if (image->addresses[i] - frames[nr - 1].low < ENTRY_BYTES && image->counts[i] > f->head)
		f->head = image->counts[i];
}

void pgo_count_samples(struct pgo_work *w)
{
	for (uint32_t i = 0; i < w->profile->nr_nodes; i++) {
		uint32_t place = w->profile->nodes[i].place;
		struct pgo_image *image = w->own[i] ? pgo_image_of(w, place) : NULL;
		size_t at = image ? pgo_index(image, w->places[place].address) : SIZE_MAX;

		if (at != SIZE_MAX)
			image->counts[at] += w->own[i];
	}
	for (size_t i = 0; i < w->samples->nr_images; i++) {
		const struct pgo_image *image = &w->samples->images[i];

		for (size_t k = 0; image->positions && k < image->nr; k++)
			count_address(w, image, k);
	}
}

/* Samples of one address below one indirect call. */
struct nested {
	uint32_t caller, callee;	/* places */
	uint64_t count;
};

struct nested_list {
	struct nested *entries;
	size_t nr, room;
};

/*
 * The function that was called, as its caller sees it, or NULL. A direct call leads where it says:
 * if that is another function, it jumped on to the callee, or the chain lacks a frame. [SG-6]
 */
static const char *callee_of(const struct pgo_work *w, uint32_t caller, uint32_t callee)
{
	const struct pgo_image *from = pgo_image_of(w, caller), *to = pgo_image_of(w, callee);
	const struct source_frame *frames, *target;
	size_t nr = to ? pgo_frames(to, w->places[callee].address, &frames) : 0, nr_target;

	if (!nr || w->places[caller].call == CALL_NONE)
		return NULL;
	if (w->places[caller].call == CALL_DIRECT) {
		nr_target = pgo_frames(from, w->places[caller].target, &target);
		if (nr_target &&
		    strcmp(target[nr_target - 1].function, frames[nr - 1].function))
			return NULL;
	}
	return frames[nr - 1].function;
}

static void count_call(struct pgo_work *w, uint32_t node, struct nested_list *nested)
{
	const struct profile_node *n = &w->profile->nodes[node];
	uint32_t caller = w->profile->nodes[n->parent].place;
	const struct pgo_image *image = pgo_image_of(w, caller);
	const struct source_frame *frames;
	const char *callee;
	size_t nr = image ? pgo_frames(image, w->places[caller].address, &frames) : 0;

	if (!nr)
		return;
	callee = callee_of(w, caller, n->place);
	if (!callee)
		return;
	pgo_call(position_of(w, frames, nr), callee, w->whole[node]);
	if (w->own[node] && w->options->nest_indirect && w->places[caller].call == CALL_INDIRECT) {
		xgrow(nested->entries, nested->nr, nested->room);
		nested->entries[nested->nr++] =
			(struct nested){ caller, n->place, w->own[node] };
	}
}

static int compare_nested(const void *a, const void *b)
{
	const struct nested *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return x->callee < y->callee ? -1 : x->callee > y->callee;
}

static void count_nested(struct pgo_work *w, const struct nested *n, uint64_t count)
{
	const struct source_frame *call, *frames;
	size_t nr_call = pgo_frames(pgo_image_of(w, n->caller), w->places[n->caller].address,
				    &call);
	size_t nr = pgo_frames(pgo_image_of(w, n->callee), w->places[n->callee].address, &frames);
	struct pgo_function *inlined = pgo_inlined(position_of(w, call, nr_call),
						   frames[nr - 1].function);

	pgo_count(pgo_position(&w->samples->tree, inlined, frames, nr), count);
}

void pgo_count_calls(struct pgo_work *w)
{
	struct nested_list nested = { 0 };

	for (uint32_t i = 0; i < w->profile->nr_nodes; i++)
		if (w->whole[i] && w->profile->nodes[i].parent != PROFILE_NONE)
			count_call(w, i, &nested);
	if (nested.nr)
		qsort(nested.entries, nested.nr, sizeof(*nested.entries), compare_nested);
	for (size_t i = 0; i < nested.nr; ) {
		const struct nested *first = &nested.entries[i];
		uint64_t count = 0;

		for (; i < nested.nr && !compare_nested(&nested.entries[i], first); i++)
			count += nested.entries[i].count;
		count_nested(w, first, count);
	}
	free(nested.entries);
}
