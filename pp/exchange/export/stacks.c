// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stacks.c - combine a session's sample files and its stack store
 *
 * Counts come from the sample files. The count of a key is distributed over the stacks that end
 * there; the remainder becomes samples of one frame. No sample is counted twice or missing, and the
 * sum is that of every other report [EX-1].
 */
#include "pp/exchange/export/gathered.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/stack/store.h"
#include "libutil/count.h"
#include "libutil/radix_sort.h"
#include "libutil/progress.h"
#include "libutil/xalloc.h"
#include "pp/exchange/export/baseline.h"
#include "pp/report/stack/choices.h"
#include "pp/report/stack/symbols.h"
#include "pp/select/history.h"

#define NODES_MAX	(UINT32_C(1) << 30)	/* of a profile */

struct reader {
	struct export *x;
	const struct report_session *session;
	struct export_files files;
	size_t first;			/* index of the first file in the collection */
	/* the stack store; empty if there is none */
	struct stack_snapshot snapshot;
	struct stack_symbols *images;
	struct stack_choices choices;
	uint32_t *choice_files;		/* of each: its file; PROFILE_NONE: not selected */
	size_t choice_files_room;
	uint32_t *places, *nodes;	/* x->gathered's, of its frames and nodes; PROFILE_NONE */
	uint8_t *outer;			/* of the nodes: stack_snapshot_outer() */
	uint32_t *path;
	size_t path_room;
	uint32_t *by_file;		/* indices of counts, grouped by file */
	size_t *ends;			/* of each file's group */
};

/* --- the file of a stack --- */

static uint32_t choose(const struct reader *r, uint32_t context, uint32_t event, uint32_t image)
{
	const struct stack_snapshot *s = &r->snapshot;
	const struct stack_context *c = &s->contexts[context];
	const struct stack_event *e = &s->events[event];
	struct sample_file file = {
		.cgroup = c->cgroup,
		.image = stack_symbols_image(r->images, image),
		.name = {
			.app = *stack_symbols_app(r->images, context, image),
			.image = s->images[image].name,
			.event = e->name, .count = e->count, .unit_mask = e->unit_mask,
			.tgid = c->tgid, .tid = c->tid, .cpu = c->cpu,
		},
	};
	uint32_t found = export_file_find(&r->files, &file);

	if (found != PROFILE_NONE || file.name.image.kind != IMAGE_KERNEL)
		return found;
	file.name.app = file.name.image;	/* separated by library only [EB-73] */
	return export_file_find(&r->files, &file);
}

static uint32_t file_of(struct reader *r, const struct stack_count *c)
{
	bool is_new;
	uint32_t choice = stack_choice_get(&r->choices, &r->snapshot, c, &is_new);

	if (choice == STACK_NONE)
		return PROFILE_NONE;
	if (is_new) {
		const struct stack_choice *made = &r->choices.choices[choice];

		xgrow(r->choice_files, choice, r->choice_files_room);
		r->choice_files[choice] = choose(r, made->context, made->event, made->image);
	}
	return r->choice_files[choice];
}

static void group_by_file(struct reader *r)
{
	uint32_t nr = r->snapshot.nr_counts, *files = xcalloc((size_t)nr + 1, sizeof(*files));
	size_t sum = 0;

	r->by_file = xcalloc((size_t)nr + 1, sizeof(*r->by_file));
	r->ends = xcalloc(r->files.nr + 1, sizeof(*r->ends));
	for (uint32_t i = 0; i < nr; i++) {
		files[i] = file_of(r, &r->snapshot.counts[i]);
		if (files[i] != PROFILE_NONE)
			r->ends[files[i] + 1]++;
	}
	for (size_t i = 0; i <= r->files.nr; i++)
		r->ends[i] = sum += r->ends[i];
	for (uint32_t i = 0; i < nr; i++)
		if (files[i] != PROFILE_NONE)
			r->by_file[r->ends[files[i]]++] = i;
	free(files);
}

/* --- nodes --- */

static uint32_t place_of_frame(struct reader *r, uint32_t frame)
{
	const struct stack_frame *f = &r->snapshot.frames[frame];

	if (r->places[frame] == PROFILE_NONE)
		r->places[frame] = export_place(
			r->x, export_image_get(r->x, stack_symbols_image(r->images, f->image),
					       r->session),
			f->offset, r->snapshot.images[f->image].name.anon_start);
	return r->places[frame];
}

/* A node below @parent that says why frames are missing there. */
static uint32_t missing_node(struct reader *r, uint32_t parent, unsigned int kind)
{
	struct profile *g = r->x->gathered;

	return profile_node(g, parent, profile_place(g, PROFILE_NONE, kind, NULL, 0));
}

/*
 * Complete stacks, the kernel's own, and those whose end is unknown have no frame above them. Of
 * those whose outermost frames are known, what is missing is below these.
 */
static uint32_t node_of_root(struct reader *r, uint32_t node)
{
	unsigned int end = r->snapshot.nodes[node].frame, kind = STACK_END_KIND(end);

	if (kind == STACK_COMPLETE || kind == STACK_NO_USER || kind == STACK_UNKNOWN_END ||
	    stack_end_nr_outer(end))
		return PROFILE_NONE;
	return missing_node(r, PROFILE_NONE, kind);
}

static uint32_t place_of_node(struct reader *r, uint32_t node)
{
	const struct stack_snapshot *s = &r->snapshot;
	const struct stack_node *n = &s->nodes[node];
	uint32_t image;

	if (s->nodes[n->parent].parent != STACK_NONE || !stack_end_has_process(s->ends[node]))
		return place_of_frame(r, n->frame);
	image = export_image_get(r->x, stack_symbols_image(r->images, s->frames[n->frame].image),
				 r->session);
	return profile_place(r->x->gathered, PROFILE_NONE, EXPORT_PROCESS + image, NULL, 0);
}

/* The gathered node of the store's @node. */
static uint32_t node_of(struct reader *r, uint32_t node)
{
	const struct stack_node *all = r->snapshot.nodes;
	size_t nr = 0;
	uint32_t at;

	for (; r->nodes[node] == PROFILE_NONE && all[node].parent != STACK_NONE;
	     node = all[node].parent) {
		xgrow(r->path, nr, r->path_room);
		r->path[nr++] = node;
	}
	at = r->nodes[node] == PROFILE_NONE ? node_of_root(r, node) : r->nodes[node];
	while (nr--) {
		node = r->path[nr];
		at = profile_node(r->x->gathered, at, place_of_node(r, node));
		if (r->outer[node] == 1)
			at = missing_node(r, at, STACK_END_KIND(r->snapshot.ends[node]));
		r->nodes[node] = at;
	}
	return at;
}

/* --- samples --- */

/* The stacks of one file, sorted by the key of their innermost frame. */
static struct radix_item *sorted_stacks(const struct reader *r, size_t file, size_t *ret_nr)
{
	size_t first = file ? r->ends[file - 1] : 0, nr = r->ends[file] - first;
	struct radix_item *items = xcalloc(nr + 1, sizeof(*items));
	const struct stack_snapshot *s = &r->snapshot;

	for (size_t i = 0; i < nr; i++) {
		uint32_t count = r->by_file[first + i];
		uint32_t frame = s->nodes[s->counts[count].node].frame;

		items[i] = (struct radix_item){ s->frames[frame].offset, count };
	}
	*ret_nr = nr;
	return radix_sorted(items, nr);
}

/* The samples of one key, as recorded and scaled; parts of both are proportional. */
struct budget {
	uint64_t raw, scaled, used;
};

static uint64_t take(struct budget *b, uint64_t count)
{
	uint64_t left = b->raw - b->used, before, after;

	if (count > left)
		count = left;
	before = count_scale(b->scaled, b->used, 0, b->raw);
	b->used += count;
	after = count_scale(b->scaled, b->used, 0, b->raw);
	return after - before;
}

struct file_samples {
	const struct sample_file *file;
	uint32_t event, labels, image;
	uint64_t anon_start;
	const struct radix_item *stacks;
	size_t nr_stacks, at;
};

static void add_sample(struct export *x, uint32_t node, uint32_t labels, uint32_t event,
		       uint64_t value)
{
	profile_add_sample(x->profile, node, labels)[event] =
		value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static void add_key(struct reader *r, struct file_samples *f, uint64_t key, struct budget *b)
{
	struct export *x = r->x;
	uint64_t value;

	while (f->at < f->nr_stacks && f->stacks[f->at].key < key)
		f->at++;
	for (; f->at < f->nr_stacks && f->stacks[f->at].key == key; f->at++) {
		const struct stack_count *c = &r->snapshot.counts[f->stacks[f->at].value];
		const struct stack_context *of = &r->snapshot.contexts[c->context];

		value = take(b, x->options->since
				? export_baseline_stack(x->options->since, r->session->samples,
							&r->snapshot,
							(uint32_t)f->stacks[f->at].value)
				: c->count);
		if (value)
			add_sample(x, node_of(r, c->node),
				   *of->comm || *of->labels
				   ? export_labels(x, f->file, of->comm, of->labels) : f->labels,
				   f->event, value);
	}
	value = take(b, UINT64_MAX);
	if (value)
		add_sample(x, profile_node(x->gathered, PROFILE_NONE,
					   export_place(x, f->image, key, f->anon_start)),
			   f->labels, f->event, value);
}

static void add_keys(struct reader *r, struct file_samples *f, const struct sample_key *keys,
		     size_t nr)
{
	size_t i = 0;

	while (i < nr) {
		struct budget b = { 0 };
		uint64_t key = keys[i].key;

		for (; i < nr && keys[i].key == key; i++) {
			b.raw += keys[i].raw;
			b.scaled += keys[i].count;
		}
		if (b.raw)
			add_key(r, f, key, &b);
	}
}

/* The thread name that all these stacks have; "" if they differ, or it is unknown. */
static const char *common_comm(const struct reader *r, const struct file_samples *f)
{
	const char *common = NULL;

	for (size_t i = 0; i < f->nr_stacks; i++) {
		const struct stack_count *c = &r->snapshot.counts[f->stacks[i].value];
		const char *comm = r->snapshot.contexts[c->context].comm;

		if (common && strcmp(common, comm))
			return "";
		common = comm;
	}
	return common ? common : "";
}

static void add_file(struct reader *r, size_t i)
{
	struct file_samples f = { .file = &r->files.files[i] };
	struct sample_header header;
	struct sample_key *keys;
	size_t nr;
	int err = samples_read_keys(f.file, &header, &keys, &nr, r->x->notices);

	r->x->nr_read += !err || err == -ENODATA;
	if (err)
		return;
	if (r->x->options->since)
		export_baseline_keys(r->x->options->since, f.file->path, keys, nr);
	f.event = r->x->file_events[r->first + i];
	f.image = export_image_get(r->x, f.file->image, r->session);
	f.anon_start = header.anon_start;
	if (r->by_file)
		f.stacks = sorted_stacks(r, i, &f.nr_stacks);
	f.labels = export_labels(r->x, f.file, common_comm(r, &f), "");
	add_keys(r, &f, keys, nr);
	free((void *)f.stacks);
	free(keys);
}

/* --- the store --- */

static uint32_t *none_of(uint32_t nr)
{
	uint32_t *all = xmalloc(((size_t)nr + 1) * sizeof(*all));

	return memset(all, 0xff, ((size_t)nr + 1) * sizeof(*all));
}

/* False: missing or unreadable; the export then has no stacks. */
static bool open_store(struct reader *r)
{
	struct op_error why = { "" };
	int err = session_stacks_read(r->session, &r->snapshot, &why);

	if (err && err != -ENOENT && err != -ENODATA)
		notice_add(r->x->notices, "stacks ignored: %s",
			   *why.text ? why.text : strerror(-err));
	if (err)
		return false;
	if ((uint64_t)r->x->gathered->tree.nr + r->snapshot.nr_nodes >= NODES_MAX) {
		notice_add(r->x->notices, "session '%s': too many stacks; ignored",
			   r->session->name);
		stack_snapshot_free(&r->snapshot);
		return false;
	}
	r->images = stack_symbols_new(r->x->collection, NULL, NULL, r->x->notices);
	stack_symbols_session(r->images, r->session, &r->snapshot);
	export_files_index(&r->files);
	group_by_file(r);
	r->places = none_of(r->snapshot.nr_frames);
	r->nodes = none_of(r->snapshot.nr_nodes);
	r->outer = xcalloc((size_t)r->snapshot.nr_nodes + 1, sizeof(*r->outer));
	stack_snapshot_outer(&r->snapshot, r->outer);
	return true;
}

static void close_store(struct reader *r)
{
	stack_symbols_free(r->images);
	stack_snapshot_free(&r->snapshot);
	stack_choices_free(&r->choices);
	free(r->choice_files);
	free(r->places);
	free(r->nodes);
	free(r->outer);
	free(r->path);
	free(r->by_file);
	free(r->ends);
	hash_table_free(&r->files.by_name);
}

void export_stacks(struct export *x, const struct report_session *session, size_t first,
		   size_t end)
{
	struct reader r = {
		.x = x, .session = session, .first = first,
		.files = { .files = x->collection->files.files + first, .nr = end - first },
	};
	/* the store before the files: a sample recorded in between lacks only its stack */
	bool has_stacks = open_store(&r);

	for (size_t i = 0; i < r.files.nr; i++) {
		progress_tell(NULL, i, r.files.nr, "sample files");
		add_file(&r, i);
	}
	if (has_stacks)
		close_store(&r);
}
