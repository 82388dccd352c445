// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view.c - add up the samples of each row
 *
 * Only stacks with samples since optop began are looked at. The function of a frame is looked up
 * once.
 */
#include "live/top/view.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"
#include "live/top/annotate.h"
#include "pp/binary/line/cache.h"
#include "pp/report/stack/report.h"
#include "pp/report/stack/symbols.h"

#define HALF_LIFE	3.0	/* seconds, of what counts as recent */
#define STACK_TEXT	512	/* bytes of a stack's name, about */

/* A count that has grown since optop began. */
struct active {
	uint32_t count;
	uint32_t leaf;			/* its innermost function; STACK_NONE: not yet known */
	uint64_t stack;			/* key; 0: not yet known */
	double now;
	uint64_t since, before;
};

struct top {
	const struct top_place *place;
	struct top_model *model;
	struct populate_options populate;
	struct stacks_options options;
	struct notices ignored;
	char *cache_dir;
	/* of the source that is open */
	bool is_open, is_first;
	struct top_source source;
	struct stack_report report;
	struct stack_symbols *symbols;
	uint32_t nr_images;		/* those that symbols know */
	struct seen {
		uint64_t samples;	/* at the last reading */
		uint32_t active;	/* its index, plus 1; 0: none yet */
	} *seen;			/* of each count */
	size_t nr_seen, seen_room;
	struct active *active;
	size_t nr_active, active_room;
	uint64_t lost_at_start;
	uint32_t event;
	double seconds_before;		/* the mark, from the one before it */
	double rate_samples, rate_seconds;	/* decaying, as struct active's now */
	/* frames whose function was looked up */
	struct hash_table functions;
	struct function {
		uint64_t offset;
		uint32_t image, symbol;
	} *found;
	size_t nr_found, found_room;
	char **texts;			/* of rows */
	size_t nr_texts, texts_room;
	struct top_annotation *annotation;
};

/* --- the source --- */

static void free_texts(struct top *t)
{
	while (t->nr_texts)
		free(t->texts[--t->nr_texts]);
}

static void close_source(struct top *t)
{
	if (!t->is_open)
		return;
	top_rows_begin(t->model);	/* its names are the source's */
	top_annotation_free(t->annotation);
	stack_symbols_free(t->symbols);
	stacks_free(&t->report);
	top_source_close(&t->source);
	hash_table_free(&t->functions);
	free(t->found);
	free(t->seen);
	free(t->active);
	notices_free(&t->ignored);
	t->annotation = NULL;
	t->found = NULL;
	t->seen = NULL;
	t->active = NULL;
	t->nr_found = t->found_room = t->nr_seen = t->seen_room = 0;
	t->nr_active = t->active_room = 0;
	t->nr_images = 0;
	t->is_open = false;
}

static uint64_t lost_so_far(const struct top *t)
{
	char *stats = session_stats_path(t->place->session_dir, SESSION_CURRENT, NULL);
	struct session_counts counts;
	uint64_t lost = 0;

	if (!session_counts_read(stats, &counts)) {
		struct cpu_counts all;

		session_counts_total(&counts, &all);
		for (int i = 0; i < NR_LOSS_REASONS; i++)
			lost += all.lost[i];
		free(counts.cpu);
	}
	free(stats);
	return lost;
}

static int open_source(struct top *t, struct op_error *e)
{
	int err = top_source_open(t->place, &t->source, e);

	if (err)
		return err;
	t->populate.root = t->source.collection.root;
	rows_init(&t->report.rows, 1);
	t->symbols = stack_symbols_new(&t->source.collection, &t->options, &t->report,
				       &t->ignored);
	t->is_open = t->is_first = true;
	t->event = 0;
	t->rate_samples = t->rate_seconds = 0;
	t->lost_at_start = lost_so_far(t);
	t->model->has_mark = false;
	t->model->seconds = 0;
	return 0;
}

static void add_delta(struct top *t, uint32_t count, uint64_t delta)
{
	struct seen *seen = &t->seen[count];

	if (!seen->active) {
		xgrow(t->active, t->nr_active, t->active_room);
		t->active[t->nr_active++] = (struct active){ .count = count, .leaf = STACK_NONE };
		seen->active = (uint32_t)t->nr_active;
	}
	t->active[seen->active - 1].since += delta;
	t->active[seen->active - 1].now += (double)delta;
	if (t->source.counts[count].event == t->event)
		t->rate_samples += (double)delta;
}

/* What the session has at the first reading is not shown; later ones show what it gained. */
static void take_deltas(struct top *t, double seconds)
{
	const double kept = pow(0.5, seconds / HALF_LIFE);

	for (size_t i = 0; i < t->nr_active; i++)
		t->active[i].now *= kept;
	t->rate_samples *= kept;
	t->rate_seconds *= kept;
	for (uint32_t i = 0; i < t->source.nr_counts; i++) {
		const uint64_t samples = t->source.counts[i].samples;

		if (i == t->nr_seen) {
			xgrow(t->seen, t->nr_seen, t->seen_room);
			t->seen[t->nr_seen++] = (struct seen){ t->is_first ? samples : 0, 0 };
		}
		if (samples > t->seen[i].samples)
			add_delta(t, i, samples - t->seen[i].samples);
		t->seen[i].samples = samples;
	}
	if (!t->is_first) {
		t->rate_seconds += seconds;
		t->model->seconds += seconds;
	}
	t->is_first = false;
}

static int read_source(struct top *t, double seconds, struct op_error *e)
{
	int err = t->is_open ? 0 : open_source(t, e);

	if (!err)
		err = top_source_read(&t->source, e);
	if (err)
		return err;
	if (t->source.labels.nr_images > t->nr_images) {
		stack_symbols_session(t->symbols, &t->source.collection.sessions.sessions[0],
				      &t->source.labels);
		t->nr_images = t->source.labels.nr_images;
	}
	take_deltas(t, seconds);
	return 0;
}

/* --- functions --- */

static bool is_function(const void *found, uint32_t i, const void *key)
{
	const struct function *a = (const struct function *)found + i, *b = key;

	return a->image == b->image && a->offset == b->offset;
}

static uint32_t symbol_of(struct top *t, const struct stack_frame *frame)
{
	struct function f = { frame->offset, frame->image, STACK_NONE };
	const uint64_t hash = hash_mix(f.image, f.offset);
	uint32_t i = hash_table_find(&t->functions, hash, is_function, t->found, &f);
	uint32_t ids[ROW_IDS_MAX];

	if (i != HASH_NONE)
		return t->found[i].symbol;
	(void)stack_symbols_find(t->symbols, frame, ids);
	f.symbol = ids[0];
	xgrow(t->found, t->nr_found, t->found_room);
	t->found[t->nr_found] = f;
	hash_table_add(&t->functions, hash, (uint32_t)t->nr_found++);
	return f.symbol;
}

/* The innermost function. */
static uint32_t leaf_of(struct top *t, struct active *a)
{
	const struct top_count *c = &t->source.counts[a->count];

	if (a->leaf == STACK_NONE)
		a->leaf = symbol_of(t, &(struct stack_frame){ c->image, c->offset });
	return a->leaf;
}

/* A stack as functions, innermost first; filled in when it is needed. */
struct stack {
	bool is_found;
	struct stack_frame frames[TOP_FRAMES_MAX];
	uint32_t symbols[TOP_FRAMES_MAX + 1];
	size_t nr, nr_symbols;		/* the last one may say that the stack is incomplete */
};

static void find_stack(struct top *t, const struct active *a, struct stack *s)
{
	const struct top_count *c = &t->source.counts[a->count];
	unsigned int end;
	uint32_t last;

	if (s->is_found)
		return;
	s->is_found = true;
	s->nr = top_source_frames(&t->source, c, s->frames, &end);
	s->nr_symbols = 0;
	for (size_t i = 0; i < s->nr; i++)
		s->symbols[s->nr_symbols++] =
			i && i == s->nr - 1 && stack_end_has_process(end)
			? stack_symbols_find_process(t->symbols, s->frames[i].image)
			: symbol_of(t, &s->frames[i]);
	last = c->node ? stack_symbols_find_end(t->symbols, end) : STACK_NONE;
	if (last != STACK_NONE)
		s->symbols[s->nr_symbols++] = last;
}

/* --- keys of rows --- */

static uint64_t symbol_key(uint32_t symbol)
{
	return hash_u64(symbol);
}

static uint64_t image_key(const struct top *t, const struct top_count *c)
{
	return hash_u64((uintptr_t)stack_symbols_image(t->symbols, c->image));
}

static uint64_t process_key(const struct top *t, const struct top_count *c)
{
	const struct image_name *app = stack_symbols_app(t->symbols, c->context, c->image);

	return hash_mix(hash_string(app->path),
			(uint64_t)t->source.labels.contexts[c->context].tgid);
}

static uint64_t cgroup_key(const struct top *t, const struct top_count *c)
{
	return hash_string(t->source.labels.contexts[c->context].cgroup);
}

static uint64_t stack_key(struct top *t, struct active *a, struct stack *s)
{
	if (!a->stack) {
		find_stack(t, a, s);
		a->stack = hash_bytes(s->symbols, s->nr_symbols * sizeof(*s->symbols)) | 1;
	}
	return a->stack;
}

/* The number of functions up to the one of @key, or 0. */
static size_t depth_of(const struct stack *s, uint64_t key)
{
	for (size_t i = 0; i < s->nr; i++)
		if (symbol_key(s->symbols[i]) == key)
			return i + 1;
	return 0;
}

/* Do the samples of @a belong to the row @key of @view? *depth: functions entered so far. */
static bool is_of_row(struct top *t, enum top_view view, uint64_t key, struct active *a,
		      struct stack *s, size_t *depth)
{
	const struct top_count *c = &t->source.counts[a->count];

	switch (view) {
	case TOP_IMAGES:
		return image_key(t, c) == key;
	case TOP_PROCESSES:
		return process_key(t, c) == key;
	case TOP_CGROUPS:
		return cgroup_key(t, c) == key;
	case TOP_STACKS:
		return stack_key(t, a, s) == key;
	case TOP_SYMBOLS:
		*depth = 1;
		return symbol_key(leaf_of(t, a)) == key;
	case TOP_FRAMES:
		find_stack(t, a, s);
		*depth = depth_of(s, key);
		return *depth;
	default:
		find_stack(t, a, s);
		return ++*depth <= s->nr_symbols && symbol_key(s->symbols[*depth - 1]) == key;
	}
}

static bool is_entered(struct top *t, struct active *a, struct stack *s, size_t *ret_depth)
{
	*ret_depth = 0;
	for (size_t i = 1; i < t->model->nr_levels; i++)
		if (!is_of_row(t, t->model->levels[i - 1].view, t->model->levels[i].key, a, s,
			       ret_depth))
			return false;
	return true;
}

/* --- rows --- */

static const char *text(struct top *t, char *made)
{
	xgrow(t->texts, t->nr_texts, t->texts_room);
	return t->texts[t->nr_texts++] = made;
}

static void add_samples(struct top_row *row, const struct active *a)
{
	row->now += a->now;
	row->since += a->since;
	row->before += a->before;
}

/* What is in no function is named after its image. */
static const char *name_of(const struct top *t, uint32_t symbol)
{
	const struct stack_symbol *s = &t->report.symbols[symbol];

	return s->image && !strcmp(s->name, s->image->name) ? image_shown_name(s->image, false)
							    : s->name;
}

static void add_symbol(struct top *t, uint32_t symbol, const struct active *a)
{
	const struct stack_symbol *s = &t->report.symbols[symbol];
	bool is_new;
	struct top_row *row = top_row(t->model, symbol_key(symbol), &is_new);

	if (is_new) {
		row->name = name_of(t, symbol);
		row->detail = s->image ? image_shown_name(s->image, false) : NULL;
	}
	add_samples(row, a);
}

static void add_image(struct top *t, const struct top_count *c, const struct active *a)
{
	bool is_new;
	struct top_row *row = top_row(t->model, image_key(t, c), &is_new);

	if (is_new)
		row->name = image_shown_name(stack_symbols_image(t->symbols, c->image), false);
	add_samples(row, a);
}

static void add_process(struct top *t, const struct top_count *c, const struct active *a)
{
	const struct image_name *app = stack_symbols_app(t->symbols, c->context, c->image);
	const int64_t tgid = t->source.labels.contexts[c->context].tgid;
	bool is_new;
	struct top_row *row = top_row(t->model, process_key(t, c), &is_new);

	if (is_new && tgid == SAMPLE_ALL)
		row->name = path_base(app->path);
	else if (is_new)
		row->name = text(t, xasprintf("%s (%lld)", path_base(app->path), (long long)tgid));
	add_samples(row, a);
}

static void add_cgroup(struct top *t, const struct top_count *c, const struct active *a)
{
	const char *cgroup = t->source.labels.contexts[c->context].cgroup;
	bool is_new;
	struct top_row *row = top_row(t->model, cgroup_key(t, c), &is_new);

	if (is_new)
		row->name = *cgroup ? cgroup : "[not recorded]";
	add_samples(row, a);
}

static void add_stack(struct top *t, struct active *a, struct stack *s)
{
	bool is_new;
	struct top_row *row = top_row(t->model, stack_key(t, a, s), &is_new);
	struct strbuf name = STRBUF_INIT;

	if (is_new) {
		find_stack(t, a, s);
		for (size_t i = 0; i < s->nr_symbols && name.len < STACK_TEXT; i++)
			strbuf_addf(&name, "%s%s", i ? " < " : "", name_of(t, s->symbols[i]));
		row->name = text(t, strbuf_steal(&name));
	}
	add_samples(row, a);
}

static void add_frames(struct top *t, const struct stack *s, const struct active *a)
{
	for (size_t i = 0; i < s->nr_symbols; i++) {
		const struct stack_symbol *symbol = &t->report.symbols[s->symbols[i]];
		bool is_new;
		struct top_row *row = top_row(t->model, symbol_key(s->symbols[i]), &is_new);

		/* a function that calls itself has one row */
		if (is_new) {
			row->name = name_of(t, s->symbols[i]);
			row->detail = symbol->image ? image_shown_name(symbol->image, false) : NULL;
			row->order = (uint32_t)i;
		}
		add_samples(row, a);
	}
}

static void add_caller(struct top *t, const struct stack *s, size_t depth, const struct active *a)
{
	bool is_new;
	struct top_row *row;

	if (depth < s->nr_symbols) {
		add_symbol(t, s->symbols[depth], a);
		return;
	}
	row = top_row(t->model, hash_string("[none]"), &is_new);
	row->name = t->source.has_stacks ? "[no caller]"
		  : "[callers are not recorded: opcontrol --callgraph]";
	add_samples(row, a);
}

static void add_place(struct top *t, const struct stack_frame *frame, const struct active *a)
{
	top_annotation_add(t->annotation, frame, a->now, a->since, a->before);
}

static void add_rows(struct top *t, struct active *a, struct stack *s, size_t depth)
{
	const struct top_count *c = &t->source.counts[a->count];

	switch (top_level(t->model)->view) {
	case TOP_IMAGES:
		add_image(t, c, a);
		break;
	case TOP_SYMBOLS:
		add_symbol(t, leaf_of(t, a), a);
		break;
	case TOP_PROCESSES:
		add_process(t, c, a);
		break;
	case TOP_CGROUPS:
		add_cgroup(t, c, a);
		break;
	case TOP_STACKS:
		add_stack(t, a, s);
		break;
	case TOP_CALLERS:
		find_stack(t, a, s);
		add_caller(t, s, depth, a);
		break;
	case TOP_FRAMES:
		find_stack(t, a, s);
		add_frames(t, s, a);
		break;
	case TOP_SOURCE:
		find_stack(t, a, s);
		if (depth && depth <= s->nr)
			add_place(t, &s->frames[depth - 1], a);
		break;
	}
}

static void make_rows(struct top *t)
{
	struct top_model *m = t->model;
	const bool is_source = top_level(m)->view == TOP_SOURCE;
	struct stack stack;

	top_rows_begin(m);
	free_texts(t);
	if (is_source && !t->annotation && t->is_open)
		t->annotation = top_annotation_new(t->symbols, t->cache_dir);
	for (size_t i = 0; i < t->nr_active; i++) {
		struct active *a = &t->active[i];
		const struct top_count *c = &t->source.counts[a->count];
		size_t depth;

		stack.is_found = false;
		if (c->event != t->event || c->image == STACK_NONE ||
		    !is_entered(t, a, &stack, &depth))
			continue;
		add_rows(t, a, &stack, depth);
		m->now += a->now;
		m->since += a->since;
		m->before += a->before;
	}
	if (is_source && t->annotation)
		top_annotation_rows(t->annotation, m);
	top_rows_end(m);
}

/* --- */

static void set_title(struct top *t)
{
	struct top_model *m = t->model;
	const uint64_t lost = lost_so_far(t);

	m->lost = lost > t->lost_at_start ? lost - t->lost_at_start : 0;
	m->rate = t->rate_seconds > 0 ? t->rate_samples / t->rate_seconds : 0;
	snprintf(m->event, sizeof(m->event), "%s", t->event < t->source.labels.nr_events
		 ? t->source.labels.events[t->event].name : "");
}

struct top *top_new(const struct top_place *place, enum demangle_style demangle,
		    struct top_model *model)
{
	static const struct profile_spec all;
	struct top *t = xcalloc(1, sizeof(*t));

	t->place = place;
	t->model = model;
	t->populate = (struct populate_options){ .demangle = demangle,
						 .root = "" };
	t->options = (struct stacks_options){ .order = STACKS_CALLEES, .spec = &all,
					      .populate = &t->populate };
	t->cache_dir = line_cache_dir();
	return t;
}

void top_free(struct top *t)
{
	close_source(t);
	free_texts(t);
	free(t->texts);
	free(t->cache_dir);
	free(t);
}

uint64_t top_refresh(struct top *t, double seconds)
{
	const uint64_t begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct op_error e = { "" };
	int err = read_source(t, seconds, &e);

	if (err == -ESTALE) {
		close_source(t);
		err = read_source(t, seconds, &e);
		snprintf(t->model->message, sizeof(t->model->message),
			 "a new session, or part of the history, has begun: counted anew");
	}
	if (err && err != -ENOENT && err != -ENODATA)
		snprintf(t->model->message, sizeof(t->model->message), "%.150s", e.text);
	if (t->is_open && !err)
		set_title(t);
	make_rows(t);
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin;
}

static void mark(struct top *t)
{
	t->model->has_mark = true;
	t->seconds_before = t->model->seconds;
	t->model->seconds = 0;
	for (size_t i = 0; i < t->nr_active; i++) {
		t->active[i].before = t->active[i].since;
		t->active[i].since = 0;
	}
}

static void unmark(struct top *t)
{
	t->model->has_mark = false;
	t->model->seconds += t->seconds_before;
	t->seconds_before = 0;
	for (size_t i = 0; i < t->nr_active; i++) {
		t->active[i].since += t->active[i].before;
		t->active[i].before = 0;
	}
}

void top_apply(struct top *t, enum top_change change)
{
	if (change == TOP_MARK)
		mark(t);
	else if (change == TOP_NO_MARK)
		unmark(t);
	else if (change == TOP_NEXT_EVENT && t->source.labels.nr_events)
		t->event = (t->event + 1) % t->source.labels.nr_events;
	if (change == TOP_SAME_ROWS || !t->is_open)
		return;
	if (change == TOP_NEXT_EVENT)
		set_title(t);
	make_rows(t);
}
