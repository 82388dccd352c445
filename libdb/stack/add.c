// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * add.c - find or create a stack's node and add to its count
 *
 * From the outermost frame inwards. The frames that the stack has in common with a recent one need
 * no lookup; for the rest cache misses on the index are what costs, so the slots of all frames are
 * prefetched before the first is needed.
 */
#include <errno.h>
#include <string.h>
#include "libdb/stack/open_store.h"

/* The position of a node; 0 and *ret_err. */
static uint32_t find_or_append(struct stack_store *s, struct stack_record r, int *ret_err)
{
	uint32_t pos = stack_index_find(s, r);

	*ret_err = 0;
	return pos ? pos : stack_append(s, &r, 1, ret_err);
}

static struct stack_record narrow_frame(const struct stack_frame *f)
{
	return (struct stack_record){ STACK_HEAD(STACK_FRAME, f->image), (uint32_t)f->offset };
}

static uint32_t append_frame(struct stack_store *s, const struct stack_record *r, uint32_t nr,
			     uint32_t image, int *ret_err)
{
	if (stack_is_label(s, image, STACK_IMAGE))
		return stack_append(s, r, nr, ret_err);
	*ret_err = -EINVAL;
	return 0;
}

static uint32_t wide_frame_of(struct stack_store *s, const struct stack_frame *f, int *ret_err)
{
	struct stack_record r[2] = { { STACK_HEAD(STACK_WIDE_FRAME, f->image), 0 } };
	uint32_t pos;

	memcpy(&r[1], &f->offset, sizeof(r[1]));
	pos = stack_index_find_long(s, r);
	return pos ? pos : append_frame(s, r, 2, f->image, ret_err);
}

/* The position of @f's record; 0 and *ret_err. */
static uint32_t frame_of(struct stack_store *s, const struct stack_frame *f, int *ret_err)
{
	struct stack_record r = narrow_frame(f);
	uint32_t pos;

	if (f->image >= STACK_POSITIONS) {
		*ret_err = -EINVAL;
		return 0;
	}
	if (!stack_is_narrow(f->offset))
		return wide_frame_of(s, f, ret_err);
	pos = stack_index_find(s, r);
	return pos ? pos : append_frame(s, &r, 1, f->image, ret_err);
}

static int series_of(struct stack_store *s, uint32_t context, uint32_t event, uint32_t *ret)
{
	struct stack_record r = { STACK_HEAD(STACK_SERIES, context), event };
	uint32_t pos;
	int err = 0;

	if (s->series && s->context == context && s->event == event) {
		*ret = s->series;
		return 0;
	}
	pos = context < STACK_POSITIONS ? stack_index_find(s, r) : 0;
	if (!pos) {
		if ((!stack_is_label(s, context, STACK_CONTEXT) &&
		     !stack_is_label(s, context, STACK_LABELED_CONTEXT)) ||
		    !stack_is_label(s, event, STACK_EVENT))
			return -EINVAL;
		pos = stack_append(s, &r, 1, &err);
		if (err)
			return err;
	}
	s->context = context;
	s->event = event;
	*ret = s->series = pos;
	return 0;
}

/* The number of frames that two stacks have in common, from the outermost on. */
static size_t nr_common(const struct stack_last *last, const struct stack_frame *frames, size_t nr)
{
	size_t i = 0;

	while (i < nr && i < last->nr && last->frames[i].offset == frames[nr - 1 - i].offset &&
	       last->frames[i].image == frames[nr - 1 - i].image)
		i++;
	return i;
}

/* The recent stack that has most in common with this one; NULL: none has the same root. */
static struct stack_last *find_most_alike(struct stack_store *s, const struct stack_frame *frames,
				     size_t nr, unsigned int end, size_t *ret_common)
{
	struct stack_last *best = NULL;

	for (struct stack_last *l = s->last; l < s->last + NR_LAST; l++) {
		size_t n = l->root && l->end == end ? nr_common(l, frames, nr) : 0;

		if (l->root && l->end == end && (!best || n > *ret_common)) {
			best = l;
			*ret_common = n;
		}
	}
	return best;
}

/*
 * The slot that keeps the stack for the next ones, filled with the frames it shares with a recent
 * one. It replaces that one unless that looks like another task's. NULL and *ret_err.
 */
static struct stack_last *begin_stack(struct stack_store *s, const struct stack_frame *frames,
				      size_t nr, unsigned int end, int *ret_err)
{
	size_t n = 0;
	struct stack_last *alike = find_most_alike(s, frames, nr, end, &n), *last = alike;

	*ret_err = 0;
	if (!alike || 2 * n < alike->nr)
		last = &s->last[s->next_last++ % NR_LAST];
	if (!alike) {
		last->root = find_or_append(s, (struct stack_record){
						    STACK_HEAD(STACK_NODE, 0), end }, ret_err);
		last->end = end;
	} else if (last != alike) {
		last->root = alike->root;
		last->end = end;
		memcpy(last->frames, alike->frames, n * sizeof(*last->frames));
		memcpy(last->nodes, alike->nodes, n * sizeof(*last->nodes));
	}
	last->nr = n;
	return last->root ? last : NULL;
}

/* The positions of the records of @nr frames, 0 for what is looked up later. */
static void find_frames(const struct stack_store *s, const struct stack_frame *frames, size_t nr,
			uint32_t *ret)
{
	for (size_t i = 0; i < nr; i++)
		stack_index_prefetch(s, narrow_frame(&frames[i]));
	for (size_t i = 0; i < nr; i++)
		stack_index_prefetch_record(s, narrow_frame(&frames[i]));
	for (size_t i = 0; i < nr; i++) {
		bool is_narrow = stack_is_narrow(frames[i].offset);

		ret[i] = is_narrow && frames[i].image < STACK_POSITIONS
		       ? stack_index_find(s, narrow_frame(&frames[i])) : 0;
	}
}

/*
 * Nothing was called from a new node yet, so the nodes of @nr frames below it will be appended:
 * one behind the other, if their frames are known.
 */
static void prefetch_new(const struct stack_store *s, const uint32_t *frames, size_t nr)
{
	uint32_t parent = s->used - 1;

	while (nr--)
		stack_index_prefetch(s, (struct stack_record){ STACK_HEAD(STACK_NODE, parent++),
							       frames[nr] });
}

/* The stack's innermost node; 0 and *ret_err. */
static uint32_t node_of(struct stack_store *s, const struct stack_frame *frames, size_t nr,
			unsigned int end, int *ret_err)
{
	struct stack_last *last = begin_stack(s, frames, nr, end, ret_err);
	uint32_t positions[STACK_FRAMES_MAX], node;
	bool is_new = false;

	if (!last)
		return 0;
	find_frames(s, frames, nr - last->nr, positions);
	node = last->nr ? last->nodes[last->nr - 1] : last->root;
	while (last->nr < nr) {
		size_t at = nr - 1 - last->nr;
		uint32_t frame = positions[at] ? positions[at] : frame_of(s, &frames[at], ret_err);
		const struct stack_record r = { STACK_HEAD(STACK_NODE, node), frame };
		uint32_t used = s->used;

		if (!frame)
			return 0;
		node = is_new ? stack_append(s, &r, 1, ret_err) : find_or_append(s, r, ret_err);
		if (!node)
			return 0;
		if (!is_new && node >= used) {
			is_new = true;
			prefetch_new(s, positions, at);
		}
		last->frames[last->nr] = frames[at];
		last->nodes[last->nr++] = node;
	}
	return node;
}

/* Add to a separate counter what the one beside the node has no room for, or of other series. */
static int add_wide(struct stack_store *s, uint32_t node, uint32_t series, uint64_t count)
{
	struct stack_record r[2] = { { STACK_HEAD(STACK_WIDE_COUNT, series), node } };
	uint32_t pos = stack_index_find(s, r[0]);
	uint64_t *counter, sum;
	int err = 0;

	if (!pos) {
		memcpy(&r[1], &count, sizeof(r[1]));
		stack_append(s, r, 2, &err);
		return err;
	}
	counter = stack_wide(&s->records[pos]);
	if (__builtin_add_overflow(*counter, count, &sum))
		sum = UINT64_MAX;
	__atomic_store_n(counter, sum, __ATOMIC_RELAXED);
	return 0;
}

/*
 * The counter right behind the node belongs to the first series with that stack [ST-6]. What
 * exceeds it is added elsewhere first, so that nothing is added if there is no room.
 */
static int add_count(struct stack_store *s, uint32_t node, uint32_t series, uint64_t count)
{
	const struct stack_record none = { STACK_HEAD(STACK_COUNT, series), 0 };
	struct stack_record *own;
	uint64_t room;
	int err = 0;

	if (node + 1 == s->used)
		stack_append(s, &none, 1, &err);
	if (err)
		return err;
	own = &s->records[node + 1];
	if (own->head != none.head)
		return add_wide(s, node, series, count);
	room = UINT32_MAX - own->second;
	if (count > room) {
		err = add_wide(s, node, series, count - room);
		if (err)
			return err;
		count = room;
		own = &s->records[node + 1];
	}
	__atomic_store_n(&own->second, own->second + (uint32_t)count, __ATOMIC_RELAXED);
	return 0;
}

static int add(struct stack_store *s, uint32_t context, uint32_t event,
	       const struct stack_frame *frames, size_t nr, unsigned int end, uint64_t count)
{
	uint32_t series, node;
	int err = series_of(s, context, event, &series);

	if (err)
		return err;
	node = node_of(s, frames, nr, end, &err);
	return node ? add_count(s, node, series, count) : err;
}

int stack_store_add(struct stack_store *s, uint32_t context, uint32_t event,
		    const struct stack_frame *frames, size_t nr, unsigned int end, uint64_t count)
{
	uint64_t lost;
	int err;

	if (!nr || nr > STACK_FRAMES_MAX || end > STACK_END_MAX)
		return -EINVAL;
	err = add(s, context, event, frames, nr, end, count);
	if (err && err != -EINVAL) {
		if (__builtin_add_overflow(s->header->lost, count, &lost))
			lost = UINT64_MAX;
		__atomic_store_n(&s->header->lost, lost, __ATOMIC_RELAXED);
	}
	return err;
}

int stack_store_frame(struct stack_store *s, const struct stack_frame *frame, uint32_t *ret)
{
	int err = 0;
	uint32_t pos = frame_of(s, frame, &err);

	if (pos)
		*ret = pos;
	return err;
}

int stack_store_new_node(struct stack_store *s, uint32_t parent, uint32_t frame, uint32_t *ret)
{
	const struct stack_record r = { STACK_HEAD(STACK_NODE, parent), frame };
	int err = 0;
	uint32_t pos = stack_append_only(s, r, &err);

	if (pos) {
		*ret = pos;
		s->nr_nodes++;
	}
	return err;
}

int stack_store_count(struct stack_store *s, uint32_t context, uint32_t event, uint32_t node,
		      uint64_t count)
{
	uint32_t series;
	int err = series_of(s, context, event, &series);

	return err ? err : add_count(s, node, series, count);
}
