// SPDX-License-Identifier: GPL-2.0-or-later
/* stacks.c - write a profile's stacks to the session's stack store */
#include "pp/exchange/import/samples.h"

#include <stdlib.h>
#include <string.h>

#include "libdb/session/session.h"
#include "libdb/stack/store.h"
#include "libutil/file.h"
#include "libutil/progress.h"
#include "libutil/xalloc.h"

#define PROGRESS_STEP	4096	/* stacks */

/* The store's IDs of images and events. */
struct stack_ids {
	struct stack_store *store;
	uint32_t *images, *events;	/* 0: not added yet */
	struct stack_frame frames[STACK_FRAMES_MAX];
};

static int image_id(struct importer *m, struct stack_ids *ids, uint32_t image, uint32_t *ret)
{
	const struct stack_image name = {
		.name = { .path = m->m->images[image].path },
		.build_id = m->m->images[image].is_invented ? ""
							    : m->m->images[image].build_id,
	};
	uint32_t *id = &ids->images[image];
	int err = *id ? 0 : stack_store_image(ids->store, &name, id);

	*ret = *id;
	return err;
}

static int add_stack(struct importer *m, struct stack_ids *ids, const struct profile_sample *s,
		     uint32_t event, uint64_t count)
{
	const struct profile *p = m->p;
	const struct import_labels *l = &m->labels[s->labels];
	struct stack_context context = { .app = STACK_NONE, .tgid = l->pid, .tid = l->tid,
					 .cpu = l->cpu, .cgroup = l->cgroup, .comm = l->comm };
	const struct stack_event of = { m->events[event].name, m->events[event].count,
					m->events[event].of.unit_mask };
	unsigned int end = STACK_UNKNOWN_END;
	uint32_t node = s->node, id;
	size_t nr = 0, first_outer = SIZE_MAX;
	int err = 0;

	for (; node != PROFILE_NONE && !err; node = p->tree.nodes[node].parent) {
		const struct import_place *place = &m->m->places[p->tree.nodes[node].key];

		if (nr && end == STACK_UNKNOWN_END && place->end != PROFILE_NONE) {
			end = place->end;
			first_outer = nr;
			continue;
		}
		if (nr == STACK_FRAMES_MAX) {
			end = STACK_TRUNCATED;
			first_outer = nr;
			break;
		}
		err = image_id(m, ids, place->image, &ids->frames[nr].image);
		ids->frames[nr++].offset = place->key;
	}
	if (first_outer < nr && nr - first_outer < STACK_END_PROCESS)
		end |= (unsigned int)(nr - first_outer) << STACK_END_OUTER_SHIFT;
	if (!err && l->app != PROFILE_NONE)
		err = image_id(m, ids, l->app, &context.app);
	if (!err)
		err = stack_store_context(ids->store, &context, &id);
	if (!err && !ids->events[event])
		err = stack_store_event(ids->store, &of, &ids->events[event]);
	return err ? err : stack_store_add(ids->store, id, ids->events[event], ids->frames, nr, end,
					   count);
}

static int add_stacks(struct importer *m, struct stack_ids *ids)
{
	const struct profile *p = m->p;
	int err = 0;

	for (uint32_t i = 0; i < p->nr_samples && !err; i++) {
		if (i % PROGRESS_STEP == 0)
			progress_tell(NULL, i, p->nr_samples, "call stacks");
		for (uint32_t event = 0; event < p->nr_events && !err; event++) {
			int64_t value = p->values[(size_t)i * p->nr_events + event];
			uint64_t count = value > 0 ? (uint64_t)value / m->events[event].divisor : 0;

			if (p->samples[i].node != PROFILE_NONE && count)
				err = add_stack(m, ids, &p->samples[i], event, count);
		}
	}
	return err;
}

static uint64_t count_stacks(const struct profile *p)
{
	bool *seen = xcalloc((size_t)p->tree.nr + 1, sizeof(*seen));
	uint64_t nr = 0;

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		uint32_t node = p->samples[i].node;

		if (node == PROFILE_NONE)
			continue;
		nr += !seen[node];
		seen[node] = true;
	}
	free(seen);
	return nr;
}

int import_write_stacks(struct importer *m)
{
	char *path = path_join(m->stats, STACK_STORE_FILE);
	struct stack_ids *ids = xcalloc(1, sizeof(*ids));
	int err = stack_store_open(path, 0, &ids->store, m->e);

	ids->images = xcalloc((size_t)m->m->nr + 1, sizeof(*ids->images));
	ids->events = xcalloc((size_t)m->p->nr_events + 1, sizeof(*ids->events));
	if (!err) {
		err = add_stacks(m, ids);
		if (err)
			op_error_set(m->e, err, "cannot write '%s': %s", path, strerror(-err));
		m->sums.stacks = count_stacks(m->p);
	}
	stack_store_close(ids->store);
	free(ids->images);
	free(ids->events);
	free(ids);
	free(path);
	return err;
}
