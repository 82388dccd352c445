// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attribute.c - from (state, pc) to (sample file, key)
 *
 * Samples come in runs that share the state, so all that depends on the state alone is worked
 * out once per run, and nothing at all when the state is the last run's.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "attribute.h"
#include "log.h"
#include "xalloc.h"

#define NR_ROUTES	256
#define EXTENDED	63	/* counter of an extended sample: above any of words */

/*
 * What follows from a state: who is to be credited, and the sample file that was found for it
 * last. CPUs and tasks take turns quickly, so the routes of many states are kept at hand. The
 * first part is the state, without what does not matter to this daemon's separation.
 */
struct route {
	op_word cookie, app_cookie;
	uint32_t tgid, tid, cpu;
	enum trans_mode mode;		/* MODE_UNKNOWN: not in use */

	struct image *app;		/* NULL: not known */
	struct image *image;		/* of the cookie, in user mode */

	struct sfile *sfile;		/* good for these as long as the generation is the same: */
	unsigned int generation;
	uint32_t counter;
	const struct image *place;	/* image of a file or of the kernel; NULL: a mapping, */
	uint64_t start, end;		/* this one */
};

struct attribution {
	struct attribution_config config;
	bool filtered;
	bool stale;			/* the state changed since @route was chosen */
	uint64_t wanted[MODE_USER + 1];	/* counters whose samples in that mode are to be filed */
	const struct derived_event *derived;	/* from the extended sample at hand */
	size_t nr_derived;
	struct route *route;
	struct route routes[NR_ROUTES];
};

struct attribution *attribution_new(const struct attribution_config *config)
{
	struct attribution *a = xcalloc(1, sizeof(*a));

	a->config = *config;
	for (unsigned int i = 0; i < config->nr_counters; i++) {
		const struct sfile_event *event = &config->events[i];
		bool known = event->name[0];

		a->wanted[MODE_KERNEL] |= (uint64_t)(known && !event->no_kernel) << i;
		a->wanted[MODE_USER] |= (uint64_t)(known && !event->no_user) << i;
	}
	a->wanted[MODE_KERNEL] |= UINT64_C(1) << EXTENDED;
	a->wanted[MODE_USER] |= UINT64_C(1) << EXTENDED;
	a->filtered = images_filtered(config->images);
	return a;
}

void attribution_free(struct attribution *a)
{
	free(a);
}

/* One run's samples that share the counter: what is common to the functions below. */
struct span {
	const struct trans_state *state;
	struct route *route;
	uint32_t counter;
	const uint64_t *pcs;
	size_t nr;
};

/* Where a span's samples lie: in @image, or in @map, an address being @base + the key. */
struct place {
	struct image *image;
	const struct anon_map *map;
	bool is_kernel;
	uint64_t base;
};

static void lost(struct attribution *a, const struct span *s, enum loss_reason reason)
{
	stats_lost(a->config.stats, s->state->cpu, reason, s->nr);
}

/* [EB-74] */
static bool is_wanted(const struct attribution *a, const struct span *s, const struct image *image)
{
	const struct image *app = s->route->app;

	return !a->filtered || (image && image->wanted) || (app && app->wanted);
}

static void filter_out(struct attribution *a, const struct span *s)
{
	stats_cpu(a->config.stats, s->state->cpu)->filtered += s->nr;
}

static void start_key(const struct attribution *a, const struct span *s, struct sfile_key *key)
{
	const struct separation *separate = &a->config.separate;

	memset(key, 0, sizeof(*key));
	key->counter = s->counter;
	key->tgid = separate->thread ? s->state->tgid : SFILE_ALL;
	key->tid = separate->thread ? s->state->tid : SFILE_ALL;
	key->cpu = separate->cpu ? s->state->cpu : SFILE_ALL;
}

static bool at_hand(const struct attribution *a, const struct span *s, const struct image *place)
{
	const struct route *r = s->route;

	return r->sfile && r->place == place && r->counter == s->counter &&
	       r->generation == sfiles_generation(a->config.sfiles);
}

static struct sfile *remember(struct attribution *a, const struct span *s,
			      const struct sfile_key *key, const struct image *place)
{
	struct route *r = s->route;

	r->sfile = sfile_get(a->config.sfiles, key);
	r->generation = sfiles_generation(a->config.sfiles);
	r->counter = s->counter;
	r->place = place;
	return r->sfile;
}

/* [EB-73] */
static struct sfile *sfile_of_image(struct attribution *a, const struct span *s,
				    struct image *image, bool is_kernel)
{
	const struct separation *separate = &a->config.separate;
	bool by_app = separate->kernel || (separate->lib && !is_kernel);
	struct sfile_key key;

	if (at_hand(a, s, image))
		return s->route->sfile;
	start_key(a, s, &key);
	key.image = image;
	key.app = by_app && s->route->app ? s->route->app : image;
	key.is_kernel = is_kernel;
	return remember(a, s, &key, image);
}

static struct sfile *sfile_of_mapping(struct attribution *a, const struct span *s,
				      const struct anon_map *map)
{
	struct route *r = s->route;
	struct sfile_key key;

	if (at_hand(a, s, NULL) && r->start == map->start && r->end == map->end)
		return r->sfile;
	start_key(a, s, &key);
	key.app = r->app;
	key.anon_tgid = s->state->tgid;
	key.anon_start = r->start = map->start;
	key.anon_end = r->end = map->end;
	anon_copy_name(key.anon_name, sizeof(key.anon_name), map->name);
	return remember(a, s, &key, NULL);
}

static inline struct sfile *sfile_of(struct attribution *a, const struct span *s,
				     struct place place)
{
	return place.map ? sfile_of_mapping(a, s, place.map) :
			   sfile_of_image(a, s, place.image, place.is_kernel);
}

/* [EB-77] */
static void credit_derived(struct attribution *a, const struct span *s, struct place place)
{
	struct cpu_counts *cpu = stats_cpu(a->config.stats, s->state->cpu);
	struct span one = *s;
	bool any = false;

	for (size_t i = 0; i < a->nr_derived; i++) {
		const struct sfile_event *event = &a->config.events[a->derived[i].event];

		if (s->state->mode == MODE_KERNEL ? event->no_kernel : event->no_user)
			continue;
		one.counter = a->derived[i].event;
		sfile_add_weight(sfile_of(a, &one, place), s->state->cpu,
				 s->pcs[0] - place.base, a->derived[i].weight);
		any = true;
	}
	cpu->recorded += any;
	cpu->extended += any;
	cpu->filtered += !any;
}

/* Small enough to be everywhere where a span ends: what is known of the place there saves work. */
static inline void credit(struct attribution *a, const struct span *s, struct place place)
{
	if (s->counter == EXTENDED)
		credit_derived(a, s, place);
	else
		sfile_add(sfile_of(a, s, place), s->state->cpu, s->pcs, s->nr, place.base);
}

/* [EB-70] */
static void add_to_file(struct attribution *a, const struct span *s)
{
	struct image *image = s->route->image;

	if (!image)
		lost(a, s, LOST_UNKNOWN_IMAGE);
	else if (!is_wanted(a, s, image))
		filter_out(a, s);
	else
		credit(a, s, (struct place){ .image = image });
}

static const struct anon_map *mapping_of(struct attribution *a, const struct trans_state *state,
					 uint64_t pc)
{
	const struct anon_map *told = &state->anon;

	if (pc >= told->start && pc < told->end)
		return told;
	return anon_find(a->config.anons, state->tgid, pc);
}

/* [EB-71] */
static void add_to_anon(struct attribution *a, const struct span *s)
{
	struct span part = *s;

	if (!s->route->app) {
		lost(a, s, LOST_UNKNOWN_IMAGE);
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
			credit(a, &part, (struct place){ .map = map, .base = map->start });
		else
			lost(a, &part, LOST_NO_MAPPING);
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
		if (!r->image)
			lost(a, &part, LOST_KERNEL_RANGE);
		else if (!is_wanted(a, s, r->image))
			filter_out(a, &part);
		else
			credit(a, &part, (struct place){ .image = r->image, .is_kernel = true,
							  .base = r->base });
	}
}

/* [EB-76] */
static void not_filed(struct attribution *a, const struct span *s)
{
	bool known = s->counter < a->config.nr_counters && a->config.events[s->counter].name[0];

	if (!known && s->counter != EXTENDED)
		lost(a, s, LOST_STREAM);
	else if (s->state->mode == MODE_UNKNOWN)
		lost(a, s, LOST_NO_MODE);
	else
		filter_out(a, s);
}

static void add_span(struct attribution *a, const struct span *s)
{
	if (s->counter > EXTENDED || !(a->wanted[s->state->mode] >> s->counter & 1))
		not_filed(a, s);
	else if (s->state->mode == MODE_KERNEL)
		add_to_kernel(a, s);
	else if (s->state->cookie == OP_NO_COOKIE)
		add_to_anon(a, s);
	else
		add_to_file(a, s);
}

/* The part of the state that matters here, in a route otherwise empty. */
static struct route start_route(const struct attribution *a, const struct trans_state *state)
{
	const struct separation *separate = &a->config.separate;
	bool is_kernel = state->mode == MODE_KERNEL,
	     is_anon = !is_kernel && state->cookie == OP_NO_COOKIE;
	struct route r = { .mode = state->mode };

	if (!is_kernel)
		r.cookie = state->cookie;
	if (a->filtered || is_anon || separate->kernel || (separate->lib && !is_kernel))
		r.app_cookie = state->app_cookie;
	if (separate->thread || is_anon)
		r.tgid = state->tgid;
	if (separate->thread)
		r.tid = state->tid;
	if (separate->cpu)
		r.cpu = state->cpu;
	return r;
}

static bool same_state(const struct route *a, const struct route *b)
{
	return a->cookie == b->cookie && a->app_cookie == b->app_cookie && a->tgid == b->tgid &&
	       a->tid == b->tid && a->cpu == b->cpu && a->mode == b->mode;
}

static struct route *find_route(struct attribution *a, const struct trans_state *state)
{
	struct route wanted = start_route(a, state), *r;
	uint64_t h = wanted.cookie * 31 + wanted.app_cookie * 37 + wanted.tgid * 41 +
		     wanted.tid * 43 + wanted.cpu * 47 + wanted.mode;

	r = &a->routes[h * 0x9e3779b97f4a7c15u >> 56];
	if (same_state(r, &wanted))
		return r;
	wanted.app = cookie_image(a->config.cookies, wanted.app_cookie);
	wanted.image = cookie_image(a->config.cookies, wanted.cookie);
	*r = wanted;
	return r;
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

	a->stale |= changed;
	if (state->tracing && state->trace_depth) {	/* [EB-75] */
		a->config.stats->callers += nr;
		return;
	}
	if (log_topics & LOG_SAMPLES)
		log_samples(state, pcs, counters, nr);
	if (a->stale) {
		a->route = find_route(a, state);
		a->stale = false;
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
	struct trans_state leaf = *state;

	leaf.tracing = false;
	a->derived = derived;
	a->nr_derived = nr;
	attribute_samples(a, &leaf, changed, &pc, &counter, 1);
}
