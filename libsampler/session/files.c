// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * files.c - write samples and calls to sample files, thread by thread
 *
 * A call counts all samples below it, so a thread's calls are summed up over the tree of stacks at
 * once, from callees to callers.
 */
#include "libsampler/session/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libdb/session/thread_sample.h"
#include "libutil/xalloc.h"

#define NO_CALLEE	UINT32_MAX	/* of a sample rather than a call */

struct thread_files {
	struct session_update *u;
	int64_t tid;
	struct session_record *records;	/* file: image, and callee's image or NO_CALLEE */
	size_t nr, room;
	uint64_t *sums;			/* of each node: samples there and below */
};

static uint32_t image_of(uint64_t file)
{
	return (uint32_t)(file >> 32);
}

static uint32_t callee_of(uint64_t file)
{
	return (uint32_t)file;
}

static void add_record(struct thread_files *t, uint32_t image, uint32_t callee, uint64_t key,
		       uint64_t count)
{
	xgrow(t->records, t->nr, t->room);
	t->records[t->nr++] = (struct session_record){ (uint64_t)image << 32 | callee, key, count };
}

static const struct profile_place *place_of(const struct profile *p, uint32_t node)
{
	return &p->places[p->tree.nodes[node].key];
}

static bool is_known(const struct session_update *u, const struct profile_place *at)
{
	return at->image != PROFILE_NONE && u->images[at->image].is_known;
}

/* --- collecting --- */

static void add_sample(struct thread_files *t, uint32_t node, uint64_t count)
{
	struct session_update *u = t->u;
	const struct profile_place *at = place_of(u->p, node);

	u->counts.received += count;
	if (is_known(u, at)) {
		add_record(t, at->image, NO_CALLEE, session_key(u->p, at), count);
		t->sums[node] += count;
	} else {
		u->counts.lost[at->image == PROFILE_NONE ? LOST_NO_MAPPING
							 : LOST_UNKNOWN_IMAGE] += count;
	}
}

/* A call's file is in the caller's part, and cannot name another build of the callee [EB-78]. */
static bool can_name_call(const struct session_image *caller, const struct session_image *callee)
{
	return !callee->is_apart ||
	       (caller->is_apart && !strcmp(caller->build_id, callee->build_id));
}

/* [SF-28]: the upper half is the caller's return address, the lower half the callee's place. */
static void add_call(struct thread_files *t, uint32_t node)
{
	const struct session_update *u = t->u;
	const struct profile_place *callee = place_of(u->p, node);
	const struct profile_place *caller = place_of(u->p, u->p->tree.nodes[node].parent);

	if (!is_known(u, caller) || !is_known(u, callee) ||
	    !can_name_call(&u->images[caller->image], &u->images[callee->image]))
		return;
	add_record(t, caller->image, callee->image,
		   (session_key(u->p, caller) + 1) << 32 | (uint32_t)session_key(u->p, callee),
		   t->sums[node]);
}

static void collect(struct thread_files *t)
{
	const struct profile *p = t->u->p;

	memset(t->sums, 0, p->tree.nr * sizeof(*t->sums));
	t->nr = 0;
	for (uint32_t i = 0; i < p->nr_samples; i++)
		if (session_label(p, p->samples[i].labels, BUILD_TID) == t->tid)
			add_sample(t, p->samples[i].node, (uint64_t)p->values[i]);
	for (uint32_t n = p->tree.nr; n-- > 0;) {
		uint32_t parent = p->tree.nodes[n].parent;

		if (!t->sums[n] || parent == PROFILE_NONE)
			continue;
		add_call(t, n);
		t->sums[parent] += t->sums[n];
	}
}

/* --- writing --- */

static uint64_t file_time(const struct session_image *image)
{
	struct stat st;

	return image->name.kind == IMAGE_FILE && !stat(image->name.path, &st)
	       ? (uint64_t)st.st_mtime : 0;
}

static void describe_file(void *context, uint64_t file, struct session_file *ret)
{
	const struct thread_files *t = context;
	struct session_update *u = t->u;
	struct session_image *image = &u->images[image_of(file)];

	ret->name = (struct sample_name){
		.app = u->app,
		.image = image->name,
		.has_callee = callee_of(file) != NO_CALLEE,
		.event = THREAD_SAMPLE, .count = u->count, .unit_mask = u->unit_mask,
		.tgid = u->pid, .tid = t->tid, .cpu = SAMPLE_ALL,
	};
	if (ret->name.has_callee)
		ret->name.callee = u->images[callee_of(file)].name;
	if (image->is_apart)
		ret->build_id = image->build_id;
	ret->cpu_type = THREAD_SAMPLE_CPU_TYPE;
	ret->cpu_mhz = u->cpu_mhz;
	ret->mtime = file_time(image);
	session_image_record(u, image);
}

static void count_record(void *context, const struct session_record *r, int err)
{
	struct cpu_counts *counts = &((struct thread_files *)context)->u->counts;

	if (callee_of(r->file) != NO_CALLEE)
		counts->arcs_lost += err ? r->count : 0;
	else if (err)
		counts->lost[LOST_SAMPLE_FILE] += r->count;
	else
		counts->recorded += r->count;
}

static void write_thread(struct thread_files *t)
{
	static const struct session_file_ops ops = {
		.describe = describe_file,
		.added = count_record,
	};
	struct session_update *u = t->u;
	struct op_error why = { "" };
	int err;

	collect(t);
	t->nr = session_records_sum(t->records, t->nr);
	err = session_write_records(&u->to, t->records, t->nr, &ops, t, &why);
	if (err && !u->err)
		u->err = op_error_set(u->e, err, "%s", why.text);
}

static int compare_tids(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

void session_write_files(struct session_update *u)
{
	const struct profile *p = u->p;
	struct thread_files t = { .u = u };
	int64_t *tids = xcalloc((size_t)p->nr_label_sets + 1, sizeof(*tids));

	t.sums = xcalloc((size_t)p->tree.nr + 1, sizeof(*t.sums));
	for (uint32_t i = 0; i < p->nr_label_sets; i++)
		tids[i] = session_label(p, i, BUILD_TID);
	qsort(tids, p->nr_label_sets, sizeof(*tids), compare_tids);
	for (uint32_t i = 0; i < p->nr_label_sets; i++) {
		t.tid = tids[i];
		/* every sample has a tid, but the empty set has none */
		if (t.tid != SAMPLE_ALL && (!i || tids[i - 1] != t.tid))
			write_thread(&t);
	}
	free(tids);
	free(t.sums);
	free(t.records);
}
