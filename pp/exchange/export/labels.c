// SPDX-License-Identifier: GPL-2.0-or-later
/* labels.c - events, labels and comments of a profile */
#include "pp/exchange/export/gathered.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/session/thread_sample.h"
#include "libdb/stack/store.h"
#include "libutil/count.h"
#include "libutil/file.h"
#include "libutil/plain_text.h"
#include "libutil/xalloc.h"

#define LABELS_MAX	64

static void add_number(struct profile *p, struct profile_label *labels, uint32_t *nr,
		       const char *key, int64_t number)
{
	if (number != SAMPLE_ALL)
		labels[(*nr)++] = (struct profile_label){
			.key = profile_string(p, key), .number = number };
}

static void add_text(struct profile *p, struct profile_label *labels, uint32_t *nr,
		     const char *key, const char *text)
{
	if (*text)
		labels[(*nr)++] = (struct profile_label){
			.key = profile_string(p, key), .text = profile_string(p, text) };
}

/* Whether a label already has this name. */
static bool has_label(const struct profile *p, const struct profile_label *labels, uint32_t nr,
		     const char *name)
{
	for (uint32_t i = 0; i < nr; i++)
		if (!strcmp(profile_text(p, labels[i].key), name))
			return true;
	return false;
}

/* Add the labels that the program set itself [ST-14]. */
static void add_own(struct profile *p, struct profile_label *labels, uint32_t *nr, const char *own)
{
	char *text = xstrdup(own), *rest = text, *name;
	int64_t number;

	while (*nr < LABELS_MAX && (name = stack_label_next(&rest, &number)))
		if (!has_label(p, labels, *nr, name))
			labels[(*nr)++] = (struct profile_label){
				.key = profile_string(p, name), .number = number };
	free(text);
}

uint32_t export_labels(struct export *x, const struct sample_file *file, const char *comm,
		       const char *own)
{
	struct profile *p = x->profile;
	struct profile_label labels[LABELS_MAX];
	uint32_t nr = 0;
	char *app;

	add_number(p, labels, &nr, "pid", file->name.tgid);
	add_number(p, labels, &nr, "tid", file->name.tid);
	add_number(p, labels, &nr, "cpu", file->name.cpu);
	add_text(p, labels, &nr, "comm", comm);
	add_text(p, labels, &nr, "cgroup", file->cgroup);
	if (x->label_apps) {
		app = export_image_path(file->app);
		add_text(p, labels, &nr, "app", app);
		free(app);
	}
	add_own(p, labels, &nr, own);
	return profile_label_set(p, labels, nr);
}

/* --- events --- */

/* Time is in nanoseconds; ticks of unknown length and hardware events are counts [EX-4]. */
static struct profile_event event_of(struct export *x, const struct sample_file *file)
{
	const struct report_session *s = file->session;
	const struct imported_event *was = imported_event(export_imported(x, s), file->name.event,
							  file->name.count, file->name.unit_mask);
	struct profile *p = x->profile;
	bool is_timer = !strcmp(file->name.event, "TIMER");

	if (was)
		return (struct profile_event){
			.name = profile_string(p, was->name), .unit = profile_string(p, was->unit),
			.period = was->period, .unit_mask = was->unit_mask };
	if (is_timer && s->has_info && s->info.period_ns)
		return (struct profile_event){
			.name = profile_string(p, "cpu"),
			.unit = profile_string(p, "nanoseconds"),
			.period = s->info.period_ns,
		};
	if (!strcmp(file->name.event, THREAD_SAMPLE))
		return (struct profile_event){
			.name = profile_string(p, file->name.unit_mask == THREAD_SAMPLE_CPU
						  ? "cpu" : "wall"),
			.unit = profile_string(p, "nanoseconds"),
			.period = file->name.count * THREAD_SAMPLE_NS,
		};
	return (struct profile_event){
		.name = profile_string(p, file->name.event),
		.unit = profile_string(p, "count"),
		.period = file->name.count ? file->name.count : 1,
		.unit_mask = file->name.unit_mask,
	};
}

static uint32_t event_index(struct profile *p, const struct profile_event *e)
{
	for (uint32_t i = 0; i < p->nr_events; i++) {
		const struct profile_event *other = &p->events[i];

		if (other->name == e->name && other->unit == e->unit &&
		    other->period == e->period && other->unit_mask == e->unit_mask)
			return i;
	}
	return profile_add_event(p, e);
}

static int compare_events(const void *a, const void *b)
{
	const struct sample_file *x = *(const struct sample_file *const *)a;
	const struct sample_file *y = *(const struct sample_file *const *)b;
	int order = strcmp(x->name.event, y->name.event);

	if (order)
		return order;
	if (x->name.count != y->name.count)
		return x->name.count < y->name.count ? -1 : 1;
	if (x->name.unit_mask != y->name.unit_mask)
		return x->name.unit_mask < y->name.unit_mask ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Whether the applications are real: an imported profile may not have had any. */
static bool has_applications(const struct imported *i)
{
	return i->has_apps || !i->nr_images;
}

/* Add events in the order of a report's columns, and set label_apps. */
void export_events(struct export *x)
{
	const struct file_list *files = &x->collection->files;
	const struct sample_file **sorted = xcalloc(files->nr + 1, sizeof(*sorted));

	x->file_events = xcalloc(files->nr + 1, sizeof(*x->file_events));
	for (size_t i = 0; i < files->nr; i++) {
		sorted[i] = &files->files[i];
		x->label_apps |= files->files[i].app != files->files[0].app &&
				 has_applications(export_imported(x, files->files[i].session));
	}
	qsort(sorted, files->nr, sizeof(*sorted), compare_events);
	for (size_t i = 0; i < files->nr; i++) {
		const struct profile_event event = event_of(x, sorted[i]);

		x->file_events[sorted[i] - files->files] = event_index(x->profile, &event);
	}
	free(sorted);
}

/* --- the whole profile --- */

static void add_session_comment(struct export *x, const struct report_session *s)
{
	char *text;

	if (!s->has_info)
		return;
	text = xasprintf("session '%s'%s%s%s%s%s%s", s->name,
			 *s->info.host ? " of " : "", s->info.host,
			 *s->info.kernel ? ", Linux " : "", s->info.kernel,
			 *s->info.profiled ? ", profiled: " : "", s->info.profiled);
	plain_text(text, strlen(text));
	profile_comment(x->profile, text);
	free(text);
}

static void set_time(struct export *x)
{
	const struct session_list *all = &x->collection->sessions;
	uint64_t start = UINT64_MAX, end = 0;
	const uint64_t most = INT64_MAX / 1000000000;

	for (size_t i = 0; i < all->nr; i++) {
		const struct session_info *info = &all->sessions[i].info;

		if (!all->sessions[i].has_info || !info->start_time || !info->end_time)
			return;
		start = info->start_time < start ? info->start_time : start;
		end = info->end_time > end ? info->end_time : end;
	}
	if (start > end || end > most)
		return;
	x->profile->start_ns = (int64_t)start * 1000000000;
	x->profile->duration_ns = (int64_t)(end - start) * 1000000000;
}

/* Set the image of the only application, which may have no samples of its own. */
static void set_main_image(struct export *x)
{
	struct report_image *app = x->collection->files.files[0].app;
	char *path = export_image_path(app);
	uint32_t id = profile_string(x->profile, path);

	free(path);
	for (uint32_t i = 0; i < x->profile->nr_images && app->kind == IMAGE_FILE; i++)
		if (x->profile->images[i].path == id) {
			x->profile->main_image = i;
			return;
		}
}

/* [EX-9] Without a command, the application is a part of what is known. */
static void set_title(struct export *x)
{
	const struct session_list *list = &x->collection->sessions;
	struct profile *p = x->profile;
	const struct session_info *info = &list->sessions[0].info;
	char *title, *with_app;

	if (!list->sessions[0].has_info || (!*info->profiled && !*info->host))
		return;
	title = sessions_title(list);
	if (!*info->profiled && p->main_image != PROFILE_NONE) {
		const char *path = profile_text(p, p->images[p->main_image].path);

		with_app = xasprintf("%s of %s", path_base(path), title);
		free(title);
		title = with_app;
	}
	p->title = profile_string(p, title);
	profile_comment(p, title);
	free(title);
}

/* Losses belong to no binary, thread or event, so only the whole of one event can have them. */
static bool has_losses(const struct export *x)
{
	const struct profile_spec *spec = x->options->spec;

	if (!spec || x->options->since || x->profile->nr_events != 1)
		return false;
	for (int tag = SPEC_IMAGE; tag < NR_SPEC_TAGS; tag++)
		if (spec->list[tag].nr && !spec->list[tag].all)
			return false;
	return true;
}

static void add_lost(struct export *x)
{
	const struct session_list *all = &x->collection->sessions;
	uint64_t lost = 0, due = 0;

	for (size_t i = 0; i < all->nr && has_losses(x); i++) {
		const struct cpu_counts *counts = &all->sessions[i].counts;

		for (int reason = 0; reason < NR_LOSS_REASONS; reason++)
			count_add(&lost, counts->lost[reason]);
		due += counts->received - counts->filtered - counts->idle;
	}
	profile_add_lost(x->profile, 0, lost, due);
}

void export_set_details(struct export *x)
{
	add_lost(x);
	for (size_t i = 0; i < x->collection->sessions.nr; i++)
		add_session_comment(x, &x->collection->sessions.sessions[i]);
	set_time(x);
	if (!x->label_apps)
		set_main_image(x);
	set_title(x);
}
