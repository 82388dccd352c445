// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * samples.c - write a profile's samples to sample files
 *
 * Sample files have counters of 32 bits. If sums do not fit, counts are divided and the event's
 * period is multiplied [IM-4].
 */
#include "pp/exchange/import/samples.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "events/cpu/type.h"
#include "formats/profile/saturate.h"
#include "libdb/session/session.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/radix_sort.h"
#include "libutil/xalloc.h"

#define FILES_MAX	65536
#define NAMELESS	UINT64_MAX	/* no function names, so any key will do */

/* --- labels --- */

/* The session's image of the profile's image @path, or PROFILE_NONE. */
static uint32_t image_named(const struct importer *m, uint32_t path)
{
	for (uint32_t i = 0; i < m->p->nr_images; i++)
		if (m->p->images[i].path == path)
			return m->m->of_image[i];
	return PROFILE_NONE;
}

static void read_label(const struct importer *m, const struct profile_label *l,
		       struct import_labels *ret)
{
	const char *key = profile_text(m->p, l->key), *text = profile_text(m->p, l->text);

	if (!l->text && l->number >= 0 && l->number <= INT32_MAX) {
		if (!strcmp(key, "pid"))
			ret->pid = l->number;
		else if (!strcmp(key, "tid"))
			ret->tid = l->number;
		else if (!strcmp(key, "cpu"))
			ret->cpu = l->number;
	} else if (l->text) {
		if (!strcmp(key, "comm") && strlen(text) < 4096)
			ret->comm = text;
		else if (!strcmp(key, "cgroup") && strlen(text) < 4096)
			ret->cgroup = text;
		else if (!strcmp(key, "app"))
			ret->app = image_named(m, l->text);
	}
}

static void read_labels(struct importer *m)
{
	const struct profile *p = m->p;
	uint32_t main = p->main_image == PROFILE_NONE ? PROFILE_NONE
						      : m->m->of_image[p->main_image];

	m->labels = xcalloc(p->nr_label_sets, sizeof(*m->labels));
	for (uint32_t i = 0; i < p->nr_label_sets; i++) {
		const struct profile_labels *set = &p->label_sets[i];

		m->labels[i] = (struct import_labels){ SAMPLE_ALL, SAMPLE_ALL, SAMPLE_ALL, "", "",
						       main };
		for (uint32_t l = 0; l < set->nr; l++)
			read_label(m, &p->labels[set->first + l], &m->labels[i]);
	}
}

/* --- files --- */

static bool is_file(const void *importer, uint32_t id, const void *wanted)
{
	const struct import_file *f = &((const struct importer *)importer)->files[id];
	const struct import_file *w = wanted;

	return f->event == w->event && f->labels == w->labels && f->image == w->image &&
	       f->callee == w->callee;
}

/* The index of @file, added if it is new; PROFILE_NONE: there are too many. */
static uint32_t file_get(struct importer *m, const struct import_file *file)
{
	uint64_t hash = hash_mix(hash_mix((uint64_t)file->event << 32 | file->labels, file->image),
				 file->callee);
	uint32_t id = hash_table_find(&m->by_fields, hash, is_file, m, file);

	if (id != HASH_NONE)
		return id;
	if (m->nr_files == FILES_MAX)
		return PROFILE_NONE;
	m->files[m->nr_files] = *file;
	hash_table_add(&m->by_fields, hash, m->nr_files);
	return m->nr_files++;
}

static void record_add(struct importer *m, uint32_t file, uint64_t key, uint64_t value)
{
	xgrow(m->records, m->nr, m->room);
	m->records[m->nr++] = (struct session_record){ file, key, value };
}

/* Make records of all samples. Those without a frame are omitted and reported. */
static int gather(struct importer *m, struct notices *notices)
{
	const struct profile *p = m->p;
	uint64_t nr_empty = 0;

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		const struct profile_sample *s = &p->samples[i];

		if (s->node == PROFILE_NONE) {
			nr_empty++;
			continue;
		}
		for (uint32_t event = 0; event < p->nr_events; event++) {
			int64_t value = p->values[(size_t)i * p->nr_events + event];
			struct import_place place = m->m->places[p->tree.nodes[s->node].key];
			uint32_t file;

			m->nr_negative += value < 0;
			if (value <= 0)
				continue;
			file = file_get(m, &(struct import_file){
				event, s->labels, place.image, PROFILE_NONE });
			if (file == PROFILE_NONE)
				return op_error_set(m->e, -E2BIG, "more than %d combinations of "
						    "labels, events and images", FILES_MAX);
			record_add(m, file, place.key, (uint64_t)value);
		}
	}
	if (nr_empty)
		notice_add(notices, "%" PRIu64 " samples without a frame omitted", nr_empty);
	if (m->nr_negative)
		notice_add(notices, "%" PRIu64 " negative values omitted", m->nr_negative);
	return m->nr ? 0 : op_error_set(m->e, -ENODATA, "the profile has no samples");
}

/*
 * --- calls ---
 *
 * Each pair of neighbors in a stack is a call, as in the daemon. A {cg} file has 32 bits for each
 * of the two keys; if the names of an image begin at larger keys, readers can restore them as long
 * as all are within 4 GB [IM-9]. Counts are summed up the tree of stacks, once for each event and
 * label set.
 */

struct calls {
	struct importer *m;
	struct radix_item *samples;	/* by label set */
	int64_t *weights;		/* of nodes: sum + 1; 0: not in nodes */
	uint32_t *nodes;		/* with a weight */
	size_t nr_nodes;
	uint64_t *lows;			/* of images: the lowest key with a name, or NAMELESS */
	uint64_t nr_far, nr_crowded;	/* omitted calls */
};

static uint64_t *find_lows(const struct profile *p, const struct import_images *m)
{
	uint64_t *lows = xcalloc((size_t)m->nr + 1, sizeof(*lows));

	for (uint32_t i = 0; i < m->nr; i++) {
		uint32_t at = i ? m->ends[i - 1] : 0;

		lows[i] = NAMELESS;
		for (; at < m->ends[i]; at++) {
			uint64_t key = m->places[m->by_image[at]].key;

			if (key < lows[i] && *import_function(p, m->by_image[at]))
				lows[i] = key;
		}
	}
	return lows;
}

/* Whether the key can be restored from its lower 32 bits. */
static bool is_near(const struct calls *c, const struct import_place *at)
{
	uint64_t low = c->lows[at->image] > UINT32_MAX ? c->lows[at->image] : 0;

	return low == NAMELESS || (at->key >= low && at->key - low < UINT32_MAX);
}

static void add_call(struct calls *c, uint32_t event, uint32_t labels, uint32_t node,
		     uint64_t count)
{
	const struct profile *p = c->m->p;
	uint32_t from = p->tree.nodes[p->tree.nodes[node].parent].key;
	const struct import_place *caller = &c->m->m->places[from];
	const struct import_place *callee = &c->m->m->places[p->tree.nodes[node].key];
	uint32_t file;

	if (!is_near(c, caller) || !is_near(c, callee)) {
		c->nr_far++;
		return;
	}
	file = file_get(c->m, &(struct import_file){ event, labels, caller->image,
						      callee->image });
	if (file == PROFILE_NONE)
		c->nr_crowded++;
	else
		record_add(c->m, file, (caller->key + 1) << 32 | (uint32_t)callee->key, count);
}

/* Add @value to @node, and list it and those callers that are not listed yet. */
static void add_weight(struct calls *c, uint32_t node, int64_t value)
{
	const struct profile *p = c->m->p;

	for (; node != PROFILE_NONE; node = p->tree.nodes[node].parent) {
		bool is_new = !c->weights[node];

		c->weights[node] = add_saturated(c->weights[node] + is_new, value);
		if (!is_new)
			break;
		c->nodes[c->nr_nodes++] = node;
		value = 0;
	}
}

static int compare_nodes(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x > *y ? -1 : *x < *y;
}

/* Sum up from callees to callers: in descending order, each node is complete when it is added. */
static void sum_calls(struct calls *c, uint32_t event, uint32_t labels)
{
	const struct profile *p = c->m->p;
	unsigned int ignored;

	if (c->nr_nodes)
		qsort(c->nodes, c->nr_nodes, sizeof(*c->nodes), compare_nodes);
	for (size_t i = 0; i < c->nr_nodes; i++) {
		uint32_t node = c->nodes[i], parent = p->tree.nodes[node].parent;
		int64_t count = c->weights[node] - 1;

		c->weights[node] = 0;
		if (parent == PROFILE_NONE)
			continue;
		c->weights[parent] = add_saturated(c->weights[parent], count);
		/* where frames are missing nobody knows who called */
		if (!import_is_stack_end(p, p->tree.nodes[parent].key, &ignored) &&
		    !import_is_stack_end(p, p->tree.nodes[node].key, &ignored))
			add_call(c, event, labels, node, (uint64_t)count);
	}
	c->nr_nodes = 0;
}

static struct radix_item *sort_samples(const struct profile *p)
{
	struct radix_item *items = xcalloc((size_t)p->nr_samples + 1, sizeof(*items));
	struct radix_item *spare = xcalloc((size_t)p->nr_samples + 1, sizeof(*spare)), *sorted;

	for (uint32_t i = 0; i < p->nr_samples; i++)
		items[i] = (struct radix_item){ p->samples[i].labels, i };
	sorted = radix_sort(items, spare, p->nr_samples);
	free(sorted == items ? spare : items);
	return sorted;
}

static void add_calls(struct calls *c, uint32_t event)
{
	const struct profile *p = c->m->p;

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		uint32_t sample = (uint32_t)c->samples[i].value;
		int64_t value = p->values[(size_t)sample * p->nr_events + event];

		if (value > 0)
			add_weight(c, p->samples[sample].node, value);
		if (i + 1 == p->nr_samples || c->samples[i + 1].key != c->samples[i].key)
			sum_calls(c, event, (uint32_t)c->samples[i].key);
	}
}

static void add_all_calls(struct importer *m, struct notices *notices)
{
	struct calls c = {
		.m = m,
		.samples = sort_samples(m->p),
		.weights = xcalloc((size_t)m->p->tree.nr + 1, sizeof(*c.weights)),
		.nodes = xcalloc((size_t)m->p->tree.nr + 1, sizeof(*c.nodes)),
		.lows = find_lows(m->p, m->m),
	};

	for (uint32_t event = 0; event < m->p->nr_events; event++)
		add_calls(&c, event);
	if (c.nr_far)
		notice_add(notices, "%" PRIu64 " calls omitted from call-graph files: addresses of "
			   "an image are too far apart", c.nr_far);
	if (c.nr_crowded)
		notice_add(notices, "%" PRIu64 " calls omitted from call-graph files: too many "
			   "combinations of labels, events and images", c.nr_crowded);
	free(c.samples);
	free(c.weights);
	free(c.nodes);
	free(c.lows);
}

/* --- sample files --- */

static void describe_file(void *context, uint64_t number, struct session_file *ret)
{
	const struct importer *m = context;
	const struct import_file *f = &m->files[number];
	const struct import_labels *l = &m->labels[f->labels];
	const struct import_event *e = &m->events[f->event];
	const struct cpu_type *timer = cpu_type_by_name("timer");

	ret->name = (struct sample_name){
		.app = { .path = m->m->images[l->app == PROFILE_NONE ? f->image : l->app].path },
		.image = { .path = m->m->images[f->image].path },
		.has_callee = f->callee != PROFILE_NONE,
		.callee = { .path = f->callee == PROFILE_NONE ? NULL
							      : m->m->images[f->callee].path },
		.event = e->name, .count = e->count, .unit_mask = e->of.unit_mask,
		.tgid = l->pid, .tid = l->tid, .cpu = l->cpu,
	};
	ret->cgroup = l->cgroup;
	ret->cpu_type = strcmp(e->name, "TIMER") ? UINT32_MAX : (uint32_t)timer->number_1x;
}

static void count_file(void *context, uint64_t number, bool is_new)
{
	struct importer *m = context;

	m->sums.files += is_new && m->files[number].callee == PROFILE_NONE;
}

static void count_record(void *context, const struct session_record *r, int err)
{
	struct importer *m = context;

	(void)err;
	m->sums.samples += m->files[r->file].callee == PROFILE_NONE ? r->count : 0;
}

/* The remainder of one count is carried to the next one of the file. */
static void divide_counts(struct importer *m)
{
	uint64_t rest = 0;

	for (size_t i = 0; i < m->nr; i++) {
		struct session_record *r = &m->records[i];
		uint64_t divisor = m->events[m->files[r->file].event].divisor;

		if (!i || r[-1].file != r->file)
			rest = divisor / 2;
		rest += r->count % divisor;
		r->count = r->count / divisor + rest / divisor;
		rest %= divisor;
	}
}

static int write_files(struct importer *m)
{
	static const struct session_file_ops ops = {
		.describe = describe_file,
		.opened = count_file,
		.added = count_record,
		.stops_at_failure = true,
	};
	struct session_writer to;
	int err;

	divide_counts(m);
	session_writer_init(&to, m->samples);
	err = session_write_records(&to, m->records, m->nr, &ops, m, m->e);
	session_writer_free(&to);
	return err;
}

static bool has_stacks(const struct profile *p)
{
	for (uint32_t i = 0; i < p->nr_samples; i++)
		if (p->samples[i].node != PROFILE_NONE &&
		    p->tree.nodes[p->samples[i].node].parent != PROFILE_NONE)
			return true;
	return false;
}

int import_write_samples(const struct profile *p, const struct import_images *images,
			 struct imported *imported, const char *samples,
			 struct import_session_sums *sums, struct notices *notices,
			 struct op_error *e)
{
	struct importer m = { .p = p, .m = images, .samples = samples, .e = e };
	int err;

	m.stats = path_join(samples, "stats");
	m.files = xcalloc(FILES_MAX, sizeof(*m.files));
	read_labels(&m);
	err = gather(&m, notices);
	if (!err) {
		add_all_calls(&m, notices);
		m.nr = session_records_sum(m.records, m.nr);
		import_events_make(&m, imported, notices);
		err = write_files(&m);
	}
	if (!err && has_stacks(p))
		err = import_write_stacks(&m);
	for (uint32_t i = 0; m.events && i < p->nr_events; i++)
		free(m.events[i].name);
	free(m.events);
	free(m.stats);
	free(m.labels);
	free(m.files);
	hash_table_free(&m.by_fields);
	free(m.records);
	*sums = m.sums;
	return err;
}
