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
#include "libdb/session/session.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/progress.h"
#include "libutil/xalloc.h"

#define FILES_MAX	65536

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

	return f->event == w->event && f->labels == w->labels && f->image == w->image;
}

/* The index of @file, added if it is new; PROFILE_NONE: there are too many. */
static uint32_t file_get(struct importer *m, const struct import_file *file)
{
	uint64_t hash = hash_mix((uint64_t)file->event << 32 | file->labels, file->image);
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
			struct import_place place = import_place(p, m->m,
								 p->tree.nodes[s->node].key);
			uint32_t file;

			m->nr_negative += value < 0;
			if (value <= 0)
				continue;
			file = file_get(m, &(struct import_file){ event, s->labels, place.image });
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
	/* an empty profile is a valid one [IM-10] */
	return m->nr || !p->nr_samples ? 0 : op_error_set(m->e, -ENODATA, "none of the profile's "
							  "samples can be imported");
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
		.event = e->name, .count = e->count, .unit_mask = e->of.unit_mask,
		.tgid = l->pid, .tid = l->tid, .cpu = l->cpu,
	};
	ret->cgroup = l->cgroup;
	ret->cpu_type = strcmp(e->name, "TIMER") ? UINT32_MAX : (uint32_t)timer->number_1x;
}

static void count_file(void *context, uint64_t number, bool is_new)
{
	struct importer *m = context;

	(void)number;
	m->sums.files += is_new;
	progress_tell(NULL, m->sums.files, 0, "sample files");
}

static void count_record(void *context, const struct session_record *r, int err)
{
	struct importer *m = context;

	(void)err;
	m->sums.samples += r->count;
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
