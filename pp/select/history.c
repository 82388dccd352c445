/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history.c - find the segments of a range of time, and put their stacks together */
#include "pp/select/history.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libdb/history/folder.h"
#include "libutil/clock.h"
#include "libutil/count.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

struct search {
	const struct time_range *range;
	struct notices *notices;
	int64_t first_ns, last_ns;	/* of all slices there are */
	bool has_slice;			/* the segment, in the range */
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

/* Takes over @segment. */
static void add_segment(struct search *s, const char *folder, const struct history_segment *segment)
{
	char *stats = path_join(folder, "stats");
	struct session_info info = { .start_time = 0 };
	struct session_history *h;

	(void)session_info_read(stats, &info);
	free(stats);
	if (!s->nr || !is_same_session(&s->infos[s->nr - 1], &info)) {
		xgrow(s->all, s->nr, s->room);
		xgrow(s->infos, s->nr, s->infos_room);
		s->all[s->nr] = (struct session_history){ .begin_ns = INT64_MAX };
		s->infos[s->nr++] = info;
	}
	h = &s->all[s->nr - 1];
	free(h->folder);
	h->folder = xstrdup(folder);
	xgrow(h->segments, h->nr, h->room);
	h->segments[h->nr++] = *segment;
	for (size_t i = 0; i < segment->nr_slices; i++) {
		const struct history_slice *slice = &segment->slices[i];

		if (slice->begin_ns < h->begin_ns)
			h->begin_ns = slice->begin_ns;
		if (slice->end_ns > h->end_ns)
			h->end_ns = slice->end_ns;
		add_numbers(h, slice);
	}
}

/* What a crash left of the last slice of a segment that goes on may be a slice being written. */
static void report_damage(struct search *s, const char *folder, const char *path,
			  const struct history_segment *segment)
{
	char *store = path_join(folder, HISTORY_STORE);

	if (segment->damaged)
		notice_add(s->notices, "'%s' is damaged: %llu slices are missing, and %llu samples "
			   "of later ones", path, (unsigned long long)segment->damaged,
			   (unsigned long long)segment->lost);
	if (segment->cut && !file_exists(store))
		notice_add(s->notices, "'%s' is truncated: ignored %llu bytes at its end", path,
			   (unsigned long long)segment->cut);
	free(store);
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
			add_segment(s, folder, &segment);
		}
	}
	if (err && err != -ENOENT)
		notice_add(s->notices, "ignored a segment of the history: %s", e.text);
	free(path);
}

/* --- one snapshot of many --- */

static void *grow(const void *old, size_t nr, size_t more, size_t size)
{
	return xrealloc_array((void *)old, nr + more + 1, size);
}

#define APPEND(to, from, what, nr_what)                                                        \
	do {                                                                                   \
		(to)->what = grow((to)->what, (to)->nr_what, (from)->nr_what,                  \
				  sizeof(*(to)->what));                                        \
		memcpy((void *)((to)->what + (to)->nr_what), (from)->what,                     \
		       (from)->nr_what * sizeof(*(to)->what));                                 \
	} while (0)

/* Indices of @from go on behind those of @to. */
static void append_snapshot(struct stack_snapshot *to, const struct stack_snapshot *from)
{
	struct stack_context *contexts;
	struct stack_frame *frames;
	struct stack_node *nodes;
	struct stack_count *counts;

	APPEND(to, from, images, nr_images);
	APPEND(to, from, events, nr_events);
	APPEND(to, from, contexts, nr_contexts);
	APPEND(to, from, frames, nr_frames);
	APPEND(to, from, nodes, nr_nodes);
	APPEND(to, from, ends, nr_nodes);
	APPEND(to, from, counts, nr_counts);
	contexts = (struct stack_context *)to->contexts + to->nr_contexts;
	for (uint32_t i = 0; i < from->nr_contexts; i++)
		if (contexts[i].app != STACK_NONE)
			contexts[i].app += to->nr_images;
	frames = (struct stack_frame *)to->frames + to->nr_frames;
	for (uint32_t i = 0; i < from->nr_frames; i++)
		frames[i].image += to->nr_images;
	nodes = (struct stack_node *)to->nodes + to->nr_nodes;
	for (uint32_t i = 0; i < from->nr_nodes; i++) {
		if (nodes[i].parent == STACK_NONE)
			continue;
		nodes[i].parent += to->nr_nodes;
		nodes[i].frame += to->nr_frames;
	}
	counts = (struct stack_count *)to->counts + to->nr_counts;
	for (uint32_t i = 0; i < from->nr_counts; i++) {
		counts[i].node += to->nr_nodes;
		counts[i].context += to->nr_contexts;
		counts[i].event += to->nr_events;
	}
	to->nr_images += from->nr_images;
	to->nr_events += from->nr_events;
	to->nr_contexts += from->nr_contexts;
	to->nr_frames += from->nr_frames;
	to->nr_nodes += from->nr_nodes;
	to->nr_counts += from->nr_counts;
}

/* Stacks of slices that were not asked for have counts of 0: they are left out. */
static void drop_unused(struct stack_snapshot *s)
{
	struct stack_count *counts = (struct stack_count *)s->counts;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < s->nr_counts; i++)
		if (counts[i].count && s->nodes[counts[i].node].parent != STACK_NONE)
			counts[nr++] = counts[i];
	s->nr_counts = nr;
}

static void count_all(struct session_history *h)
{
	const struct stack_snapshot *s = &h->stacks;
	struct stack_totals totals;

	stack_snapshot_totals(s, &totals);
	h->counts.recorded = totals.samples;
	h->counts.received = cpu_counts_accounted(&h->counts);
	for (uint32_t i = 0; i < s->nr_counts && !h->has_callers; i++)
		h->has_callers = s->nodes[s->nodes[s->counts[i].node].parent].parent != STACK_NONE;
	for (int i = 0; i < COUNTS_STACK_ENDS && i < NR_STACK_ENDS && h->has_callers; i++)
		h->counts.stacks[i] = totals.ends[i];
	if (h->has_callers)
		h->counts.stacks_guessed = totals.guessed;
}

static void put_together(struct session_history *h)
{
	for (size_t i = 0; i < h->nr; i++)
		append_snapshot(&h->stacks, &h->segments[i].stacks);
	drop_unused(&h->stacks);
	count_all(h);
}

/* --- */

static void format_time(int64_t ns, char *text, size_t size)
{
	time_t seconds = ns / (int64_t)NS_PER_SECOND;
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || !strftime(text, size, "%Y-%m-%d %H:%M:%S", &tm))
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

int histories_read(const char *session_dir, const struct time_range *range,
		   struct session_history **ret, size_t *ret_nr, struct notices *notices,
		   struct op_error *e)
{
	char *history = path_join(session_dir, HISTORY_DIR);
	struct search s = { .range = range, .notices = notices };
	struct history_folders folders = { NULL, 0, 0 };
	int err = history_folders_read(history, &folders);

	if (err)
		op_error_set(e, err, "cannot read '%s': %s", history, strerror(-err));
	for (size_t i = 0; i < folders.nr; i++)
		look_at_folder(&s, folders.list[i].path);
	if (!err && !s.nr)
		err = none_found(&s, history, folders.nr, e);
	for (size_t i = 0; i < s.nr; i++) {
		put_together(&s.all[i]);
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

void session_history_free(struct session_history *h)
{
	for (size_t i = 0; i < h->nr; i++)
		history_segment_free(&h->segments[i]);
	for (size_t i = 0; i < h->nr_files; i++)
		free(h->files[i].arcs);
	free(h->segments);
	free(h->files);
	stack_snapshot_free(&h->stacks);
	free(h->folder);
}

/* --- stacks --- */

static const void *copy_array(const void *array, size_t nr, size_t size)
{
	void *copy = xcalloc(nr + 1, size);

	if (nr)
		memcpy(copy, array, nr * size);
	return copy;
}

/* The arrays are the caller's then, and the texts stay the history's. */
static void copy_snapshot(const struct stack_snapshot *s, struct stack_snapshot *ret)
{
	*ret = *s;
	ret->images = copy_array(s->images, s->nr_images, sizeof(*s->images));
	ret->events = copy_array(s->events, s->nr_events, sizeof(*s->events));
	ret->contexts = copy_array(s->contexts, s->nr_contexts, sizeof(*s->contexts));
	ret->frames = copy_array(s->frames, s->nr_frames, sizeof(*s->frames));
	ret->nodes = copy_array(s->nodes, s->nr_nodes, sizeof(*s->nodes));
	ret->ends = copy_array(s->ends, s->nr_nodes, sizeof(*s->ends));
	ret->counts = copy_array(s->counts, s->nr_counts, sizeof(*s->counts));
}

int session_stacks_read(const struct report_session *s, struct stack_snapshot *ret,
			struct op_error *e)
{
	char *path;
	int err;

	if (s->history && !s->history->has_callers)
		return -ENOENT;
	if (s->history) {
		copy_snapshot(&s->history->stacks, ret);
		return 0;
	}
	path = path_join(s->samples, "stats/" STACK_STORE_FILE);
	err = stack_store_read(path, ret, e);
	free(path);
	return err;
}
