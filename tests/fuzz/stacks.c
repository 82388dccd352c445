// SPDX-License-Identifier: GPL-2.0-or-later
/* stacks.c - fuzz stack stores: read, add to; the reader's promises hold, and nothing gets lost */
#include <string.h>
#include "libdb/stack/store.h"
#include "tests/fuzz/fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Go wherever a snapshot points to. */
static uint64_t walk(const struct stack_snapshot *s)
{
	struct stack_totals t;
	uint64_t sum = s->lost;

	for (uint32_t i = 0; i < s->nr_nodes; i++) {
		if (s->nodes[i].parent == STACK_NONE)
			continue;
		if (s->nodes[i].parent >= i || s->nodes[i].frame >= s->nr_frames)
			abort();
		sum += s->frames[s->nodes[i].frame].offset + s->ends[i];
	}
	for (uint32_t i = 0; i < s->nr_frames; i++)
		sum += strlen(s->images[s->frames[i].image].name.path);
	for (uint32_t i = 0; i < s->nr_images; i++)
		sum += strlen(s->images[i].build_id);
	for (uint32_t i = 0; i < s->nr_contexts; i++) {
		const struct stack_context *c = &s->contexts[i];

		sum += strlen(c->cgroup) + strlen(c->comm);
		if (c->app != STACK_NONE && c->app >= s->nr_images)
			abort();
	}
	for (uint32_t i = 0; i < s->nr_counts; i++) {
		const struct stack_count *c = &s->counts[i];

		if (c->node >= s->nr_nodes || c->context >= s->nr_contexts)
			abort();
		sum += strlen(s->events[c->event].name);
	}
	stack_snapshot_totals(s, &t);
	return (sum + t.samples) | 1;	/* so that none of it is left out */
}

static int read_nodes(const char *path, uint32_t *ret_nr_nodes)
{
	struct stack_snapshot s;
	int err = stack_store_read(path, &s, NULL);

	if (err)
		return err;
	*ret_nr_nodes = walk(&s) ? s.nr_nodes : 0;
	stack_snapshot_free(&s);
	return 0;
}

static void add_to(struct stack_store *s)
{
	const struct stack_image image = { { .kind = IMAGE_KERNEL, .path = "new" }, "ab" };
	const struct stack_event event = { "NEW", 1, 2 };
	struct stack_context context = { 0, 1, 2, 3, "", "comm", "phase 3" };
	struct stack_frame frames[9];
	uint32_t event_id, context_id;

	if (stack_store_image(s, &image, &context.app) ||
	    stack_store_event(s, &event, &event_id) ||
	    stack_store_context(s, &context, &context_id))
		abort();
	for (uint64_t i = 0; i < 9; i++)
		frames[i] = (struct stack_frame){ context.app, i << i * 7 };
	for (size_t nr = 1; nr <= 9; nr++)
		for (unsigned int end = 0; end < 3; end++)
			if (stack_store_add(s, context_id, event_id, frames, nr, end,
					    UINT32_MAX))
				abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	struct stack_store *s = NULL;
	uint32_t before = 0, after = 0;
	int err = read_nodes(path, &before);

	if (!stack_store_open(path, 0, &s, NULL)) {
		if (!err && (read_nodes(path, &after) || after != before))
			abort();	/* opening must not lose stacks */
		add_to(s);
		stack_store_close(s);
		if (read_nodes(path, &after) || after <= before)
			abort();
	} else if (!err) {
		abort();		/* what can be read can be added to */
	}
	unlink(path);
	return 0;
}
