// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attribute.c - from (state, pc) to (sample file, key)
 *
 * Samples come in runs that share the state, so what depends on the state alone is computed once
 * per run, and not at all if the last run had the same state.
 *
 * An extended sample takes the same way as a sample of a counter that words cannot name. So it
 * costs other samples one comparison, when their place is known.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/jit/processes.h"
#include "daemon/record/attribute.h"
#include "daemon/record/attribute_stack.h"
#include "daemon/record/cgroups.h"
#include "daemon/record/comms.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

#define NR_ROUTES	256
#define NR_CACHED	4	/* files of a route: samples of several counters are mixed */
#define EXTENDED	63	/* counter of an extended sample: above any of words */

/* A sample file that was looked up, valid as long as the generation is the same. */
struct cached_file {
	struct sfile *sfile;
	unsigned int generation;
	uint32_t counter;
	const struct image *image;	/* of a file or of the kernel; NULL: the mapping */
	uint64_t start, end;		/* of the mapping */
};

/* The part of a state that matters with this daemon's separation; the rest is 0. */
struct origin {
	op_word cookie, app_cookie;
	uint32_t tgid, tid, cpu;
	const char *cgroup;
	enum trans_mode mode;		/* MODE_UNKNOWN: none */
};

/*
 * The images of an origin, and the sample files that were looked up for it last. CPUs and tasks
 * alternate quickly, so the routes of many origins are cached.
 */
struct route {
	struct origin origin;
	struct image *app;		/* NULL: not known */
	struct image *image;		/* of the cookie, in user mode */
	struct cached_file files[NR_CACHED];	/* by the lowest bits of the counter */
};

struct attribution {
	struct attribution_config config;
	const unsigned int *generation;	/* of sample files */
	bool is_filtered;
	bool is_stale;			/* the state changed since @route was chosen */
	uint64_t wanted[MODE_USER + 1];	/* counters whose samples in that mode are recorded */
	struct stack_attribution *history;	/* NULL: there is none */
	const struct derived_event *derived;	/* of the extended sample that is being added */
	size_t nr_derived;
	struct route *route;
	struct route routes[NR_ROUTES];
};

/* Samples of a run that share the counter. */
struct span {
	const struct trans_state *state;
	struct route *route;
	uint32_t counter;
	const uint64_t *pcs;
	size_t nr;
};

/* Where the samples of a span lie: in @image or in @map. An address is @base + the key. */
struct place {
	struct image *image;
	const struct anon_map *map;
	bool is_kernel;
	uint64_t base;
};

struct attribution *attribution_new(const struct attribution_config *config)
{
	struct attribution *a = xcalloc(1, sizeof(*a));

	a->config = *config;
	a->generation = sfiles_generation(config->sfiles);
	for (unsigned int i = 0; i < config->nr_counters; i++) {
		const struct sfile_event *event = &config->events[i];
		bool known = event->name[0];

		a->wanted[MODE_KERNEL] |= (uint64_t)(known && !event->no_kernel) << i;
		a->wanted[MODE_USER] |= (uint64_t)(known && !event->no_user) << i;
	}
	a->wanted[MODE_KERNEL] |= UINT64_C(1) << EXTENDED;
	a->wanted[MODE_USER] |= UINT64_C(1) << EXTENDED;
	a->is_filtered = images_filtered(config->images);
	return a;
}

void attribution_free(struct attribution *a)
{
	free(a);
}

void attribution_keep_history(struct attribution *a, struct stack_attribution *single)
{
	a->history = single;
}

void attribution_forget_images(struct attribution *a)
{
	memset(a->routes, 0, sizeof(a->routes));
	a->is_stale = true;
}

static void lose(struct attribution *a, const struct span *s, enum loss_reason reason)
{
	stats_lost(a->config.stats, s->state->cpu, reason, s->nr);
}

/* [EB-74] */
static bool is_wanted(const struct attribution *a, const struct span *s, const struct image *image)
{
	const struct image *app = s->route->app;

	return !a->is_filtered || (image && image->wanted) || (app && app->wanted);
}

static void filter_out(struct attribution *a, const struct span *s)
{
	stats_cpu(a->config.stats, s->state->cpu)->filtered += s->nr;
}

static void init_key(const struct attribution *a, const struct span *s, struct sfile_key *key)
{
	const struct separation *separate = &a->config.separate;

	memset(key, 0, sizeof(*key));
	key->counter = s->counter;
	key->tgid = separate->thread ? s->state->tgid : SFILE_ALL;
	key->tid = separate->thread ? s->state->tid : SFILE_ALL;
	key->cpu = separate->cpu ? s->state->cpu : SFILE_ALL;
	key->cgroup = s->route->origin.cgroup;
}

static inline struct cached_file *cached_file_of(const struct span *s)
{
	return &s->route->files[s->counter % NR_CACHED];
}

static inline bool is_cached(const struct attribution *a, const struct span *s,
			     const struct image *image)
{
	const struct cached_file *f = cached_file_of(s);

	return f->sfile && f->image == image && f->counter == s->counter &&
	       f->generation == *a->generation;
}

static struct sfile *look_up_file(struct attribution *a, const struct span *s,
				  const struct sfile_key *key, const struct image *image)
{
	struct cached_file *f = cached_file_of(s);

	f->sfile = sfile_get(a->config.sfiles, key);
	f->generation = *a->generation;
	f->counter = s->counter;
	f->image = image;
	return f->sfile;
}

/* [EB-73] */
static struct sfile *sfile_of_image(struct attribution *a, const struct span *s,
				    struct image *image, bool is_kernel)
{
	const struct separation *separate = &a->config.separate;
	bool by_app = separate->kernel || (separate->lib && !is_kernel);
	struct sfile_key key;

	if (is_cached(a, s, image))
		return cached_file_of(s)->sfile;
	init_key(a, s, &key);
	key.at.image = image;
	key.app = by_app && s->route->app ? s->route->app : image;
	key.at.is_kernel = is_kernel;
	return look_up_file(a, s, &key, image);
}

static struct sfile *sfile_of_mapping(struct attribution *a, const struct span *s,
				      const struct anon_map *map)
{
	struct cached_file *f = cached_file_of(s);
	struct sfile_key key;

	if (is_cached(a, s, NULL) && f->start == map->start && f->end == map->end)
		return f->sfile;
	init_key(a, s, &key);
	key.app = s->route->app;
	sfile_place_set_map(&key.at, s->state->tgid, map);
	f->start = map->start;
	f->end = map->end;
	jit_processes_add_sample(a->config.jit, key.app->path, key.at.anon_tgid, key.at.anon_name,
				 map->start, map->end);
	return look_up_file(a, s, &key, NULL);
}

static inline struct sfile *sfile_of(struct attribution *a, const struct span *s,
				     struct place place)
{
	return place.map ? sfile_of_mapping(a, s, place.map) :
			   sfile_of_image(a, s, place.image, place.is_kernel);
}

/* Those that begin a stack are kept with it. */
static inline bool is_kept_alone(const struct attribution *a, const struct span *s)
{
	return a->history && !s->state->tracing;
}

static void keep_one(struct attribution *a, const struct span *s, struct place place,
		     uint64_t pc, uint64_t count)
{
	const struct sample_place at = { place.image, place.map, pc - place.base };

	attribute_single(a->history, s->state, &at, s->counter, count);
}

/* Count the extended sample @s for all events that are derived from it. [EB-77] */
static void record_derived(struct attribution *a, const struct span *s, struct place place)
{
	struct cpu_counts *cpu = stats_cpu(a->config.stats, s->state->cpu);
	struct span one = *s;
	bool any = false;

	for (size_t i = 0; i < a->nr_derived; i++) {
		const struct sfile_event *event = &a->config.events[a->derived[i].event];

		if (s->state->mode == MODE_KERNEL ? event->no_kernel : event->no_user)
			continue;
		one.counter = a->derived[i].event;
		sfile_add_weight(sfile_of(a, &one, place), s->state->cpu, s->pcs[0] - place.base,
				 a->derived[i].weight);
		if (is_kept_alone(a, s))
			keep_one(a, &one, place, s->pcs[0], a->derived[i].weight);
		any = true;
	}
	cpu->recorded += any;
	cpu->extended += any;
	cpu->filtered += !any;
}

/* Inlined into each caller, because what the caller knows of the place saves work. */
static inline void record(struct attribution *a, const struct span *s, struct place place)
{
	if (s->counter == EXTENDED) {
		record_derived(a, s, place);
		return;
	}
	sfile_add(sfile_of(a, s, place), s->state->cpu, s->pcs, s->nr, place.base);
	for (size_t i = 0; is_kept_alone(a, s) && i < s->nr; i++)
		keep_one(a, s, place, s->pcs[i], 1);
}

/* [EB-70] */
static void add_to_file(struct attribution *a, const struct span *s)
{
	struct image *image = s->route->image;

	if (!image)
		lose(a, s, LOST_UNKNOWN_IMAGE);
	else if (!is_wanted(a, s, image))
		filter_out(a, s);
	else
		record(a, s, (struct place){ .image = image });
}

static const struct anon_map *mapping_of(struct attribution *a, const struct trans_state *state,
					 uint64_t pc)
{
	const struct anon_map *noted = &state->anon;

	if (pc >= noted->start && pc < noted->end)
		return noted;
	return anon_find(a->config.anons, state->tgid, pc);
}

/* [EB-71] */
static void add_to_anon(struct attribution *a, const struct span *s)
{
	struct span part = *s;

	if (!s->route->app) {
		lose(a, s, LOST_UNKNOWN_IMAGE);
		return;
	}
	if (!is_wanted(a, s, NULL)) {
		filter_out(a, s);
		return;
	}
	for (size_t i = 0; i < s->nr; i += part.nr) {
		const struct anon_map *map = mapping_of(a, s->state, s->pcs[i]);

		part.pcs = s->pcs + i;
		for (part.nr = 1; map && i + part.nr < s->nr; part.nr++)
			if (part.pcs[part.nr] < map->start || part.pcs[part.nr] >= map->end)
				break;
		if (map)
			record(a, &part, (struct place){ .map = map, .base = map->start });
		else
			lose(a, &part, LOST_NO_MAPPING);
	}
}

/* [EB-72] */
static void add_to_kernel(struct attribution *a, const struct span *s)
{
	struct span part = *s;

	a->config.stats->kernel_samples += s->nr;
	for (size_t i = 0; i < s->nr; i += part.nr) {
		const struct kernel_range *r = kernel_find(a->config.kernel, s->pcs[i]);

		part.pcs = s->pcs + i;
		for (part.nr = 1; i + part.nr < s->nr; part.nr++)
			if (part.pcs[part.nr] - r->start > r->last - r->start)
				break;
		if (!r->base)
			for (size_t j = 0; j < part.nr; j++)
				kernel_note_sample(a->config.kernel, part.pcs[j]);
		if (!r->image)
			lose(a, &part, LOST_KERNEL_RANGE);
		else if (!is_wanted(a, s, r->image))
			filter_out(a, &part);
		else
			record(a, &part, (struct place){ .image = r->image, .is_kernel = true,
							  .base = r->base });
	}
}

/* [EB-76] */
static void reject(struct attribution *a, const struct span *s)
{
	bool known = s->counter < a->config.nr_counters && a->config.events[s->counter].name[0];

	if (!known && s->counter != EXTENDED)
		lose(a, s, LOST_STREAM);
	else if (s->state->mode == MODE_UNKNOWN)
		lose(a, s, LOST_NO_MODE);
	else
		filter_out(a, s);
}

static void add_span(struct attribution *a, const struct span *s)
{
	if (s->counter > EXTENDED || !(a->wanted[s->state->mode] >> s->counter & 1))
		reject(a, s);
	else if (s->state->mode == MODE_KERNEL)
		add_to_kernel(a, s);
	else if (s->state->cookie == OP_NO_COOKIE)
		add_to_anon(a, s);
	else
		add_to_file(a, s);
}

static struct origin origin_of(const struct attribution *a, const struct trans_state *state)
{
	const struct separation *separate = &a->config.separate;
	bool is_kernel = state->mode == MODE_KERNEL,
	     is_anon = !is_kernel && state->cookie == OP_NO_COOKIE;
	struct origin o = { .mode = state->mode };

	if (!is_kernel)
		o.cookie = state->cookie;
	if (a->is_filtered || is_anon || separate->kernel || (separate->lib && !is_kernel))
		o.app_cookie = state->app_cookie;
	if (separate->thread || is_anon)
		o.tgid = state->tgid;
	if (separate->thread)
		o.tid = state->tid;
	if (separate->cpu)
		o.cpu = state->cpu;
	if (separate->cgroup)
		o.cgroup = cgroups_of(a->config.cgroups, state->tgid, state->app_cookie,
				      state->cgroup);
	return o;
}

static bool is_same_origin(const struct origin *a, const struct origin *b)
{
	return a->cookie == b->cookie && a->app_cookie == b->app_cookie && a->tgid == b->tgid &&
	       a->tid == b->tid && a->cpu == b->cpu && a->mode == b->mode &&
	       a->cgroup == b->cgroup;
}

static struct route *find_route(struct attribution *a, const struct trans_state *state)
{
	struct origin o = origin_of(a, state);
	uint64_t h = o.cookie * 31 + o.app_cookie * 37 + o.tgid * 41 + o.tid * 43 + o.cpu * 47 +
		     o.mode + (uintptr_t)o.cgroup;
	struct route *r = &a->routes[h * 0x9e3779b97f4a7c15u >> 56];

	if (is_same_origin(&r->origin, &o))
		return r;
	memset(r, 0, sizeof(*r));
	r->app = cookie_image(a->config.cookies, o.app_cookie);
	r->image = cookie_image(a->config.cookies, o.cookie);
	r->origin = o;
	return r;
}

/* Tasks of which every sample is filtered out may be listed as well. */
static void record_task(struct attribution *a, const struct trans_state *state)
{
	const struct image *app = cookie_image(a->config.cookies, state->app_cookie);

	if (app || a->config.separate.thread)
		comms_record(a->config.comms, state->tgid, state->tid, state->app_cookie,
			     app ? app->path : "", state->comm, a->config.separate.thread);
}

static void log_samples(const struct trans_state *state, const uint64_t *pcs,
			const uint32_t *counters, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		log_line("sample %" PRIx64 " counter %u cpu %u tgid %u tid %u cookie %" PRIx64
			 " app %" PRIx64 " %s",
			 pcs[i], counters[i], state->cpu, state->tgid, state->tid, state->cookie,
			 state->app_cookie, state->mode == MODE_KERNEL ? "kernel" : "user");
}

void attribute_samples(void *attribution, const struct trans_state *state, bool changed,
		       const uint64_t *pcs, const uint32_t *counters, size_t nr)
{
	struct attribution *a = attribution;
	struct span s = { .state = state };

	a->is_stale |= changed;
	if (log_topics & LOG_SAMPLES)
		log_samples(state, pcs, counters, nr);
	if (a->is_stale) {
		a->route = find_route(a, state);
		if (a->config.comms)
			record_task(a, state);
		a->is_stale = false;
	}
	a->config.stats->samples += nr;
	s.route = a->route;
	for (size_t i = 0; i < nr; i += s.nr) {
		s.counter = counters[i];
		s.pcs = pcs + i;
		for (s.nr = 1; i + s.nr < nr && counters[i + s.nr] == s.counter; s.nr++)
			;
		add_span(a, &s);
	}
}

void attribute_extended(struct attribution *a, const struct trans_state *state, bool changed,
			uint64_t pc, const struct derived_event *derived, size_t nr)
{
	static const uint32_t counter = EXTENDED;

	a->derived = derived;
	a->nr_derived = nr;
	attribute_samples(a, state, changed, &pc, &counter, 1);
}
