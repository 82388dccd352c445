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

struct attribution {
	struct attribution_config config;
	bool filtered;

	/* What the state says; remade for the first sample after it changed. */
	bool stale;
	struct image *app;		/* NULL: not known */
	struct image *image;		/* of the cookie, in user mode */

	/* Where the last samples went, while the state and the sample files stay as they are. */
	struct sfile *last;
	unsigned int last_generation;
	uint32_t last_counter;
	const void *last_place;		/* struct image of a file or of the kernel; else void */
};

struct attribution *attribution_new(const struct attribution_config *config)
{
	struct attribution *a = xcalloc(1, sizeof(*a));

	a->config = *config;
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
	uint32_t counter;
	const uint64_t *pcs;
	size_t nr;
};

static void lost(struct attribution *a, const struct span *s, enum loss_reason reason)
{
	stats_lost(a->config.stats, s->state->cpu, reason, s->nr);
}

/* [EB-74] */
static bool is_wanted(const struct attribution *a, const struct image *image)
{
	return !a->filtered || (image && image->wanted) || (a->app && a->app->wanted);
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

/* [EB-73] */
static struct sfile *sfile_of_image(struct attribution *a, const struct span *s, struct image *image,
				    bool is_kernel)
{
	const struct separation *separate = &a->config.separate;
	bool by_app = separate->kernel || (separate->lib && !is_kernel);
	struct sfile_key key;

	if (a->last && a->last_place == image && a->last_counter == s->counter &&
	    a->last_generation == sfiles_generation(a->config.sfiles))
		return a->last;

	start_key(a, s, &key);
	key.image = image;
	key.app = by_app && a->app ? a->app : image;
	key.is_kernel = is_kernel;
	a->last = sfile_get(a->config.sfiles, &key);
	a->last_generation = sfiles_generation(a->config.sfiles);
	a->last_counter = s->counter;
	a->last_place = image;
	return a->last;
}

/* [EB-70] */
static void add_to_file(struct attribution *a, const struct span *s)
{
	if (!a->image)
		lost(a, s, LOST_UNKNOWN_IMAGE);
	else if (!is_wanted(a, a->image))
		filter_out(a, s);
	else
		sfile_add(sfile_of_image(a, s, a->image, false), s->state->cpu, s->pcs, s->nr, 0);
}

/* A name that can stand between the braces of a folder's name: "{anon:NAME}". */
static void copy_anon_name(char *to, size_t size, const char *from)
{
	size_t i;

	for (i = 0; i < size && from[i]; i++)
		to[i] = strchr("/{}", from[i]) || (unsigned char)from[i] < ' ' ? '_' : from[i];
	if (!i)
		memcpy(to, "anon", 4);
}

static void add_to_mapping(struct attribution *a, const struct span *s, const struct anon_map *map)
{
	struct sfile_key key;

	start_key(a, s, &key);
	key.app = a->app;
	key.anon_tgid = s->state->tgid;
	key.anon_start = map->start;
	key.anon_end = map->end;
	copy_anon_name(key.anon_name, sizeof(key.anon_name), map->name);
	sfile_add(sfile_get(a->config.sfiles, &key), s->state->cpu, s->pcs, s->nr, map->start);
}

static const struct anon_map *mapping_of(struct attribution *a, const struct trans_state *state, uint64_t pc)
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

	if (!a->app) {
		lost(a, s, LOST_UNKNOWN_IMAGE);
		return;
	}
	if (!is_wanted(a, NULL)) {
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
			add_to_mapping(a, &part, map);
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
		else if (!is_wanted(a, r->image))
			filter_out(a, &part);
		else
			sfile_add(sfile_of_image(a, &part, r->image, true), s->state->cpu, part.pcs, part.nr,
				  r->base);
	}
}

static void add_span(struct attribution *a, const struct span *s)
{
	if (s->counter >= a->config.nr_events)
		lost(a, s, LOST_STREAM);
	else if (s->state->mode == MODE_UNKNOWN)
		lost(a, s, LOST_NO_MODE);
	else if (s->state->mode == MODE_KERNEL ? a->config.no_kernel : a->config.no_user)
		filter_out(a, s);
	else if (s->state->mode == MODE_KERNEL)
		add_to_kernel(a, s);
	else if (s->state->cookie == OP_NO_COOKIE)
		add_to_anon(a, s);
	else
		add_to_file(a, s);
}

static void take_state(struct attribution *a, const struct trans_state *state)
{
	a->stale = false;
	a->last = NULL;
	a->app = cookie_image(a->config.cookies, state->app_cookie);
	a->image = state->mode == MODE_USER ? cookie_image(a->config.cookies, state->cookie) : NULL;
}

static void log_samples(const struct trans_state *state, const uint64_t *pcs, const uint32_t *counters, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		log_line("sample %" PRIx64 " counter %u cpu %u tgid %u tid %u cookie %" PRIx64 " app %" PRIx64
			 " %s", pcs[i], counters[i], state->cpu, state->tgid, state->tid, state->cookie,
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
	if (a->stale)
		take_state(a, state);
	a->config.stats->samples += nr;
	for (size_t i = 0; i < nr; i += s.nr) {
		s.counter = counters[i];
		s.pcs = pcs + i;
		for (s.nr = 1; i + s.nr < nr && counters[i + s.nr] == s.counter; s.nr++)
			;
		add_span(a, &s);
	}
}
