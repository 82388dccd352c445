// SPDX-License-Identifier: GPL-2.0-or-later
/* history.c - find the segments of a range of time, and put their stacks together */
#include "pp/select/history.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/history/folder.h"
#include "libutil/clock.h"
#include "libutil/count.h"
#include "libutil/file.h"
#include "libutil/local_time.h"
#include "libutil/progress.h"
#include "libutil/xalloc.h"

struct search {
	const struct time_range *range;
	struct notices *notices;
	int64_t first_ns, last_ns;	/* of all slices there are */
	bool has_slice;			/* the segment, in the range */
	bool keeps_segment;
	struct session_history *all;
	struct session_info *infos;	/* of each one's last segment */
	size_t nr, room, infos_room;
};

static void look_at_slice(void *search, int64_t begin_ns, int64_t end_ns)
{
	struct search *s = search;

	if (!s->last_ns || begin_ns < s->first_ns)
		s->first_ns = begin_ns;
	if (end_ns > s->last_ns)
		s->last_ns = end_ns;
	s->has_slice |= history_slice_is_within(begin_ns, end_ns, s->range->from_ns,
						s->range->to_ns);
}

/* Whether segments with these descriptions can be added up: they are of one session. */
static bool is_same_session(const struct session_info *a, const struct session_info *b)
{
	return a->start_time == b->start_time && !strcmp(a->host, b->host) &&
	       !strcmp(a->kernel, b->kernel) && !strcmp(a->kernel_build_id, b->kernel_build_id) &&
	       !strcmp(a->collector, b->collector) && !strcmp(a->model, b->model) &&
	       !strcmp(a->events, b->events) && !strcmp(a->separate, b->separate) &&
	       !strcmp(a->vmlinux, b->vmlinux);
}

static void add_numbers(struct session_history *h, const struct history_slice *slice)
{
	struct cpu_counts *c = &h->counts;

	for (size_t i = 0; i < slice->nr_numbers; i++) {
		const char *name = slice->numbers[i].name;
		uint64_t value = slice->numbers[i].value;

		if (!strcmp(name, HISTORY_FILTERED))
			count_add(&c->filtered, value);
		else if (!strcmp(name, HISTORY_IDLE))
			count_add(&c->idle, value);
		else if (!strcmp(name, HISTORY_THROTTLED))
			count_add(&c->throttled, value);
		else if (!strcmp(name, HISTORY_NOT_KEPT))
			count_add(&h->not_kept, value);
		if (strncmp(name, HISTORY_LOST, strlen(HISTORY_LOST)) != 0)
			continue;
		for (int k = 0; k < NR_LOSS_REASONS; k++)
			if (!strcmp(name + strlen(HISTORY_LOST), loss_name((enum loss_reason)k)))
				count_add(&c->lost[k], value);
	}
}

/* The session that the segment in @folder belongs to. */
static struct session_history *session_of(struct search *s, const char *folder)
{
	char *stats = path_join(folder, "stats");
	struct session_info info = { .start_time = 0 };

	(void)session_info_read(stats, &info);
	free(stats);
	if (!s->nr || !is_same_session(&s->infos[s->nr - 1], &info)) {
		xgrow(s->all, s->nr, s->room);
		xgrow(s->infos, s->nr, s->infos_room);
		s->all[s->nr] = (struct session_history){
			.range = *s->range, .begin_ns = INT64_MAX,
			.filer = history_filer_new(&info),
		};
		s->infos[s->nr++] = info;
	}
	return &s->all[s->nr - 1];
}

static void add_stacks(struct session_history *h, const struct stack_snapshot *s)
{
	struct stack_totals totals;

	stack_snapshot_totals(s, &totals);
	count_add(&h->counts.recorded, totals.samples);
	for (uint32_t i = 0; i < s->nr_counts && !h->has_callers; i++)
		h->has_callers = s->nodes[s->nodes[s->counts[i].node].parent].parent != STACK_NONE;
	for (int i = 0; i < COUNTS_STACK_ENDS && i < NR_STACK_ENDS; i++)
		count_add(&h->counts.stacks[i], totals.ends[i]);
	count_add(&h->counts.stacks_guessed, totals.guessed);
}

/* Samples without a frame, as no daemon writes them. */
static void drop_empty(struct stack_snapshot *s)
{
	struct stack_count *counts = (struct stack_count *)s->counts;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < s->nr_counts; i++)
		if (s->nodes[counts[i].node].parent != STACK_NONE)
			counts[nr++] = counts[i];
	s->nr_counts = nr;
}

static void add_segment(struct search *s, const char *folder, const char *path,
			struct history_segment *segment)
{
	struct session_history *h = session_of(s, folder);

	free(h->folder);
	h->folder = xstrdup(folder);
	xgrow(h->segments, h->nr, h->room);
	h->segments[h->nr++] = xstrdup(path);
	for (size_t i = 0; i < segment->nr_slices; i++) {
		const struct history_slice *slice = &segment->slices[i];

		if (slice->begin_ns < h->begin_ns)
			h->begin_ns = slice->begin_ns;
		if (slice->end_ns > h->end_ns)
			h->end_ns = slice->end_ns;
		if (slice->end_ns - slice->begin_ns > h->longest_ns)
			h->longest_ns = slice->end_ns - slice->begin_ns;
		add_numbers(h, slice);
	}
	drop_empty(&segment->stacks);
	add_stacks(h, &segment->stacks);
	history_filer_add(h, &segment->stacks);
}

/* What a crash left of the last slice of a segment that goes on may be a slice being written. */
static void report_damage(struct search *s, const char *folder, const char *path,
			  const struct history_segment *segment)
{
	char *store = path_join(folder, HISTORY_STORE);

	if (segment->damaged)
		notice_add(s->notices, "'%s' is damaged; slices lost: %llu, samples of later "
			   "slices lost: %llu", path, (unsigned long long)segment->damaged,
			   (unsigned long long)segment->lost);
	if (segment->cut && !file_exists(store))
		notice_add(s->notices, "'%s' is truncated: ignored %llu bytes at its end", path,
			   (unsigned long long)segment->cut);
	free(store);
}

/* Its stacks and numbers are wanted later, and reading it takes longer than all else. */
static void keep_segment(struct session_history *h, const struct history_segment *segment)
{
	h->only = xmalloc(sizeof(*h->only));
	*h->only = *segment;
}

static void look_at_folder(struct search *s, const char *folder)
{
	char *path = path_join(folder, HISTORY_SEGMENT);
	struct history_segment segment;
	struct op_error e = { "" };
	int err;

	s->has_slice = false;
	err = file_exists(path) ? history_segment_scan(path, look_at_slice, s, &e) : 0;
	if (!err && s->has_slice) {
		err = history_segment_read(path, s->range->from_ns, s->range->to_ns, &segment, &e);
		if (!err) {
			report_damage(s, folder, path, &segment);
			add_segment(s, folder, path, &segment);
			if (s->keeps_segment)
				keep_segment(&s->all[s->nr - 1], &segment);
			else
				history_segment_free(&segment);
		}
	}
	if (err && err != -ENOENT)
		notice_add(s->notices, "ignored a segment of the history: %s", e.text);
	free(path);
}

static void end_counts(struct session_history *h)
{
	struct cpu_counts *c = &h->counts;

	c->received = cpu_counts_accounted(c);
	if (!h->has_callers) {
		memset(c->stacks, 0, sizeof(c->stacks));
		c->stacks_guessed = 0;
	}
}

/* --- */

static void format_time(int64_t ns, char *text, size_t size)
{
	int64_t seconds = ns / (int64_t)NS_PER_SECOND;

	if (!local_time(seconds, "%Y-%m-%d %H:%M:%S", text, size))
		snprintf(text, size, "@%lld", (long long)seconds);
}

static int none_found(const struct search *s, const char *history, bool exists, struct op_error *e)
{
	char first[64], last[64];

	if (!exists || !s->last_ns)
		return op_error_set(e, -ENOENT, "no history in '%s'; keep one with opcontrol "
				    "--start --history", history);
	format_time(s->first_ns, first, sizeof(first));
	format_time(s->last_ns, last, sizeof(last));
	return op_error_set(e, -ENOENT, "no slice of that time in '%s', which has those from %s to "
			    "%s", history, first, last);
}

int histories_read(const char *session_dir, const struct time_range *range, const char *segment,
		   struct session_history **ret, size_t *ret_nr, struct notices *notices,
		   struct op_error *e)
{
	char *history = path_join(session_dir, HISTORY_DIR);
	struct search s = { .range = range, .notices = notices, .keeps_segment = segment };
	struct history_folders folders = { NULL, 0, 0 };
	int err = history_folders_read(history, &folders);

	if (err)
		op_error_set(e, err, "cannot read '%s': %s", history, strerror(-err));
	for (size_t i = 0; i < folders.nr; i++) {
		progress_tell(NULL, i, folders.nr, "segments of the history");
		if (!segment || !strcmp(path_base(folders.list[i].path), segment))
			look_at_folder(&s, folders.list[i].path);
	}
	if (!err && !s.nr)
		err = none_found(&s, history, folders.nr, e);
	for (size_t i = 0; i < s.nr; i++) {
		end_counts(&s.all[i]);
		if (s.all[i].not_kept)
			notice_add(notices, "the history lacks %llu samples of '%s' that were "
				   "recorded in the session: its store was full or could not be "
				   "written", (unsigned long long)s.all[i].not_kept,
				   s.all[i].folder);
	}
	history_folders_free(&folders);
	free(history);
	free(s.infos);
	if (err)
		return err;
	*ret = s.all;
	*ret_nr = s.nr;
	return 0;
}

char *history_segment_folder(const struct session_history *h, size_t i)
{
	const char *path = h->segments[i];

	return xasprintf("%.*s", (int)(path_base(path) - path) - 1, path);
}

void session_history_free(struct session_history *h)
{
	session_history_forget_places(h);
	if (h->only)
		history_segment_free(h->only);
	free(h->only);
	for (size_t i = 0; i < h->nr; i++)
		free(h->segments[i]);
	for (size_t i = 0; i < h->nr_files; i++)
		free(h->files[i].arcs);
	free(h->segments);
	free(h->files);
	history_filer_free(h->filer);
	free(h->folder);
}
