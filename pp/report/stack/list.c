// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * list.c - select stacks from the sessions' stack stores
 *
 * Whether a stack is selected, and for which class, is decided as for sample files: by the name of
 * the file that its sample is counted in [CT-1].
 */
#include "pp/report/stack/list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/session/session.h"
#include "libutil/count.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "pp/report/stack/choices.h"
#include "pp/report/stack/report.h"
#include "pp/report/stack/symbols.h"
#include "pp/select/event_scale.h"
#include "pp/select/history.h"

/* What stacks of one context, event and innermost image have in common. */
struct choice {
	size_t class;		/* nr_classes: not selected */
	uint32_t context;	/* in the list */
};

struct reader {
	struct collection *collection;
	const struct stacks_options *options;
	struct stack_report *report;
	struct stack_list *list;
	struct notices *notices;
	struct stack_symbols *symbols;
	/* of the session being read */
	const struct report_session *session;
	struct stack_snapshot snapshot;
	struct stack_choices combinations;
	struct choice *choices;		/* one for each of @combinations */
	size_t choices_room;
	struct event_scale *scales;	/* one for each event of the snapshot */
	size_t nr_read;			/* stores */
	uint32_t first_origin;		/* of the snapshot's counts */
};

/* The class, or nr_classes if a sample file of that name would be left out. */
static size_t choose(struct reader *r, uint32_t context, uint32_t event, uint32_t image)
{
	const struct stack_snapshot *s = &r->snapshot;
	const struct stack_context *c = &s->contexts[context];
	const struct stack_event *e = &s->events[event];
	const struct arrangement *a = &r->collection->arrangement;
	const struct image_name *app = stack_symbols_app(r->symbols, context, image);
	struct report_image *leaf_image = stack_symbols_image(r->symbols, image);
	struct report_image *app_image =
		c->app != STACK_NONE ? stack_symbols_image(r->symbols, c->app)
		: app == &s->images[image].name ? leaf_image
		: image_set_get(&r->collection->images, app, NULL, r->session);
	const struct sample_file file = {
		.session = r->session,
		.cgroup = c->cgroup,
		.name = {
			.app = *app, .image = s->images[image].name,
			.event = e->name, .count = e->count, .unit_mask = e->unit_mask,
			.tgid = c->tgid, .tid = c->tid, .cpu = c->cpu,
		},
	};
	struct spec_image app_names, image_names;

	find_image(r->collection->finder, app_image, r->notices);
	find_image(r->collection->finder, leaf_image, r->notices);
	image_spec_names(app_image, &app_names);
	image_spec_names(leaf_image, &image_names);
	if (!profile_spec_matches(r->options->spec, &file.name, file.cgroup, &app_names,
				  &image_names, &r->session->processes) ||
	    (r->options->exclude_dependent && app_image != leaf_image))
		return a->nr_classes;
	return arrangement_class(a, &file);
}

static uint32_t add_context(struct reader *r, uint32_t context)
{
	const struct stack_context *c = &r->snapshot.contexts[context];
	struct stack_list *list = r->list;

	xgrow(list->contexts, list->nr_contexts, list->contexts_room);
	list->contexts[list->nr_contexts] = (struct stack_list_context){
		c->app == STACK_NONE ? NULL : stack_symbols_image(r->symbols, c->app),
		*c->cgroup ? rows_text(&r->report->rows, c->cgroup) : "",
	};
	return (uint32_t)list->nr_contexts++;
}

/* NULL: not selected. */
static const struct choice *choice_of(struct reader *r, const struct stack_count *c)
{
	bool is_new;
	uint32_t i = stack_choice_get(&r->combinations, &r->snapshot, c, &is_new);

	if (i == STACK_NONE)
		return NULL;
	if (is_new) {
		const struct stack_choice *made = &r->combinations.choices[i];

		xgrow(r->choices, i, r->choices_room);
		r->choices[i].class = choose(r, made->context, made->event, made->image);
		r->choices[i].context = add_context(r, made->context);
	}
	return r->choices[i].class == r->collection->arrangement.nr_classes ? NULL
									    : &r->choices[i];
}

static void add_quality(struct stack_quality *q, unsigned int end, uint64_t count)
{
	count_add(&q->samples, count);
	if (end & STACK_END_GUESSED)
		count_add(&q->guessed, count);
	if (STACK_END_KIND(end) < NR_STACK_ENDS)
		count_add(&q->ends[STACK_END_KIND(end)], count);
}

/* Counts of an event that had to share a counter are scaled, as in sample files [ME-1]. */
static void add_stacks(struct reader *r)
{
	const struct stack_snapshot *s = &r->snapshot;
	struct stack_list *list = r->list;

	for (uint32_t i = 0; i < s->nr_counts; i++) {
		const struct stack_count *c = &s->counts[i];
		const struct choice *choice = choice_of(r, c);
		uint64_t count;

		if (!choice)
			continue;
		count = event_scale_next(&r->scales[c->event], c->count);
		xgrow(list->stacks, list->nr, list->room);
		list->stacks[list->nr++] = (struct counted_stack){
			c->node, (uint32_t)choice->class, choice->context,
			r->first_origin + i, count };
		add_quality(&r->report->quality, s->ends[c->node], count);
		count_add(&r->report->rows.totals[choice->class], count);
	}
}

/* Only the function or image that ran is wanted. */
static bool is_leaves_only(const struct reader *r)
{
	return r->options->order == STACKS_LEAVES || r->options->order == STACKS_LEAF_IMAGES;
}

/* The nodes of the snapshot that the stacks from @first_stack on go through; malloc'd. */
static bool *find_wanted(const struct reader *r, size_t first_stack)
{
	const struct stack_snapshot *s = &r->snapshot;
	bool *wanted = xcalloc(s->nr_nodes + 1, sizeof(*wanted));

	for (size_t i = first_stack; i < r->list->nr; i++)
		wanted[r->list->stacks[i].node] = true;
	for (uint32_t i = s->nr_nodes; i-- > 0;)
		if (wanted[i] && s->nodes[i].parent != STACK_NONE && !is_leaves_only(r))
			wanted[s->nodes[i].parent] = true;
	return wanted;
}

/* Functions of each frame that is looked up: ids[first..first + nr), outermost first. */
struct functions {
	struct frame_functions {
		size_t first;
		uint32_t nr;		/* 0: not wanted */
	} *of_frame;
	uint32_t *ids;
	size_t nr, room;
	bool has_inlined;
};

/* The outermost node of an incomplete stack, whose frame has the image of its process only. */
static bool is_process(const struct stack_snapshot *s, uint32_t node)
{
	uint32_t parent = s->nodes[node].parent;

	return stack_end_has_process(s->ends[node]) && parent != STACK_NONE &&
	       s->nodes[parent].parent == STACK_NONE;
}

/* Look up the frames of the wanted nodes, each once. */
static void find_functions(struct reader *r, const bool *wanted, struct functions *ret)
{
	const struct stack_snapshot *s = &r->snapshot;
	uint32_t *frames = xcalloc(s->nr_frames + 1, sizeof(*frames));
	size_t nr = 0;

	ret->of_frame = xcalloc(s->nr_frames + 1, sizeof(*ret->of_frame));
	for (uint32_t i = 0; i < s->nr_nodes; i++) {
		const struct stack_node *n = &s->nodes[i];

		if (wanted[i] && n->parent != STACK_NONE && !is_process(s, i) &&
		    r->options->order != STACKS_LEAF_IMAGES && !ret->of_frame[n->frame].nr++)
			frames[nr++] = n->frame;
	}
	stack_symbols_prepare(r->symbols, frames, nr);
	for (size_t i = 0; i < nr; i++) {
		struct frame_functions *f = &ret->of_frame[frames[i]];
		uint32_t symbols[ROW_IDS_MAX];

		f->first = ret->nr;
		f->nr = (uint32_t)stack_symbols_find(r->symbols, &s->frames[frames[i]], symbols);
		ret->has_inlined |= f->nr > 1;
		for (uint32_t k = 0; k < f->nr; k++) {
			xgrow(ret->ids, ret->nr, ret->room);
			ret->ids[ret->nr++] = symbols[k];
		}
	}
	free(frames);
}

static uint32_t add_node(struct stack_list *list, uint32_t parent, uint32_t key)
{
	xgrow(list->nodes, list->nr_nodes, list->nodes_room);
	list->nodes[list->nr_nodes] = (struct call_node){ parent, key };
	return (uint32_t)list->nr_nodes++;
}

/* Where the snapshot's nodes are in the list. */
struct places {
	/*
	 * The snapshot's own. @frame of those done so far is their node in the list, or CALL_NONE,
	 * as above the outermost frame of a whole stack.
	 */
	struct stack_node *nodes;
	uint16_t *depths;	/* up to it, STACK_LIST_DEPTH at most; NULL: none is inlined */
	uint8_t *outer;		/* stack_snapshot_outer(), or NULL: all 0 */
};

/* Functions inlined into each other are left out where the list has no room for them. */
static void add_frame(struct stack_list *list, const struct places *p, uint32_t i,
		      const uint32_t *ids, uint32_t nr)
{
	if (nr > 1 && (p->depths[i] + nr > STACK_LIST_DEPTH - STACK_FRAMES_MAX ||
		       list->nr_nodes > CALL_NONE / 2))
		nr = 1;
	for (uint32_t k = 0; k < nr; k++)
		p->nodes[i].frame = add_node(list, p->nodes[i].frame, ids[k]);
	if (p->depths)
		p->depths[i] = (uint16_t)(p->depths[i] + nr);
}

/*
 * Add the snapshot's node @i, with the functions inlined there. The root of complete stacks has no
 * line, nor has that of stacks whose outermost frames are known.
 */
static void add_own(struct reader *r, uint32_t i, const struct places *p,
		    const struct functions *functions)
{
	const struct stack_snapshot *s = &r->snapshot;
	const struct stack_node n = s->nodes[i];
	const struct frame_functions *f;
	uint32_t symbol;

	p->nodes[i].frame = n.parent == STACK_NONE || is_leaves_only(r)
			    ? CALL_NONE : p->nodes[n.parent].frame;
	if (p->depths)
		p->depths[i] = n.parent == STACK_NONE ? 0 : p->depths[n.parent];
	if (n.parent == STACK_NONE) {
		symbol = stack_end_nr_outer(s->ends[i])
			? STACK_NONE : stack_symbols_find_end(r->symbols, s->ends[i]);
		if (symbol != STACK_NONE)
			add_frame(r->list, p, i, &symbol, 1);
	} else if (is_process(s, i) || r->options->order == STACKS_LEAF_IMAGES) {
		symbol = stack_symbols_find_process(r->symbols, s->frames[n.frame].image);
		add_frame(r->list, p, i, &symbol, 1);
	} else {
		f = &functions->of_frame[n.frame];
		add_frame(r->list, p, i, functions->ids + f->first, f->nr);
	}
}

static bool has_outer(const struct stack_snapshot *s)
{
	for (uint32_t i = 0; i < s->nr_nodes; i++)
		if (s->nodes[i].parent == STACK_NONE && stack_end_nr_outer(s->ends[i]))
			return true;
	return false;
}

static struct places make_places(const struct stack_snapshot *s, const struct functions *f)
{
	struct places p = { .nodes = (struct stack_node *)s->nodes };

	if (f->has_inlined)
		p.depths = xcalloc(s->nr_nodes + 1, sizeof(*p.depths));
	if (has_outer(s)) {
		p.outer = xcalloc(s->nr_nodes + 1, sizeof(*p.outer));
		stack_snapshot_outer(s, p.outer);
	}
	return p;
}

/*
 * Add the nodes that stacks from @first_stack on go through, and one for the missing frames of each
 * stack whose outermost frames are known. The stacks' nodes, until now those of the snapshot,
 * become the list's.
 */
static void add_nodes(struct reader *r, size_t first_stack)
{
	const struct stack_snapshot *s = &r->snapshot;
	size_t room = r->list->nr_nodes + s->nr_nodes;	/* and more for inlined functions */
	struct functions functions = { 0 };
	bool *wanted = find_wanted(r, first_stack);
	struct places places;

	find_functions(r, wanted, &functions);
	places = make_places(s, &functions);
	if (r->list->nodes_room < room) {
		r->list->nodes = xrealloc_array(r->list->nodes, room, sizeof(*r->list->nodes));
		r->list->nodes_room = room;
	}
	for (uint32_t i = 0; i < s->nr_nodes; i++) {
		uint32_t end;

		if (!wanted[i])
			continue;
		add_own(r, i, &places, &functions);
		if (places.outer && places.outer[i] == 1 && !is_leaves_only(r)) {
			end = stack_symbols_find_end(r->symbols, s->ends[i]);
			add_frame(r->list, &places, i, &end, 1);
		}
	}
	for (size_t i = first_stack; i < r->list->nr; i++)
		r->list->stacks[i].node = places.nodes[r->list->stacks[i].node].frame;
	free(functions.of_frame);
	free(functions.ids);
	free(wanted);
	free(places.depths);
	free(places.outer);
}

static void set_scales(struct reader *r)
{
	const struct stack_snapshot *s = &r->snapshot;

	r->scales = xcalloc(s->nr_events + 1, sizeof(*r->scales));
	for (uint32_t i = 0; i < s->nr_events; i++) {
		const struct sample_file file = {
			.session = r->session,
			.name = { .event = s->events[i].name, .count = s->events[i].count,
				  .unit_mask = s->events[i].unit_mask },
		};

		r->scales[i] = event_scale_start(&file);
	}
}

static void add_snapshot(struct reader *r)
{
	size_t first_stack = r->list->nr;

	if (r->list->nr_nodes + r->snapshot.nr_nodes >= CALL_NONE / 2) {
		notice_add(r->notices, "session '%s': ignored its stacks: too many",
			   r->session->name);
		return;
	}
	stack_symbols_session(r->symbols, r->session, &r->snapshot);
	set_scales(r);
	add_stacks(r);
	add_nodes(r, first_stack);
	free(r->scales);
	stack_choices_free(&r->combinations);
	free(r->choices);
	r->choices = NULL;
	r->choices_room = 0;
}

/* The store counts the stacks that it had no room for, the daemon all that it could not keep. */
static void add_lost(struct reader *r)
{
	uint64_t in_store = r->snapshot.lost;
	uint64_t all = r->session->has_counts ? r->session->counts.stacks_lost : 0;

	count_add(&r->report->quality.lost, all > in_store ? all : in_store);
}

/* *ret_err is set if the store cannot be read. */
static void read_session(struct reader *r, const struct report_session *session, int *ret_err,
			 struct op_error *e)
{
	struct op_error why = { "" };
	int err = 0;

	r->session = session;
	if (session->history && is_leaves_only(r))
		err = session_history_stacks(session->history, &r->snapshot, &why);
	else
		err = session_stacks_read(session, &r->snapshot, &why);
	if (!err) {
		add_snapshot(r);
		r->first_origin += r->snapshot.nr_counts;
		add_lost(r);
		stack_snapshot_free(&r->snapshot);
		r->nr_read++;
		return;
	}
	if (err != -ENOENT && err != -ENODATA) {
		*ret_err = op_error_set(e, err, "%s", why.text);
		if (r->collection->sessions.nr > 1)
			notice_add(r->notices, "ignored the stacks of session '%s': %s",
				   session->name, why.text);
	}
}

int stack_list_read(struct collection *c, const struct stacks_options *options,
		    struct stack_report *report, struct stack_list *ret, struct notices *notices,
		    struct op_error *e)
{
	struct reader r = { .collection = c, .options = options, .report = report, .list = ret,
			    .notices = notices };
	int err = 0;

	r.symbols = stack_symbols_new(c, options, report, notices);
	for (size_t i = 0; i < c->sessions.nr; i++)
		read_session(&r, &c->sessions.sessions[i], &err, e);
	stack_symbols_free(r.symbols);
	if (ret->nr)
		return 0;
	if (r.nr_read)
		return op_error_set(e, -ENOENT, "no call stacks match");
	if (err)
		return err;
	return op_error_set(e, -ENOENT, "session '%s' has no call stacks; record them with "
			    "opcontrol --callgraph=DEPTH or operf --callgraph",
			    c->sessions.sessions[0].name);
}

void stack_list_free(struct stack_list *stacks)
{
	free(stacks->nodes);
	free(stacks->stacks);
	free(stacks->contexts);
	*stacks = (struct stack_list){ 0 };
}
