// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attribute_stack.c - from a stack to calls in {cg} files, and to the stack store
 *
 * Neighbours in a stack mostly lie in the images that those of the last stack lay in, so the
 * image of the last frame and the files of many pairs of images are kept at hand.
 */
#include <inttypes.h>
#include <string.h>
#include "daemon/jit/processes.h"
#include "daemon/record/attribute_private.h"
#include "daemon/record/cgroups.h"
#include "daemon/record/comms.h"
#include "libutil/log.h"

#define SEARCHES_MAX	8		/* of one stack */

/* One stack, and what is common to its frames. */
struct stack {
	const struct trans_state *leaf;
	struct image *app;		/* NULL: not known */
	uint32_t counter;
	uint32_t tgid, tid, cpu;	/* as sfile_key's */
	const char *cgroup, *comm;
	bool wanted;			/* all of it, since its application is */
	unsigned int searches;		/* for mappings that the stream did not tell */
};

/* A frame's place. @key is that of the sample, or of the call. */
struct frame_place {
	bool known, wanted;
	struct image *image;		/* NULL: in @map */
	struct anon_map map;		/* a copy: finding another may free it */
	bool is_kernel;
	uint64_t key;
};

static struct image *image_of(struct attribution *a, op_word cookie)
{
	if (cookie != a->frame_cookie) {
		a->frame_image = cookie_image(a->config.cookies, cookie);
		a->frame_cookie = cookie;
	}
	return a->frame_image;
}

static void place_in_kernel(struct attribution *a, uint64_t address, struct frame_place *ret)
{
	const struct kernel_range *r = kernel_find(a->config.kernel, address);

	ret->image = r->image;
	ret->is_kernel = true;
	ret->known = r->image;
	ret->key = r->image ? address - r->base : address;
}

/* Whoever forges a stack of addresses that lie nowhere shall not have all of them searched for. */
static const struct anon_map *find_mapping(struct attribution *a, struct stack *c,
					   const struct anon_map *told, uint64_t address)
{
	if (address >= told->start && address < told->end)
		return told;
	if (c->searches++ >= SEARCHES_MAX)
		return NULL;
	return anon_find(a->config.anons, c->leaf->tgid, address);
}

static void place_in_mapping(struct attribution *a, struct stack *c, const struct anon_map *told,
			     uint64_t address, struct frame_place *ret)
{
	const struct anon_map *map = find_mapping(a, c, told, address);

	ret->image = NULL;
	ret->is_kernel = false;
	ret->known = map && c->app;	/* such memory is always filed under the application */
	ret->key = map ? address - map->start : address;
	if (map)
		ret->map = *map;
}

/* [EB-70] to [EB-72]; @back: 1 for a caller, since its call is what counts. */
static void find_place(struct attribution *a, struct stack *c, const struct trans_frame *f,
		       unsigned int back, struct frame_place *ret)
{
	uint64_t address = f->address ? f->address - back : 0;

	if (f->kernel) {
		place_in_kernel(a, address, ret);
	} else if (f->anon) {
		place_in_mapping(a, c, f->anon, address, ret);
	} else {
		ret->image = image_of(a, f->cookie);
		ret->is_kernel = false;
		ret->known = ret->image;
		ret->key = address;
	}
	ret->wanted = c->wanted || (ret->image && ret->image->wanted);
}

static void fill_place(struct attribution *a, const struct stack *c,
		       const struct frame_place *from, struct sfile_place *ret)
{
	ret->image = from->image;
	ret->is_kernel = from->is_kernel;
	if (from->image)
		return;
	place_in_map(ret, c->leaf->tgid, &from->map);
	jit_processes_add_sample(a->config.jit, c->app->path, ret->anon_tgid, ret->anon_name);
}

/* Under what calls from @caller are filed. [EB-73] */
static struct image *app_of(const struct attribution *a, const struct stack *c,
			    const struct frame_place *caller)
{
	const struct separation *separate = &a->config.separate;
	bool by_app = !caller->image || separate->kernel ||
		      (separate->lib && !caller->is_kernel);

	return by_app && c->app ? c->app : caller->image;
}

static struct sfile *make_arc_file(struct attribution *a, const struct stack *c,
				   struct image *app, const struct frame_place *caller,
				   const struct frame_place *callee)
{
	struct sfile_key key;

	memset(&key, 0, sizeof(key));
	key.app = app;
	key.counter = c->counter;
	key.tgid = c->tgid;
	key.tid = c->tid;
	key.cpu = c->cpu;
	key.cgroup = c->cgroup;
	key.is_arc = true;
	fill_place(a, c, caller, &key.at);
	fill_place(a, c, callee, &key.callee);
	return sfile_get(a->config.sfiles, &key);
}

static struct sfile *arc_file(struct attribution *a, const struct stack *c,
			      const struct frame_place *caller, const struct frame_place *callee)
{
	struct image *app = app_of(a, c, caller);
	struct arc_file *f;
	uint64_t h;

	if (!caller->image || !callee->image)
		return make_arc_file(a, c, app, caller, callee);
	h = ((uintptr_t)app * 3 + (uintptr_t)caller->image * 5 + (uintptr_t)callee->image * 7 +
	     c->tid * 11 + c->cpu * 13 + c->counter + (uintptr_t)c->cgroup) * 0x9e3779b97f4a7c15u;
	f = &a->arc_files[h >> 56];
	if (f->sfile && f->generation == *a->generation && f->app == app &&
	    f->caller == caller->image && f->callee == callee->image &&
	    f->counter == c->counter && f->tgid == c->tgid && f->tid == c->tid &&
	    f->cpu == c->cpu && f->cgroup == c->cgroup)
		return f->sfile;
	*f = (struct arc_file){ .app = app, .caller = caller->image, .callee = callee->image,
				.counter = c->counter, .tgid = c->tgid, .tid = c->tid,
				.cpu = c->cpu, .cgroup = c->cgroup };
	f->sfile = make_arc_file(a, c, app, caller, callee);
	f->generation = *a->generation;
	return f->sfile;
}

/*
 * A call's file is of the caller's build, and has no room for the callee's: that is the same one,
 * or the first of its path. Other calls are in the stack store only. [EB-78]
 */
static bool is_told_by_name(struct attribution *a, const struct frame_place *caller,
			    const struct frame_place *callee)
{
	return !callee->image || callee->image == caller->image ||
	       (image_is_first(a->config.images, callee->image) &&
		(!caller->image || callee->image->head != caller->image->head));
}

static void log_arc(const struct frame_place *caller, const struct frame_place *callee)
{
	log_line("arc %s+%" PRIx64 " -> %s+%" PRIx64,
		 caller->image ? caller->image->path : caller->map.name, caller->key + 1,
		 callee->image ? callee->image->path : callee->map.name, callee->key);
}

/*
 * [SF-28] The caller's half is where it returns to, as on the stack. The callee's is where it
 * was, be it the sample or a call.
 */
static void add_arc(struct attribution *a, const struct stack *c, const struct frame_place *caller,
		    const struct frame_place *callee)
{
	uint64_t key = (caller->key + 1) << 32 | (uint32_t)callee->key;

	if (!caller->known || !callee->known || !caller->wanted || !callee->wanted ||
	    !is_told_by_name(a, caller, callee))
		return;
	if (log_topics & LOG_ARCS)
		log_arc(caller, callee);
	sfile_add(arc_file(a, c, caller, callee), c->leaf->cpu, &key, 1, 0);
}

static uint32_t stack_image(struct attribution *a, const struct stack *c,
			    const struct frame_place *at)
{
	if (!at->known)
		return stacks_nowhere(a->config.stacks);
	if (at->image)
		return stacks_image(a->config.stacks, at->image);
	return stacks_map(a->config.stacks, c->leaf->tgid, &at->map);
}

static void keep_frame(struct attribution *a, const struct stack *c, const struct frame_place *at,
		       size_t i)
{
	a->frames[i].image = stack_image(a, c, at);
	a->frames[i].offset = at->key;
}

static bool add_stack(struct attribution *a, const struct stack *c, size_t nr, unsigned int end)
{
	const struct separation *separate = &a->config.separate;
	const struct stacks_context context = {
		.app = separate->lib || separate->kernel ? c->app : NULL,
		.tgid = c->tgid, .tid = c->tid, .cpu = c->cpu,
		.cgroup = c->cgroup,
		.comm = c->comm,
	};

	return stacks_add(a->config.stacks, &context, c->counter, a->frames, nr, end);
}

/* Was the sample filed? [EB-75] */
static bool leaf_counts(const struct attribution *a, const struct stack *c,
			const struct trans_frame *leaf, const struct frame_place *at)
{
	enum trans_mode mode = leaf->kernel ? MODE_KERNEL : MODE_USER;

	return c->counter < a->config.nr_counters && (a->wanted[mode] >> c->counter & 1) &&
	       at->known && at->wanted;
}

static struct stack begin(struct attribution *a, const struct trans_state *leaf, uint32_t counter)
{
	const struct separation *separate = &a->config.separate;
	struct stack c = {
		.leaf = leaf,
		.app = cookie_image(a->config.cookies, leaf->app_cookie),
		.counter = counter,
		.tgid = separate->thread ? leaf->tgid : SFILE_ALL,
		.tid = separate->thread ? leaf->tid : SFILE_ALL,
		.cpu = separate->cpu ? leaf->cpu : SFILE_ALL,
		.comm = "",
	};

	if (separate->cgroup)
		c.cgroup = cgroups_of(a->config.cgroups, leaf->tgid, leaf->app_cookie,
				      leaf->cgroup);
	if (separate->thread && a->config.comms)
		c.comm = comms_of(a->config.comms, leaf->tgid, leaf->tid, leaf->app_cookie,
				  leaf->comm);
	c.wanted = !a->filtered || (c.app && c.app->wanted);
	return c;
}

static void count(struct attribution *a, const struct trans_state *leaf, unsigned int end,
		  bool kept)
{
	struct cpu_counts *cpu = stats_cpu(a->config.stats, leaf->cpu);

	cpu->stacks[end & OP_STACK_END_MASK]++;
	cpu->stacks_guessed += !!(end & OP_STACK_FRAME_POINTERS);
	cpu->stacks_lost += !kept;
}

void attribute_stack(void *attribution, const struct trans_state *leaf,
		     const struct trans_frame *frames, size_t nr, uint32_t counter,
		     unsigned int end)
{
	struct attribution *a = attribution;
	struct stack c = begin(a, leaf, counter);
	struct frame_place places[2] = { { .known = false } };	/* of a frame and its caller */
	bool keep;

	find_place(a, &c, &frames[0], 0, &places[0]);
	if (!leaf_counts(a, &c, &frames[0], &places[0])) {
		a->config.stats->stacks_left_out++;
		return;
	}
	keep = a->config.stacks && stacks_ready(a->config.stacks);
	for (size_t i = 0; i < nr; i++) {
		struct frame_place *at = &places[i % 2];

		if (i) {
			find_place(a, &c, &frames[i], 1, at);
			add_arc(a, &c, at, &places[(i - 1) % 2]);
		}
		if (keep)
			keep_frame(a, &c, at, i);
	}
	if (keep)
		keep = add_stack(a, &c, nr, end);
	count(a, leaf, end, keep);
}
