/* SPDX-License-Identifier: GPL-2.0-or-later */
/* samples.c - read sample files and sort their samples */
#include "pp/select/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/odb/odb.h"
#include "libutil/radix_sort.h"
#include "libutil/xalloc.h"
#include "pp/select/event_scale.h"

/* A file of OProfile 1.x, as nearly all are, is opened once. */
static int read_1x(const char *path, struct sample_header *header, struct odb_snapshot *snapshot)
{
	size_t size;
	int err = odb_read(path, SAMPLE_HEADER_SIZE, snapshot, NULL);

	if (err)
		return err;
	err = sample_header_decode(snapshot->header, SAMPLE_HEADER_SIZE, header, &size, NULL);
	if (!err && size != SAMPLE_HEADER_SIZE)
		err = -EPROTO;
	if (err)
		odb_snapshot_free(snapshot);
	return err;
}

static int compare_nodes(const void *a, const void *b)
{
	const struct odb_node *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* As if they were read from a call-graph file. */
static void copy_derived(const struct stack_arc_file *f, struct odb_snapshot *ret)
{
	struct odb_node *nodes;
	size_t nr = 0, room = 0;

	for (size_t i = 0; i < f->nr; i++)
		room += f->arcs[i].count / ODB_COUNT_MAX + 1;
	nodes = xcalloc(room + 1, sizeof(*nodes));
	for (size_t i = 0; i < f->nr; i++)
		for (uint64_t left = f->arcs[i].count; left; left -= nodes[nr++].count)
			nodes[nr] = (struct odb_node){
				f->arcs[i].key, left > ODB_COUNT_MAX ? ODB_COUNT_MAX
								     : (uint32_t)left, 0 };
	*ret = (struct odb_snapshot){ NULL, nodes, (uint32_t)nr };
}

static int read_file(const struct sample_file *file, struct sample_header *header,
		     struct odb_snapshot *snapshot, struct notices *notices)
{
	struct op_error e = { "" };
	size_t size;
	int err;

	if (file->derived) {
		*header = file->derived->header;
		copy_derived(file->derived, snapshot);
		return 0;
	}
	if (!read_1x(file->path, header, snapshot))
		return 0;
	err = sample_header_read(file->path, header, &size, &e);
	if (!err)
		err = odb_read(file->path, size, snapshot, &e);
	/* -ENODATA: the daemon has just created it, it is still empty */
	if (err && err != -ENODATA)
		notice_add(notices, "ignored a sample file: %s",
			   *e.text ? e.text : strerror(-err));
	return err;
}

uint64_t samples_anon_base(const struct report_image *image, uint64_t anon_start)
{
	return image->kind == IMAGE_JIT ? anon_start : 0;
}

int samples_add_file(struct sample_list *list, const struct arranged_file *file,
		     struct sample_header *ret_header, struct notices *notices)
{
	struct sample_header header;
	struct odb_snapshot snapshot;
	struct event_scale scale = event_scale_start(file->file);
	uint64_t base;
	int err = read_file(file->file, &header, &snapshot, notices);

	if (err)
		return err;
	/* scaled alike and in the same order, whether they come from a file or from stacks */
	if (file->file->callee)
		qsort((void *)snapshot.nodes, snapshot.nr_nodes, sizeof(*snapshot.nodes),
		      compare_nodes);
	/* the key of a call has two halves: the caller adds the base of each */
	base = file->file->callee ? 0 : samples_anon_base(file->image, header.anon_start);
	if (list->room - list->nr < snapshot.nr_nodes) {
		list->room = (list->nr + snapshot.nr_nodes) * 3 / 2;
		list->samples = xrealloc_array(list->samples, list->room, sizeof(*list->samples));
	}
	for (size_t i = 0; i < snapshot.nr_nodes; i++) {
		uint64_t count = event_scale_next(&scale, snapshot.nodes[i].count);

		list->samples[list->nr++] = (struct sample){
			.offset = base + snapshot.nodes[i].key,
			.count = count < SAMPLE_COUNT_MAX ? count : SAMPLE_COUNT_MAX,
			.class = file->class,
		};
	}
	odb_snapshot_free(&snapshot);
	*ret_header = header;
	return 0;
}

static void sort_keys(struct sample_key **keys, size_t nr)
{
	struct radix_item *order = xcalloc(nr + 1, sizeof(*order));
	struct sample_key *result = xcalloc(nr + 1, sizeof(*result));

	for (size_t i = 0; i < nr; i++)
		order[i] = (struct radix_item){ (*keys)[i].key, i };
	order = radix_sorted(order, nr);
	for (size_t i = 0; i < nr; i++)
		result[i] = (*keys)[order[i].value];
	free(order);
	free(*keys);
	*keys = result;
}

int samples_read_keys(const struct sample_file *file, struct sample_header *ret_header,
		      struct sample_key **ret, size_t *ret_nr, struct notices *notices)
{
	struct event_scale scale = event_scale_start(file);
	struct odb_snapshot snapshot;
	struct sample_key *keys;
	int err = read_file(file, ret_header, &snapshot, notices);

	if (err)
		return err;
	keys = xcalloc((size_t)snapshot.nr_nodes + 1, sizeof(*keys));
	for (size_t i = 0; i < snapshot.nr_nodes; i++) {
		uint32_t raw = snapshot.nodes[i].count;

		keys[i] = (struct sample_key){ snapshot.nodes[i].key,
					       event_scale_next(&scale, raw), raw };
	}
	*ret_nr = snapshot.nr_nodes;
	odb_snapshot_free(&snapshot);
	sort_keys(&keys, *ret_nr);
	*ret = keys;
	return 0;
}

int samples_count_file(const struct arranged_file *file, struct sample_header *ret_header,
		       uint64_t *ret, struct notices *notices)
{
	struct sample_header header;
	struct odb_snapshot snapshot;
	struct event_scale scale = event_scale_start(file->file);
	uint64_t sum = 0;
	int err = read_file(file->file, &header, &snapshot, notices);

	if (err)
		return err;
	for (size_t i = 0; i < snapshot.nr_nodes; i++)
		sum += snapshot.nodes[i].count;
	odb_snapshot_free(&snapshot);
	*ret_header = header;
	*ret = event_scale_next(&scale, sum);
	return 0;
}

void samples_sort(struct sample_list *list)
{
	struct sample *spare = xcalloc(list->room + 1, sizeof(*spare));
	struct sample *sorted = radix_sort(list->samples, spare, list->nr);

	_Static_assert(sizeof(*sorted) == sizeof(struct radix_item), "cast to radix_item");
	free(sorted == spare ? list->samples : spare);
	list->samples = sorted;
}

void samples_free(struct sample_list *list)
{
	free(list->samples);
	*list = (struct sample_list){ 0 };
}
