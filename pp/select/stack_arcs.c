/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack_arcs.c - from stacks to arcs, gathered in files
 *
 * For one series of counts (an event on behalf of a context) at a time, the counts of all stacks
 * that go through a node are summed up from the leaves to the roots; the node and its parent are an
 * arc with that sum. Nodes that the series does not touch cost nothing.
 */
#include "pp/select/stack_arcs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/count.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/radix_sort.h"
#include "libutil/xalloc.h"
#include "pp/select/history.h"

/* An image of the snapshot as sample files name it. */
struct place {
	bool is_known, is_kernel, is_later;	/* a later build than the first of its path */
	uint32_t same;			/* the first image that sample files cannot tell from it */
	uint32_t head;			/* the first of its path, whatever its build */
};

struct file_key {
	uint32_t app, caller, callee;	/* images; @app STACK_NONE: the program */
	uint32_t context, event;
};

struct maker {
	const struct report_session *session;
	const struct stack_snapshot *s;
	struct stack_arcs *out;
	struct place *places;		/* of each image */
	uint32_t *contexts;		/* of each: the first that differs in @app only */
	bool kernel_by_app;		/* the session's separation */
	struct file_key *keys;		/* of each file */
	size_t keys_room;
	struct hash_table by_key;
	uint64_t *sums;			/* of each node, for one series; else 0 */
	uint32_t *touched;		/* nodes with a sum */
	size_t nr_touched;
	size_t last;			/* file */
};

/* --- images --- */

static const char *first_build(const struct maker *m, const struct stack_image *image)
{
	return m->session->ids ? image_ids_find(m->session->ids, image->name.path) : NULL;
}

static struct place make_place(const struct maker *m, const struct stack_image *image)
{
	const char *vmlinux = m->session->info.vmlinux, *first;
	struct place p = { .is_known = true };

	if (image->name.kind == IMAGE_ANON) {
		p.is_known = image->name.anon_end && *image->build_id;
		return p;
	}
	first = *image->build_id ? first_build(m, image) : NULL;
	p.is_later = first && strcmp(first, image->build_id);
	p.is_kernel = image->name.kind == IMAGE_KERNEL ||
		      (*vmlinux && !strcmp(image->name.path, vmlinux));
	return p;
}

static bool is_same_image(const struct maker *m, uint32_t a, uint32_t b)
{
	const struct stack_image *x = &m->s->images[a], *y = &m->s->images[b];

	if (x->name.kind != y->name.kind || strcmp(x->name.path, y->name.path))
		return false;
	if (x->name.kind == IMAGE_ANON)
		return x->name.anon_tgid == y->name.anon_tgid &&
		       x->name.anon_start == y->name.anon_start &&
		       x->name.anon_end == y->name.anon_end && !strcmp(x->build_id, y->build_id);
	return m->places[a].is_later == m->places[b].is_later &&
	       (!m->places[a].is_later || !strcmp(x->build_id, y->build_id));
}

static bool is_image(const void *maker, uint32_t i, const void *key)
{
	return is_same_image(maker, i, *(const uint32_t *)key);
}

static bool has_same_path(const struct maker *m, uint32_t a, uint32_t b)
{
	const struct image_name *x = &m->s->images[a].name, *y = &m->s->images[b].name;

	return x->kind == y->kind && !strcmp(x->path, y->path);
}

static bool is_of_path(const void *maker, uint32_t i, const void *key)
{
	return has_same_path(maker, i, *(const uint32_t *)key);
}

static void make_places(struct maker *m)
{
	struct hash_table by_name = { 0 }, by_path = { 0 };

	m->places = xcalloc(m->s->nr_images + 1, sizeof(*m->places));
	for (uint32_t i = 0; i < m->s->nr_images; i++) {
		uint64_t hash = hash_string(m->s->images[i].name.path);

		m->places[i] = make_place(m, &m->s->images[i]);
		m->places[i].head = hash_table_find(&by_path, hash, is_of_path, m, &i);
		if (m->places[i].head == HASH_NONE) {
			m->places[i].head = i;
			hash_table_add(&by_path, hash, i);
		}
		m->places[i].same = hash_table_find(&by_name, hash, is_image, m, &i);
		if (m->places[i].same != HASH_NONE)
			continue;
		m->places[i].same = i;
		hash_table_add(&by_name, hash, i);
	}
	hash_table_free(&by_name);
	hash_table_free(&by_path);
}

/* [EB-78]: a name can only say that the callee is the caller's build, or the first of its path. */
static bool can_name_callee(const struct maker *m, uint32_t caller, uint32_t callee)
{
	const struct image_name *from = &m->s->images[caller].name;

	if (m->s->images[callee].name.kind == IMAGE_ANON || caller == callee)
		return true;
	return !m->places[callee].is_later &&
	       (from->kind == IMAGE_ANON || !has_same_path(m, caller, callee));
}

static bool is_context(const void *snapshot, uint32_t i, const void *key)
{
	const struct stack_context *a = &((const struct stack_snapshot *)snapshot)->contexts[i];
	const struct stack_context *b = key;

	return a->tgid == b->tgid && a->tid == b->tid && a->cpu == b->cpu &&
	       !strcmp(a->cgroup, b->cgroup);
}

/* Names of tasks and labels are not in the names of sample files. */
static void find_contexts(struct maker *m)
{
	const struct stack_snapshot *s = m->s;
	struct hash_table known = { 0 };

	m->contexts = xcalloc(s->nr_contexts + 1, sizeof(*m->contexts));
	for (uint32_t i = 0; i < s->nr_contexts; i++) {
		const struct stack_context *c = &s->contexts[i];
		uint64_t task = (uint64_t)c->tgid << 32 ^ (uint64_t)c->tid;
		uint64_t hash = hash_mix((uint64_t)c->cpu, task);

		m->contexts[i] = hash_table_find(&known, hash, is_context, s, c);
		if (m->contexts[i] != HASH_NONE)
			continue;
		m->contexts[i] = i;
		hash_table_add(&known, hash, i);
	}
	hash_table_free(&known);
}

/* --- files --- */

/* The application under which arcs from @caller are filed. [EB-73] */
static uint32_t app_of(const struct maker *m, uint32_t context, uint32_t caller)
{
	uint32_t app = m->s->contexts[context].app;
	bool is_anon = m->s->images[caller].name.kind == IMAGE_ANON;
	bool wanted = is_anon || m->kernel_by_app || !m->places[caller].is_kernel;

	/* a context has an application only if stacks are separated by it */
	if (wanted && app != STACK_NONE)
		return m->places[app].head;
	return is_anon ? STACK_NONE : m->places[caller].head;
}

static struct image_name program_of(const struct stack_image *anon)
{
	return (struct image_name){
		.kind = *anon->build_id == '/' ? IMAGE_FILE : IMAGE_KERNEL,
		.path = anon->build_id,
	};
}

/* A session has so many parts at most; what finds none is not separated by control group. */
static bool has_part(const struct maker *m, const char *build_id, const char *cgroup)
{
	const struct session_parts *parts = &m->session->parts;

	if (parts->nr < SESSION_PARTS_MAX)
		return true;
	for (size_t i = 0; i < parts->nr; i++)
		if (!strcmp(parts->parts[i].build_id, build_id) &&
		    !strcmp(parts->parts[i].cgroup, cgroup))
			return true;
	return false;
}

static void fill_file(const struct maker *m, const struct file_key *k, struct stack_arc_file *f)
{
	const struct stack_image *images = m->s->images, *caller = &images[k->caller];
	const struct stack_image *callee = &images[k->callee];
	const struct stack_context *context = &m->s->contexts[k->context];
	const struct stack_event *event = &m->s->events[k->event];

	f->name = (struct sample_name){
		.app = k->app == STACK_NONE ? program_of(caller) : images[k->app].name,
		.image = caller->name,
		.has_callee = true,
		.callee = callee->name,
		.event = event->name, .count = event->count, .unit_mask = event->unit_mask,
		.tgid = context->tgid, .tid = context->tid, .cpu = context->cpu,
	};
	f->build_id = m->places[k->caller].is_later ? caller->build_id : "";
	f->cgroup = has_part(m, f->build_id, context->cgroup) ? context->cgroup : "";
	f->header = (struct sample_header){
		.is_kernel = m->places[k->caller].is_kernel,
		.cg_to_is_kernel = m->places[k->callee].is_kernel,
		.anon_start = caller->name.anon_start,
		.cg_to_anon_start = callee->name.anon_start,
	};
}

static bool is_file(const void *keys, uint32_t i, const void *key)
{
	return !memcmp((const struct file_key *)keys + i, key, sizeof(struct file_key));
}

static struct stack_arc_file *get_file(struct maker *m, const struct file_key *k)
{
	struct stack_arcs *out = m->out;
	uint64_t hash;
	uint32_t i;

	if (m->last < out->nr && is_file(m->keys, (uint32_t)m->last, k))
		return &out->files[m->last];
	hash = hash_mix(hash_mix((uint64_t)k->app << 32 | k->caller, k->callee),
			(uint64_t)k->context << 32 | k->event);
	i = hash_table_find(&m->by_key, hash, is_file, m->keys, k);
	if (i == HASH_NONE) {
		i = (uint32_t)out->nr;
		hash_table_add(&m->by_key, hash, i);
		xgrow(m->keys, out->nr, m->keys_room);
		m->keys[i] = *k;
		xgrow(out->files, out->nr, out->room);
		out->files[out->nr] = (struct stack_arc_file){ .nr = 0 };
		fill_file(m, k, &out->files[out->nr++]);
	}
	m->last = i;
	return &out->files[i];
}

/* --- arcs --- */

/* The caller's half is where it returns to, which is one more than the call [ST-11]. */
static void add_arc(struct maker *m, uint32_t context, uint32_t event, uint32_t node,
		    uint64_t count)
{
	const struct stack_snapshot *s = m->s;
	const struct stack_frame *callee = &s->frames[s->nodes[node].frame];
	const struct stack_frame *caller = &s->frames[s->nodes[s->nodes[node].parent].frame];
	struct file_key k = {
		.caller = m->places[caller->image].same, .callee = m->places[callee->image].same,
		.context = m->contexts[context], .event = event,
	};
	struct stack_arc_file *f;

	if (!m->places[k.caller].is_known || !m->places[k.callee].is_known ||
	    !can_name_callee(m, k.caller, k.callee))
		return;
	k.app = app_of(m, context, k.caller);
	f = get_file(m, &k);
	xgrow(f->arcs, f->nr, f->room);
	f->arcs[f->nr++] = (struct stack_arc){
		(caller->offset + 1) << 32 | (uint32_t)callee->offset, count };
}

/* Whether the node's parent is a caller: no root, nor the program of an incomplete stack. */
static bool is_called(const struct stack_snapshot *s, uint32_t node)
{
	uint32_t parent = s->nodes[node].parent;

	if (parent == STACK_NONE || s->nodes[parent].parent == STACK_NONE)
		return false;
	return s->nodes[s->nodes[parent].parent].parent != STACK_NONE ||
	       !stack_end_has_process(s->ends[node]);
}

/* Counts of one series. */
struct series_count {
	uint32_t context, event, node;
	uint64_t count;
};

static void touch(struct maker *m, uint32_t node)
{
	while (node != STACK_NONE && !m->sums[node]) {
		m->sums[node] = 1;	/* a mark, until the nodes are sorted */
		m->touched[m->nr_touched++] = node;
		node = m->s->nodes[node].parent;
	}
}

static int compare_down(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* Callees first: a node's parent has a lower index. */
static void sort_touched(struct maker *m)
{
	size_t nr = 0;

	if (m->nr_touched < m->s->nr_nodes / 16) {
		qsort(m->touched, m->nr_touched, sizeof(*m->touched), compare_down);
		return;
	}
	for (uint32_t i = m->s->nr_nodes; i-- > 0;)
		if (m->sums[i])
			m->touched[nr++] = i;
}

static void add_series(struct maker *m, const struct series_count *counts, size_t nr)
{
	m->nr_touched = 0;
	for (size_t i = 0; i < nr; i++)
		touch(m, counts[i].node);
	sort_touched(m);
	for (size_t i = 0; i < m->nr_touched; i++)
		m->sums[m->touched[i]] = 0;
	for (size_t i = 0; i < nr; i++)
		count_add(&m->sums[counts[i].node], counts[i].count);
	for (size_t i = 0; i < m->nr_touched; i++) {
		uint32_t node = m->touched[i], parent = m->s->nodes[node].parent;

		if (parent != STACK_NONE)
			count_add(&m->sums[parent], m->sums[node]);
		if (is_called(m->s, node))
			add_arc(m, counts->context, counts->event, node, m->sums[node]);
		m->sums[node] = 0;
	}
}

static int compare_series(const void *a, const void *b)
{
	const struct series_count *x = a, *y = b;

	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

static void add_all(struct maker *m)
{
	const struct stack_snapshot *s = m->s;
	struct series_count *counts = xcalloc(s->nr_counts + 1, sizeof(*counts));

	m->sums = xcalloc(s->nr_nodes + 1, sizeof(*m->sums));
	m->touched = xcalloc(s->nr_nodes + 1, sizeof(*m->touched));
	for (uint32_t i = 0; i < s->nr_counts; i++)
		counts[i] = (struct series_count){
			s->counts[i].context, s->counts[i].event, s->counts[i].node,
			s->counts[i].count };
	qsort(counts, s->nr_counts, sizeof(*counts), compare_series);
	for (uint32_t i = 0, end; i < s->nr_counts; i = end) {
		for (end = i + 1; end < s->nr_counts && !compare_series(&counts[i], &counts[end]);)
			end++;
		add_series(m, counts + i, end - i);
	}
	free(counts);
	free(m->sums);
	free(m->touched);
}

void stack_arc_file_sort(struct stack_arc_file *f)
{
	size_t room = f->nr + 1, nr = 0;
	struct stack_arc *spare = xcalloc(room, sizeof(*spare)), *sorted;

	_Static_assert(sizeof(*sorted) == sizeof(struct radix_item), "cast to radix_item");
	sorted = radix_sort(f->arcs, spare, f->nr);
	for (size_t i = 0; i < f->nr; i++) {
		if (nr && sorted[nr - 1].key == sorted[i].key)
			count_add(&sorted[nr - 1].count, sorted[i].count);
		else
			sorted[nr++] = sorted[i];
	}
	free(sorted == spare ? f->arcs : spare);
	f->room = sorted == spare ? room : f->room;
	f->arcs = sorted;
	f->nr = nr;
}

int stack_arcs_read(const struct report_session *session, struct stack_arcs *ret,
		    struct op_error *e)
{
	struct stack_arcs out = { .nr = 0 };
	struct maker m = {
		.session = session, .s = &out.snapshot, .out = &out,
		.kernel_by_app = strstr(session->info.separate, "kernel"),
	};
	int err = session_stacks_read(session, &out.snapshot, e);

	if (err)
		return err;
	make_places(&m);
	find_contexts(&m);
	add_all(&m);
	for (size_t i = 0; i < out.nr; i++)
		stack_arc_file_sort(&out.files[i]);
	free(m.places);
	free(m.contexts);
	free(m.keys);
	hash_table_free(&m.by_key);
	*ret = out;
	return 0;
}

void stack_arcs_free(struct stack_arcs *arcs)
{
	for (size_t i = 0; i < arcs->nr; i++)
		free(arcs->files[i].arcs);
	free(arcs->files);
	stack_snapshot_free(&arcs->snapshot);
	*arcs = (struct stack_arcs){ .nr = 0 };
}
