// SPDX-License-Identifier: GPL-2.0-or-later
/* profile.c - gather samples, name their places, and make the profile */
#include "pp/exchange/export/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/stack/store.h"
#include "libutil/progress.h"
#include "libutil/xalloc.h"
#include "pp/exchange/export/gathered.h"

#define FIRST_ADDRESS	(UINT64_C(1) << 32)	/* of images whose address is unknown */

/* --- sorted places of the images --- */

static void sort_places(struct export *x)
{
	const struct profile *g = x->gathered;
	struct sample_list sorted = { .room = g->nr_places };

	sorted.samples = xcalloc((size_t)g->nr_places + 1, sizeof(*sorted.samples));
	for (uint32_t i = 0; i < g->nr_places; i++)
		if (g->places[i].image != PROFILE_NONE)
			sorted.samples[sorted.nr++] = (struct sample){ g->places[i].address, i, 0 };
	samples_sort(&sorted);
	for (size_t i = 0; i < x->nr_images; i++) {
		x->images[i]->places = xcalloc(x->images[i]->nr_places + 1, sizeof(uint32_t));
		x->images[i]->nr_places = 0;
	}
	for (size_t i = 0; i < sorted.nr; i++) {
		uint32_t place = (uint32_t)sorted.samples[i].count;
		struct export_image *image = x->images[g->places[place].image];

		image->places[image->nr_places++] = place;
	}
	samples_free(&sorted);
}

static void name_places(struct export *x)
{
	uint64_t next_address = FIRST_ADDRESS;

	x->nr_named = x->gathered->nr_places;
	x->named = xcalloc((size_t)x->nr_named + 1, sizeof(*x->named));
	sort_places(x);
	for (size_t i = 0; i < x->nr_images; i++) {
		progress_tell(NULL, i, x->nr_images, "images");
		if (!x->images[i]->nr_places)
			continue;
		export_ranges(x, x->images[i], &next_address);
		export_symbols(x, x->images[i]);
	}
}

/* --- stacks of named places --- */

static char *process_text(const struct export *x, uint64_t image)
{
	const char *name = x->images[image]->image->name, *base = strrchr(name, '/');

	return xstrdup(base && base[1] ? base + 1 : name);
}

/* The frame where others are missing, which shows why, or the process above it [PF-6]. */
static uint32_t end_place(struct export *x, uint64_t kind)
{
	struct profile *p = x->profile;
	char *text = kind >= EXPORT_PROCESS
			? process_text(x, kind - EXPORT_PROCESS)
			: xasprintf("[%s]", stack_end_text((unsigned int)kind));
	struct profile_function function = { .name = profile_string(p, text) };
	struct profile_line line = { .line = 0 };

	function.system_name = function.name;
	line.function = profile_function(p, &function);
	free(text);
	return profile_place(p, PROFILE_NONE, 0, &line, 1);
}

static void name_stacks(struct export *x)
{
	const struct profile *g = x->gathered;
	struct profile *p = x->profile;
	uint32_t *named = xcalloc((size_t)g->tree.nr + 1, sizeof(*named));

	for (uint32_t i = 0; i < g->tree.nr; i++) {
		const struct call_node *n = &g->tree.nodes[i];
		const struct profile_place *at = &g->places[n->key];

		named[i] = profile_node(p, n->parent == PROFILE_NONE ? PROFILE_NONE
								     : named[n->parent],
					at->image == PROFILE_NONE ? end_place(x, at->address)
								  : x->named[n->key]);
	}
	for (uint32_t i = 0; i < p->nr_samples; i++)
		if (p->samples[i].node != PROFILE_NONE)
			p->samples[i].node = named[p->samples[i].node];
	free(named);
	profile_merge_samples(p);
}

/* --- the whole export --- */

static void gather(struct export *x)
{
	const struct file_list *files = &x->collection->files;
	size_t end;

	for (size_t first = 0; first < files->nr; first = end) {
		const struct report_session *session = files->files[first].session;

		for (end = first; end < files->nr && files->files[end].session == session;)
			end++;
		export_stacks(x, session, first, end);
	}
}

static void export_free(struct export *x)
{
	for (size_t i = 0; i < x->nr_images; i++) {
		binary_close(&x->images[i]->binary);
		free(x->images[i]->places);
		free(x->images[i]->ranges);
		free(x->images[i]);
	}
	for (size_t i = 0; i < x->collection->sessions.nr; i++)
		imported_free(&x->imported[i]);
	free(x->imported);
	free(x->images);
	profile_free(x->gathered);
	free(x->named);
	free(x->file_events);
}

struct profile *export_empty(struct collection *c, struct notices *notices)
{
	struct export x = { .collection = c, .notices = notices };
	struct profile *p;

	if (c->files.nr || !c->sessions.nr)
		return NULL;
	export_read_imported(&x);
	p = export_empty_original(&x);
	export_free(&x);
	return p;
}

int export_profile(struct collection *c, const struct export_options *options,
		   struct profile **ret, struct notices *notices, struct op_error *e)
{
	struct export x = {
		.collection = c, .options = options, .notices = notices,
		.populate = { .demangle = options->demangle,
			      .merge_unnamed = options->merge_unnamed, .root = c->root,
			      .cache_dir = options->cache_dir },
		.profile = profile_new(), .gathered = profile_new(),
	};
	struct profile *kept = NULL;
	int err = 0;

	export_read_imported(&x);
	export_events(&x);
	gather(&x);
	if (!x.nr_read) {
		err = op_error_set(e, -EIO, "cannot read any of the sample files");
	} else if (!x.profile->nr_samples) {
		err = op_error_set(e, -ENOENT, "no samples match");
	} else {
		name_places(&x);
		name_stacks(&x);
		export_set_details(&x);
		kept = export_original(&x);
	}
	export_free(&x);
	if (kept) {
		profile_free(x.profile);
		x.profile = kept;
	}
	if (err)
		profile_free(x.profile);
	else
		*ret = x.profile;
	return err;
}
