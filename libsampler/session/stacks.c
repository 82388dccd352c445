// SPDX-License-Identifier: GPL-2.0-or-later
/* stacks.c - add whole stacks with their labels to the session's stack store */
#include "libsampler/session/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/session/thread_sample.h"
#include "libdb/stack/store.h"
#include "libutil/file.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define BYTES_MAX	(UINT64_C(256) << 20)	/* of the store, as in the daemon */

struct stacks {
	struct session_update *u;
	struct stack_store *store;
	uint32_t *images;		/* ids of the profile's images; 0: not added yet */
	uint32_t *contexts;		/* ids of label sets; likewise */
	uint32_t nowhere, app, event;
	struct stack_frame frames[STACK_FRAMES_MAX];	/* of add_stack(): not cleared for each */
};

static unsigned int end_of(unsigned char status)
{
	switch (status) {
	case SAMPLER_WHOLE:
		return STACK_COMPLETE;
	case SAMPLER_DEPTH:
		return STACK_TRUNCATED;
	case SAMPLER_PARTIAL:
	case SAMPLER_FOREIGN_STACK:
		return STACK_UNREADABLE;
	case SAMPLER_BUFFER:
		return STACK_SHORT_COPY;
	}
	return STACK_NO_TABLE;
}

static int get_image(struct stacks *s, uint32_t image, uint32_t *ret)
{
	const struct session_update *u = s->u;
	const struct stack_image nowhere = { { .kind = IMAGE_ANON, .path = "unknown" }, "" };
	bool known = image != PROFILE_NONE && u->images[image].is_known;
	uint32_t *id = known ? &s->images[image] : &s->nowhere;
	int err = 0;

	if (!*id)
		err = stack_store_image(s->store, known
					? &(struct stack_image){ u->images[image].name,
								 u->images[image].build_id }
					: &nowhere, id);
	*ret = *id;
	return err;
}

/* "phase 3 request/7 12": the program's metadata. */
static char *labels_text(const struct profile *p, uint32_t set)
{
	struct strbuf text = STRBUF_INIT;

	for (uint32_t i = 0; i < p->label_sets[set].nr; i++) {
		const struct profile_label *l = &p->labels[p->label_sets[set].first + i];
		const char *key = profile_text(p, l->key);

		if (l->text || !strcmp(key, BUILD_PID) || !strcmp(key, BUILD_TID))
			continue;
		(void)stack_label_add(&text, key, l->number);
	}
	return text.len ? strbuf_steal(&text) : xstrdup("");
}

static const char *comm_of(const struct profile *p, uint32_t set)
{
	for (uint32_t i = 0; i < p->label_sets[set].nr; i++) {
		const struct profile_label *l = &p->labels[p->label_sets[set].first + i];

		if (l->text && !strcmp(profile_text(p, l->key), BUILD_COMM))
			return profile_text(p, l->text);
	}
	return "";
}

static int get_context(struct stacks *s, uint32_t set, uint32_t *ret)
{
	const struct profile *p = s->u->p;
	char *labels;
	int err;

	*ret = s->contexts[set];
	if (*ret)
		return 0;
	labels = labels_text(p, set);
	err = stack_store_context(s->store, &(struct stack_context){
		.app = s->app, .tgid = s->u->pid, .tid = session_label(p, set, BUILD_TID),
		.cpu = SAMPLE_ALL, .cgroup = "", .comm = comm_of(p, set), .labels = labels,
	}, &s->contexts[set]);
	free(labels);
	*ret = s->contexts[set];
	return err;
}

static int add_stack(struct stacks *s, uint32_t sample, unsigned int end)
{
	const struct profile *p = s->u->p;
	struct stack_frame *frames = s->frames;
	uint32_t context;
	size_t nr = 0;
	int err = get_context(s, p->samples[sample].labels, &context);

	for (uint32_t n = p->samples[sample].node; n != PROFILE_NONE && nr < STACK_FRAMES_MAX &&
	     !err; n = p->tree.nodes[n].parent, nr++) {
		const struct profile_place *at = &p->places[p->tree.nodes[n].key];
		bool known = at->image != PROFILE_NONE && s->u->images[at->image].is_known;

		frames[nr].offset = known ? session_key(p, at) : at->address;
		err = get_image(s, at->image, &frames[nr].image);
	}
	return err ? err : stack_store_add(s->store, context, s->event, frames, nr, end,
					   (uint64_t)p->values[sample]);
}

/* Stacks of samples without a sample file are not kept. */
static bool is_filed(const struct session_update *u, uint32_t sample)
{
	uint32_t image = u->p->places[u->p->tree.nodes[u->p->samples[sample].node].key].image;

	return image != PROFILE_NONE && u->images[image].is_known;
}

static int open_store(struct stacks *s)
{
	struct session_update *u = s->u;
	char *path = path_join(u->to.stats, STACK_STORE_FILE);
	struct op_error why = { "" };
	int err = stack_store_open(path, BYTES_MAX, &s->store, &why);

	if (!err)
		err = stack_store_event(s->store, &(struct stack_event){
			THREAD_SAMPLE, u->count, u->unit_mask }, &s->event);
	if (!err)
		err = stack_store_image(s->store, &(struct stack_image){ u->app, "" }, &s->app);
	if (err)
		session_failed(u, err, path);
	free(path);
	return err;
}

void session_write_stacks(struct session_update *u)
{
	const struct profile *p = u->p;
	struct stacks s = { .u = u };
	int err = open_store(&s);

	s.images = xcalloc((size_t)p->nr_images + 1, sizeof(*s.images));
	s.contexts = xcalloc((size_t)p->nr_label_sets + 1, sizeof(*s.contexts));
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		unsigned int end = end_of(u->ends[i]);
		int failed = err;

		if (!is_filed(u, i))
			continue;
		u->counts.stacks[end] += (uint64_t)p->values[i];
		if (!failed)
			failed = add_stack(&s, i, end);
		if (failed)
			u->counts.stacks_lost += (uint64_t)p->values[i];
		if (failed && !err)
			session_failed(u, failed, STACK_STORE_FILE);
	}
	stack_store_close(s.store);
	free(s.images);
	free(s.contexts);
}
