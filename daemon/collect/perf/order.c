// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * order.c - merge per-CPU queues of samples with the changes to mappings
 *
 * Each ring is read completely, as fast as possible, and what is not due yet waits here: samples in
 * a queue per CPU, changes in one list with their bytes in one block. A heap of the CPUs by their
 * oldest sample keeps the cost of a change at log(CPUs).
 */
#include "daemon/collect/perf/order.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

struct queue {
	struct perf_sample *samples;
	size_t first, nr, room;		/* waiting: [first, nr) */
	unsigned int cpu;
};

struct change {
	uint64_t time;
	uint64_t number;		/* order of arrival, for equal times */
	size_t at, size;		/* in bytes[] */
	uint32_t counter;		/* of a sample */
	bool has_stack;			/* the same */
	uint64_t cgroup;		/* the same */
};

struct perf_order {
	struct queue **queues;		/* by CPU, NULL: none yet */
	unsigned int nr_queues;
	struct queue **heap;		/* those with samples, oldest on top */
	size_t nr_heap;

	struct change *changes;
	size_t nr_changes, room_changes;
	unsigned char *bytes;
	size_t nr_bytes, room_bytes;
	uint64_t next_number;
	bool unsorted;

	bool running;			/* between the first and the last perf_order_next() */
	size_t nr_done;			/* changes returned in this run */
	struct perf_record record;	/* the last of them */

	uint64_t done;			/* the last bound */
	uint64_t late;
};

struct perf_order *perf_order_new(void)
{
	return xcalloc(1, sizeof(struct perf_order));
}

void perf_order_free(struct perf_order *o)
{
	if (!o)
		return;
	for (unsigned int i = 0; i < o->nr_queues; i++) {
		if (o->queues[i])
			free(o->queues[i]->samples);
		free(o->queues[i]);
	}
	free(o->queues);
	free(o->heap);
	free(o->changes);
	free(o->bytes);
	free(o);
}

uint64_t perf_order_late(const struct perf_order *o)
{
	return o->late;
}

static struct queue *queue_of(struct perf_order *o, unsigned int cpu)
{
	if (cpu >= o->nr_queues) {
		o->queues = xrealloc_array(o->queues, cpu + 1, sizeof(*o->queues));
		o->heap = xrealloc_array(o->heap, cpu + 1, sizeof(*o->heap));
		memset(o->queues + o->nr_queues, 0,
		       (cpu + 1 - o->nr_queues) * sizeof(*o->queues));
		o->nr_queues = cpu + 1;
	}
	if (!o->queues[cpu]) {
		o->queues[cpu] = xcalloc(1, sizeof(struct queue));
		o->queues[cpu]->cpu = cpu;
	}
	return o->queues[cpu];
}

void perf_order_add_sample(struct perf_order *o, unsigned int cpu, const struct perf_sample *s)
{
	struct queue *q = queue_of(o, cpu);
	size_t at;

	if (s->time < o->done)
		o->late++;
	xgrow(q->samples, q->nr, q->room);
	/* a ring is in order but for records overtaken by an interrupt, by a step or two */
	for (at = q->nr++; at > q->first && q->samples[at - 1].time > s->time; at--)
		q->samples[at] = q->samples[at - 1];
	q->samples[at] = *s;
}

void perf_order_add_change(struct perf_order *o, const struct perf_record *r, const void *bytes,
			   size_t size)
{
	bool is_sample = r->kind == PERF_KIND_SAMPLE;
	struct change *c;

	if (r->time < o->done)
		o->late++;
	while (o->room_bytes - o->nr_bytes < size) {
		o->room_bytes = o->room_bytes ? 2 * o->room_bytes : 65536;
		o->bytes = xrealloc_array(o->bytes, o->room_bytes, 1);
	}
	if (size)		/* a gap has no record, and there may be no room yet */
		memcpy(o->bytes + o->nr_bytes, bytes, size);

	xgrow(o->changes, o->nr_changes, o->room_changes);
	c = &o->changes[o->nr_changes++];
	*c = (struct change){ r->time, o->next_number++, o->nr_bytes, size,
			      is_sample ? r->sample.counter : 0, is_sample && r->sample.stack,
			      is_sample ? r->sample.cgroup : 0 };
	o->nr_bytes += size;
	o->unsorted = true;
}

static int compare_changes(const void *va, const void *vb)
{
	const struct change *a = va, *b = vb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static uint64_t oldest(const struct queue *q)
{
	return q->first < q->nr ? q->samples[q->first].time : UINT64_MAX;
}

static void sift_down(struct perf_order *o, size_t at)
{
	struct queue *q = o->heap[at];
	size_t child;

	while ((child = 2 * at + 1) < o->nr_heap) {
		if (child + 1 < o->nr_heap && oldest(o->heap[child + 1]) < oldest(o->heap[child]))
			child++;
		if (oldest(q) <= oldest(o->heap[child]))
			break;
		o->heap[at] = o->heap[child];
		at = child;
	}
	o->heap[at] = q;
}

static void build_heap(struct perf_order *o)
{
	o->nr_heap = 0;
	for (unsigned int i = 0; i < o->nr_queues; i++)
		if (o->queues[i] && o->queues[i]->first < o->queues[i]->nr)
			o->heap[o->nr_heap++] = o->queues[i];
	for (size_t i = o->nr_heap / 2; i-- > 0;)
		sift_down(o, i);
}

/* The oldest CPU's samples older than @limit. False: no CPU has any. */
static bool next_samples(struct perf_order *o, uint64_t limit, struct perf_order_item *ret)
{
	struct queue *q = o->nr_heap ? o->heap[0] : NULL;
	size_t end;

	if (!q || oldest(q) >= limit)
		return false;
	for (end = q->first; end < q->nr && q->samples[end].time < limit; end++)
		;
	*ret = (struct perf_order_item){ .cpu = q->cpu, .samples = q->samples + q->first,
					 .nr_samples = end - q->first };
	q->first = end;
	sift_down(o, 0);
	return true;
}

void perf_order_add_gap(struct perf_order *o, uint64_t time)
{
	const struct perf_record r = { .kind = PERF_KIND_LOST,
				       .time = time > o->done ? time : o->done };

	perf_order_add_change(o, &r, "", 0);
}

/* False: it cannot be parsed and is skipped. */
static bool take_change(struct perf_order *o, const struct change *c, struct perf_order_item *ret)
{
	const unsigned char *bytes = o->bytes + c->at;
	struct perf_record *r = &o->record;

	o->nr_done++;
	if (!c->size) {
		*r = (struct perf_record){ .kind = PERF_KIND_LOST, .time = c->time };
		*ret = (struct perf_order_item){ .change = r };
		return true;
	}
	if (perf_record_parse(bytes, c->size, r))
		return false;
	if (r->kind == PERF_KIND_SAMPLE) {
		r->sample.counter = c->counter;
		r->sample.cgroup = c->cgroup;
		if (c->has_stack) {
			r->sample.stack = bytes + PERF_SAMPLE_BYTES;
			r->sample.stack_size = (uint32_t)(c->size - PERF_SAMPLE_BYTES);
		}
		r->raw = perf_record_raw(bytes, c->size, c->has_stack, &r->raw_size);
	}
	*ret = (struct perf_order_item){ .change = r };
	return true;
}

static void keep_samples(struct queue *q)
{
	q->nr -= q->first;
	memmove(q->samples, q->samples + q->first, q->nr * sizeof(*q->samples));
	q->first = 0;
}

/* Drop the first @done changes. The rest is in order of time, but not all their bytes are. */
static void keep_changes(struct perf_order *o, size_t done)
{
	unsigned char *bytes;
	size_t used = 0;

	if (!done)
		return;
	o->nr_changes -= done;
	memmove(o->changes, o->changes + done, o->nr_changes * sizeof(*o->changes));
	if (!o->nr_changes) {
		o->nr_bytes = 0;
		return;
	}
	bytes = xmalloc(o->room_bytes);
	for (size_t i = 0; i < o->nr_changes; i++) {
		memcpy(bytes + used, o->bytes + o->changes[i].at, o->changes[i].size);
		o->changes[i].at = used;
		used += o->changes[i].size;
	}
	free(o->bytes);
	o->bytes = bytes;
	o->nr_bytes = used;
}

uint64_t perf_order_held(const struct perf_order *o, unsigned int cpu, uint64_t none)
{
	const struct queue *q = cpu < o->nr_queues ? o->queues[cpu] : NULL;
	uint64_t position = none;

	for (size_t i = q ? q->first : 0; q && i < q->nr; i++)
		if (q->samples[i].stack && q->samples[i].position < position)
			position = q->samples[i].position;
	return position;
}

void perf_order_drop_stacks(struct perf_order *o, unsigned int cpu)
{
	struct queue *q = cpu < o->nr_queues ? o->queues[cpu] : NULL;

	for (size_t i = q ? q->first : 0; q && i < q->nr; i++) {
		struct perf_sample *s = &q->samples[i];

		if (!s->stack)
			continue;
		s->stack = "";
		s->stack_size = 0;
		s->position = UINT64_MAX;
	}
}

static void begin_run(struct perf_order *o)
{
	if (o->unsorted)
		qsort(o->changes, o->nr_changes, sizeof(*o->changes), compare_changes);
	o->unsorted = false;
	build_heap(o);
	o->nr_done = 0;
	o->running = true;
}

static void end_run(struct perf_order *o, uint64_t bound)
{
	for (unsigned int i = 0; i < o->nr_queues; i++)
		if (o->queues[i])
			keep_samples(o->queues[i]);
	keep_changes(o, o->nr_done);
	if (bound > o->done)
		o->done = bound;
	o->running = false;
}

bool perf_order_next(struct perf_order *o, uint64_t bound, struct perf_order_item *ret)
{
	if (!o->running)
		begin_run(o);
	while (o->nr_done < o->nr_changes && o->changes[o->nr_done].time < bound) {
		const struct change *c = &o->changes[o->nr_done];

		if (next_samples(o, c->time, ret) || take_change(o, c, ret))
			return true;
	}
	if (next_samples(o, bound, ret))
		return true;
	end_run(o, bound);
	return false;
}
