// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attribute_stack.c - from a stack to the stack stores, and to arcs in {cg} files on request
 *
 * Neighbors in a stack mostly lie in the same images as those of the last stack, so the image of
 * the last frame and the files of many pairs of images are cached.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/jit/processes.h"
#include "daemon/record/attribute_stack.h"
#include "daemon/record/cgroups.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

#define NR_ARC_FILES	256
#define SEARCHES_MAX	8		/* for the mappings of one stack */

/* A {cg} file, valid while the generation is the same. Both ends are files or in the kernel. */
struct arc_file {
	struct sfile *sfile;
	unsigned int generation;
	struct image *app, *caller, *callee;
	uint32_t counter, tgid, tid, cpu;
	const char *cgroup;
};

struct stack_attribution {
	struct attribution_config config;
	struct comms *comms;
	struct stacks *stacks[NR_STACKS];
	uint64_t not_kept;		/* samples that are not in the history's */
	const unsigned int *generation;	/* of sample files */
	bool is_filtered;
	op_word frame_cookie;		/* of the last frame, and its image */
	struct image *frame_image;
	struct arc_file arc_files[NR_ARC_FILES];
	struct stack_frame frames[NR_STACKS][STACK_FRAMES_MAX];
};

/* What the frames of one stack have in common. */
struct stack {
	const struct trans_state *leaf;
	struct image *app;		/* NULL: not known */
	uint32_t counter;		/* of its event */
	uint64_t weight;		/* how often it counts */
	uint32_t tgid, tid, cpu;	/* as in sfile_key */
	const char *cgroup, *comm;
	bool is_wanted;			/* the whole stack, because its application is */
	unsigned int searches;		/* for mappings that the stream did not describe */
};

enum stack_fate { STACK_LEFT_OUT, STACK_LOST, STACK_STORED };

/* The place of a frame. @key is that of the sample, or of the call. */
struct frame_place {
	bool is_known, is_wanted;
	struct image *image;		/* NULL: in @map */
	struct anon_map map;		/* a copy, because the next search may free it */
	bool is_kernel;
	uint64_t key;
};

struct stack_attribution *stack_attribution_new(const struct attribution_config *config,
						struct comms *comms,
						struct stacks *const stacks[NR_STACKS])
{
	struct stack_attribution *a = xcalloc(1, sizeof(*a));

	a->config = *config;
	a->comms = comms;
	memcpy(a->stacks, stacks, sizeof(a->stacks));
	a->generation = sfiles_generation(config->sfiles);
	a->is_filtered = images_filtered(config->images);
	return a;
}

void stack_attribution_free(struct stack_attribution *a)
{
	free(a);
}

void stack_attribution_forget_images(struct stack_attribution *a)
{
	a->frame_cookie = 0;
	a->frame_image = NULL;
	memset(a->arc_files, 0, sizeof(a->arc_files));
	for (int i = 0; i < NR_STACKS; i++)
		if (a->stacks[i])
			stacks_forget_images(a->stacks[i]);
}

static struct image *image_of(struct stack_attribution *a, op_word cookie)
{
	if (cookie != a->frame_cookie) {
		a->frame_image = cookie_image(a->config.cookies, cookie);
		a->frame_cookie = cookie;
	}
	return a->frame_image;
}

static void place_in_kernel(struct stack_attribution *a, uint64_t address, struct frame_place *ret)
{
	const struct kernel_range *r = kernel_find(a->config.kernel, address);

	ret->image = r->image;
	ret->is_kernel = true;
	ret->is_known = r->image;
	ret->key = r->image ? address - r->base : address;
}

/* Bounded, because anybody can forge a stack of addresses that lie in no mapping. */
static const struct anon_map *find_mapping(struct stack_attribution *a, struct stack *s,
					   const struct anon_map *noted, uint64_t address)
{
	if (address >= noted->start && address < noted->end)
		return noted;
	if (s->searches++ >= SEARCHES_MAX)
		return NULL;
	return anon_find(a->config.anons, s->leaf->tgid, address);
}

static void place_in_mapping(struct stack_attribution *a, struct stack *s,
			     const struct anon_map *noted, uint64_t address,
			     struct frame_place *ret)
{
	const struct anon_map *map = find_mapping(a, s, noted, address);

	ret->image = NULL;
	ret->is_kernel = false;
	ret->is_known = map && s->app;	/* such memory is always filed under the application */
	ret->key = map ? address - map->start : address;
	if (map)
		ret->map = *map;
}

/* [EB-70] to [EB-72]; @back is 1 for a caller, whose call counts and not its return address. */
static void find_place(struct stack_attribution *a, struct stack *s, const struct trans_frame *f,
		       unsigned int back, struct frame_place *ret)
{
	uint64_t address = f->address ? f->address - back : 0;

	if (f->kernel) {
		place_in_kernel(a, address, ret);
	} else if (f->anon) {
		place_in_mapping(a, s, f->anon, address, ret);
	} else {
		ret->image = image_of(a, f->cookie);
		ret->is_kernel = false;
		ret->is_known = ret->image;
		ret->key = address;
	}
	ret->is_wanted = s->is_wanted || (ret->image && ret->image->wanted);
}

static void fill_place(const struct stack *s, const struct frame_place *from,
		       struct sfile_place *ret)
{
	ret->image = from->image;
	ret->is_kernel = from->is_kernel;
	if (!from->image)
		sfile_place_set_map(ret, s->leaf->tgid, &from->map);
}

/* The application under which arcs from @caller are filed. [EB-73] */
static struct image *app_of(const struct stack_attribution *a, const struct stack *s,
			    const struct frame_place *caller)
{
	const struct separation *separate = &a->config.separate;
	bool by_app = !caller->image || separate->kernel ||
		      (separate->lib && !caller->is_kernel);

	return by_app && s->app ? s->app : caller->image;
}

static struct sfile *look_up_arc_file(struct stack_attribution *a, const struct stack *s,
				      struct image *app, const struct frame_place *caller,
				      const struct frame_place *callee)
{
	struct sfile_key key;

	memset(&key, 0, sizeof(key));
	key.app = app;
	key.counter = s->counter;
	key.tgid = s->tgid;
	key.tid = s->tid;
	key.cpu = s->cpu;
	key.cgroup = s->cgroup;
	key.is_arc = true;
	fill_place(s, caller, &key.at);
	fill_place(s, callee, &key.callee);
	return sfile_get(a->config.sfiles, &key);
}

static struct sfile *arc_file(struct stack_attribution *a, const struct stack *s,
			      const struct frame_place *caller, const struct frame_place *callee)
{
	struct image *app = app_of(a, s, caller);
	struct arc_file *f;
	uint64_t h;

	if (!caller->image || !callee->image)
		return look_up_arc_file(a, s, app, caller, callee);
	h = ((uintptr_t)app * 3 + (uintptr_t)caller->image * 5 + (uintptr_t)callee->image * 7 +
	     s->tid * 11 + s->cpu * 13 + s->counter + (uintptr_t)s->cgroup) * 0x9e3779b97f4a7c15u;
	f = &a->arc_files[h >> 56];
	if (f->sfile && f->generation == *a->generation && f->app == app &&
	    f->caller == caller->image && f->callee == callee->image &&
	    f->counter == s->counter && f->tgid == s->tgid && f->tid == s->tid &&
	    f->cpu == s->cpu && f->cgroup == s->cgroup)
		return f->sfile;
	*f = (struct arc_file){ .app = app, .caller = caller->image, .callee = callee->image,
				.counter = s->counter, .tgid = s->tgid, .tid = s->tid,
				.cpu = s->cpu, .cgroup = s->cgroup };
	f->sfile = look_up_arc_file(a, s, app, caller, callee);
	f->generation = *a->generation;
	return f->sfile;
}

/*
 * An arc file belongs to the caller's build, and its name cannot say which build the callee is:
 * it is the caller's, or the first of its path. Other arcs are in the stack store only. [EB-78]
 */
static bool can_name_callee(struct stack_attribution *a, const struct frame_place *caller,
			    const struct frame_place *callee)
{
	return !callee->image || callee->image == caller->image ||
	       (image_is_first(a->config.images, callee->image) &&
		(!caller->image || callee->image->head != caller->image->head));
}

/* A process is known to run code made at run time if it only calls from there, too. */
static void note_jit_code(struct stack_attribution *a, const struct stack *s,
			  const struct frame_place *at)
{
	struct sfile_place place = { .image = NULL };

	if (at->image)
		return;
	sfile_place_set_map(&place, s->leaf->tgid, &at->map);
	jit_processes_add_sample(a->config.jit, s->app->path, place.anon_tgid, place.anon_name,
				 at->map.start, at->map.end);
}

static void log_arc(const struct frame_place *caller, const struct frame_place *callee)
{
	log_line("arc %s+%" PRIx64 " -> %s+%" PRIx64,
		 caller->image ? caller->image->path : caller->map.name, caller->key + 1,
		 callee->image ? callee->image->path : callee->map.name, callee->key);
}

/* An interpreted frame, whose address does not fit half a key. [IN-14] */
static bool is_wide(const struct frame_place *at)
{
	return !at->image && at->key >> 32;
}

static bool is_derived(const struct stack_attribution *a, const struct stack *s)
{
	return s->counter >= a->config.nr_counters;
}

/*
 * [SF-28] The caller's half of the key is the return address, as on the stack. The callee's half
 * is where the callee was: at the sample, or at a call.
 */
static void add_arc(struct stack_attribution *a, const struct stack *s,
		    const struct frame_place *caller, const struct frame_place *callee)
{
	uint64_t key = (caller->key + 1) << 32 | (uint32_t)callee->key;

	if (!caller->is_known || !callee->is_known || !caller->is_wanted || !callee->is_wanted ||
	    !can_name_callee(a, caller, callee))
		return;
	note_jit_code(a, s, caller);
	note_jit_code(a, s, callee);
	if (log_topics & LOG_ARCS)
		log_arc(caller, callee);
	if (!a->config.call_arcs || is_wide(caller) || is_wide(callee))
		return;
	if (is_derived(a, s))
		sfile_add_weight(arc_file(a, s, caller, callee), s->leaf->cpu, key,
				 (uint32_t)s->weight);
	else
		sfile_add(arc_file(a, s, caller, callee), s->leaf->cpu, &key, 1, 0);
}

static uint32_t frame_image(struct stacks *stacks, const struct stack *s,
			    const struct frame_place *at)
{
	if (!at->is_known)
		return stacks_unknown_image(stacks);
	if (at->image)
		return stacks_image(stacks, at->image);
	return stacks_map(stacks, s->leaf->tgid, &at->map, s->app->path);
}

static void store_frame(struct stack_attribution *a, const struct stack *s, bool store[NR_STACKS],
			const struct frame_place *at, size_t i)
{
	for (int k = 0; k < NR_STACKS; k++)
		if (store[k])
			a->frames[k][i] = (struct stack_frame){ frame_image(a->stacks[k], s, at),
								at->key };
}

static bool store_stack(struct stack_attribution *a, const struct stack *s, enum stacks_kind kind,
			size_t nr, unsigned int end)
{
	const struct separation *separate = &a->config.separate;
	const struct stacks_context context = {
		.app = separate->lib || separate->kernel ? s->app : NULL,
		.tgid = s->tgid, .tid = s->tid, .cpu = s->cpu,
		.cgroup = s->cgroup,
		.comm = s->comm,
	};

	return stacks_add(a->stacks[kind], &context, s->counter, a->frames[kind], nr, end,
			  s->weight);
}

/* Whether the sample was recorded. [EB-75] */
static bool is_leaf_recorded(const struct stack_attribution *a, const struct stack *s,
			     const struct trans_frame *leaf, const struct frame_place *at)
{
	const struct sfile_event *event = &a->config.events[s->counter];

	if (!at->is_known || !at->is_wanted)
		return false;
	return event->name[0] && !(leaf->kernel ? event->no_kernel : event->no_user);
}

static struct stack begin_stack(struct stack_attribution *a, const struct trans_state *leaf,
				uint32_t counter, uint64_t weight)
{
	const struct separation *separate = &a->config.separate;
	struct stack s = {
		.leaf = leaf,
		.app = cookie_image(a->config.cookies, leaf->app_cookie),
		.counter = counter,
		.weight = weight,
		.tgid = separate->thread ? leaf->tgid : SFILE_ALL,
		.tid = separate->thread ? leaf->tid : SFILE_ALL,
		.cpu = separate->cpu ? leaf->cpu : SFILE_ALL,
		.comm = "",
	};

	if (separate->cgroup)
		s.cgroup = cgroups_of(a->config.cgroups, leaf->tgid, leaf->app_cookie,
				      leaf->cgroup);
	if (separate->thread && a->comms)
		s.comm = comms_of(a->comms, leaf->tgid, leaf->tid, leaf->app_cookie,
				  leaf->comm);
	s.is_wanted = !a->is_filtered || (s.app && s.app->wanted);
	return s;
}

static bool is_incomplete(unsigned int end)
{
	switch (end & OP_STACK_END_MASK) {
	case OP_STACK_COMPLETE:
	case OP_STACK_NO_USER:
	case OP_STACK_UNKNOWN:
		return false;
	}
	return true;
}

/* Let an incomplete stack begin with the process, if its outermost frames are unknown. [EB-80] */
static size_t add_process(struct stack_attribution *a, const struct stack *s,
			  bool store[NR_STACKS], size_t nr, unsigned int *end)
{
	const struct frame_place program = { .is_known = true, .image = s->app };

	if (!s->app || !is_incomplete(*end) || stack_end_nr_outer(*end))
		return nr;
	store_frame(a, s, store, &program, nr);
	*end |= STACK_END_PROCESS << STACK_END_OUTER_SHIFT;
	return nr + 1;
}

static void count_stack(struct stack_attribution *a, const struct trans_state *leaf,
			unsigned int end, enum stack_fate fate)
{
	struct cpu_counts *cpu = stats_cpu(a->config.stats, leaf->cpu);

	if (fate == STACK_LEFT_OUT) {
		a->config.stats->stacks_left_out++;
		return;
	}
	cpu->stacks[end & OP_STACK_END_MASK]++;
	cpu->stacks_guessed += !!(end & OP_STACK_FRAME_POINTERS);
	cpu->stacks_lost += fate == STACK_LOST;
}

static enum stack_fate add_stack(struct stack_attribution *a, const struct trans_state *leaf,
				 const struct trans_frame *frames, size_t nr, uint32_t counter,
				 uint32_t weight, unsigned int end)
{
	struct stack s = begin_stack(a, leaf, counter, weight);
	struct frame_place places[2] = { { .is_known = false } };	/* a frame and its caller */
	bool store[NR_STACKS];

	find_place(a, &s, &frames[0], 0, &places[0]);
	if (!is_leaf_recorded(a, &s, &frames[0], &places[0]))
		return STACK_LEFT_OUT;
	for (int k = 0; k < NR_STACKS; k++)
		store[k] = a->stacks[k] && stacks_ready(a->stacks[k]);
	for (size_t i = 0; i < nr; i++) {
		struct frame_place *at = &places[i % 2];

		if (i) {
			find_place(a, &s, &frames[i], 1, at);
			add_arc(a, &s, at, &places[(i - 1) % 2]);
		}
		store_frame(a, &s, store, at, i);
	}
	nr = add_process(a, &s, store, nr, &end);
	for (int k = 0; k < NR_STACKS; k++)
		store[k] = store[k] && store_stack(a, &s, (enum stacks_kind)k, nr, end);
	if (a->stacks[STACKS_OF_HISTORY] && !store[STACKS_OF_HISTORY])
		a->not_kept += s.weight;
	return store[STACKS_OF_SESSION] ? STACK_STORED : STACK_LOST;
}

void attribute_stack(void *stack_attribution, const struct trans_state *leaf,
		     const struct trans_frame *frames, size_t nr, uint32_t counter,
		     unsigned int end)
{
	struct stack_attribution *a = stack_attribution;
	enum stack_fate fate = STACK_LEFT_OUT;

	if (counter < a->config.nr_counters)
		fate = add_stack(a, leaf, frames, nr, counter, 1, end);
	count_stack(a, leaf, end, fate);
}

/* It is lost if that of any of its events is. */
void attribute_extended_stack(struct stack_attribution *a, const struct trans_state *leaf,
			      const struct trans_frame *frames, size_t nr,
			      const struct derived_event *derived, size_t nr_derived,
			      unsigned int end)
{
	enum stack_fate fate = STACK_LEFT_OUT, each;

	for (size_t i = 0; i < nr_derived; i++) {
		each = add_stack(a, leaf, frames, nr, derived[i].event, derived[i].weight, end);
		if (each != STACK_LEFT_OUT && fate != STACK_LOST)
			fate = each;
	}
	count_stack(a, leaf, end, fate);
}

void attribute_single(struct stack_attribution *a, const struct trans_state *state,
		      const struct sample_place *at, uint32_t counter, uint64_t count)
{
	struct stacks *stacks = a->stacks[STACKS_OF_HISTORY];
	struct frame_place place = { .image = at->image, .key = at->key };
	bool store[NR_STACKS] = { [STACKS_OF_HISTORY] = true };
	struct stack s;

	if (!stacks)
		return;
	if (stacks_ready(stacks)) {
		s = begin_stack(a, state, counter, count);
		if (at->map)
			place.map = *at->map;
		place.is_known = at->image || s.app;
		store_frame(a, &s, store, &place, 0);
		if (store_stack(a, &s, STACKS_OF_HISTORY, 1, STACK_UNKNOWN_END))
			return;
	}
	a->not_kept += count;
}

uint64_t stack_attribution_not_kept(const struct stack_attribution *a)
{
	return a->not_kept;
}
