// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * files.c - samples and calls into sample files, thread by thread
 *
 * A call's count is that of all samples below it, so a thread's calls are summed up over the tree
 * of stacks at once, from callees to callers.
 */
#include "libsampler/session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libdb/session/sample_file.h"
#include "libdb/session/thread_sample.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

/* What goes into one sample file are neighbours when sorted. */
struct record {
	uint32_t image;
	uint32_t callee;		/* image; PROFILE_NONE: a sample and no call */
	uint64_t key, count;
};

struct thread_files {
	struct session_writer *w;
	int64_t tid;
	struct record *records;
	size_t nr, room;
	uint64_t *sums;			/* of each node: samples there and below */
};

static void add_record(struct thread_files *t, const struct record *r)
{
	xgrow(t->records, t->nr, t->room);
	t->records[t->nr++] = *r;
}

static const struct profile_place *place_of(const struct profile *p, uint32_t node)
{
	return &p->places[p->nodes[node].place];
}

static bool is_known(const struct session_writer *w, const struct profile_place *at)
{
	return at->image != PROFILE_NONE && w->images[at->image].known;
}

/* --- what is to be written --- */

static void add_sample(struct thread_files *t, uint32_t node, uint64_t count)
{
	const struct session_writer *w = t->w;
	const struct profile_place *at = place_of(w->p, node);

	t->w->counts.received += count;
	if (is_known(w, at))
		add_record(t, &(struct record){ at->image, PROFILE_NONE, session_key(w->p, at),
						count });
	else
		t->w->counts.lost[at->image == PROFILE_NONE ? LOST_NO_MAPPING
							     : LOST_UNKNOWN_IMAGE] += count;
	if (is_known(w, at))
		t->sums[node] += count;
}

/* A call's file is of the caller's build and has no room for the callee's [EB-78]. */
static bool can_be_told(const struct session_writer *w, uint32_t caller, uint32_t callee)
{
	return w->images[callee].part == 0 || w->images[callee].part == w->images[caller].part;
}

/* [SF-28]: the caller's half is where it returns to, the callee's where it was. */
static void add_call(struct thread_files *t, uint32_t node)
{
	const struct profile *p = t->w->p;
	const struct profile_place *callee = place_of(p, node);
	const struct profile_place *caller = place_of(p, p->nodes[node].parent);

	if (!is_known(t->w, caller) || !is_known(t->w, callee) ||
	    !can_be_told(t->w, caller->image, callee->image))
		return;
	add_record(t, &(struct record){
		caller->image, callee->image,
		(session_key(p, caller) + 1) << 32 | (uint32_t)session_key(p, callee),
		t->sums[node] });
}

static void gather(struct thread_files *t)
{
	const struct profile *p = t->w->p;

	memset(t->sums, 0, p->nr_nodes * sizeof(*t->sums));
	t->nr = 0;
	for (uint32_t i = 0; i < p->nr_samples; i++)
		if (session_label(p, p->samples[i].labels, BUILD_TID) == t->tid)
			add_sample(t, p->samples[i].node, (uint64_t)p->values[i]);
	for (uint32_t n = p->nr_nodes; n-- > 0;) {
		uint32_t parent = p->nodes[n].parent;

		if (!t->sums[n] || parent == PROFILE_NONE)
			continue;
		add_call(t, n);
		t->sums[parent] += t->sums[n];
	}
}

/* --- writing --- */

static struct sample_name name_of(const struct thread_files *t, const struct record *r)
{
	const struct session_writer *w = t->w;
	struct sample_name name = {
		.app = w->app,
		.image = w->images[r->image].name,
		.has_callee = r->callee != PROFILE_NONE,
		.event = THREAD_SAMPLE, .count = w->count, .unit_mask = w->unit_mask,
		.tgid = w->pid, .tid = t->tid, .cpu = SAMPLE_ALL,
	};

	if (name.has_callee)
		name.callee = w->images[r->callee].name;
	return name;
}

static uint64_t file_time(const struct session_image *image)
{
	struct stat st;

	return image->name.kind == IMAGE_FILE && !stat(image->name.path, &st)
	       ? (uint64_t)st.st_mtime : 0;
}

static int open_file(struct thread_files *t, const struct record *r, struct odb **ret)
{
	struct session_writer *w = t->w;
	const struct sample_name name = name_of(t, r);
	struct sample_header header = sample_file_header(&name);
	struct session_image *image = &w->images[r->image];
	char *folder = image->part ? session_part_path(w->stats, image->part - 1) : NULL;
	struct strbuf path = STRBUF_INIT;
	int err = sample_file_path(folder ? folder : w->samples, &name, &path);

	header.cpu_type = UINT32_MAX;		/* whatever it ran on */
	header.mtime = file_time(image);
	if (!err)
		err = sample_file_open(path.text, &header, ret, NULL);
	if (err)
		session_failed(w, err, path.text);
	free(folder);
	strbuf_free(&path);
	return err;
}

static uint32_t limited(uint64_t count)
{
	return count > ODB_COUNT_MAX ? ODB_COUNT_MAX : (uint32_t)count;
}

static void account(struct session_writer *w, const struct record *r, int err)
{
	if (r->callee != PROFILE_NONE)
		w->counts.arcs_lost += err ? r->count : 0;
	else if (err)
		w->counts.lost[LOST_SAMPLE_FILE] += r->count;
	else
		w->counts.recorded += r->count;
}

/* Records [@first, @end) are of one file. */
static void write_file(struct thread_files *t, size_t first, size_t end)
{
	struct session_writer *w = t->w;
	struct odb *db = NULL;
	int err = open_file(t, &t->records[first], &db);

	session_image_tell(w, &w->images[t->records[first].image]);
	for (size_t i = first; i < end; i++) {
		const struct record *r = &t->records[i];
		int failed = err ? err : odb_add(db, r->key, limited(r->count));

		if (failed && !err)
			session_failed(w, failed, "a sample file");
		account(w, r, failed);
	}
	if (!err)
		odb_close(db);
}

static int compare_records(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->image != y->image)
		return x->image < y->image ? -1 : 1;
	if (x->callee != y->callee)
		return x->callee < y->callee ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

static void write_thread(struct thread_files *t)
{
	size_t end;

	gather(t);
	if (t->nr)
		qsort(t->records, t->nr, sizeof(*t->records), compare_records);
	for (size_t first = 0; first < t->nr; first = end) {
		for (end = first + 1; end < t->nr; end++)
			if (t->records[end].image != t->records[first].image ||
			    t->records[end].callee != t->records[first].callee)
				break;
		write_file(t, first, end);
	}
}

static int compare_tids(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

void session_write_files(struct session_writer *w)
{
	const struct profile *p = w->p;
	struct thread_files t = { .w = w };
	int64_t *tids = xcalloc((size_t)p->nr_label_sets + 1, sizeof(*tids));

	t.sums = xcalloc((size_t)p->nr_nodes + 1, sizeof(*t.sums));
	for (uint32_t i = 0; i < p->nr_label_sets; i++)
		tids[i] = session_label(p, i, BUILD_TID);
	qsort(tids, p->nr_label_sets, sizeof(*tids), compare_tids);
	for (uint32_t i = 0; i < p->nr_label_sets; i++) {
		t.tid = tids[i];
		/* no sample is without, but the empty set is */
		if (t.tid != SAMPLE_ALL && (!i || tids[i - 1] != t.tid))
			write_thread(&t);
	}
	free(tids);
	free(t.sums);
	free(t.records);
}
