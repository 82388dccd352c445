// SPDX-License-Identifier: GPL-2.0-or-later
/* history_parts.c - see history_parts.h */
#include "pp/select/history_parts.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/hash.h"
#include "libutil/xalloc.h"

static bool is_image(const void *parts, uint32_t id, const void *key)
{
	const struct stack_image *a = &((const struct history_parts *)parts)->images[id], *b = key;

	return a->name.kind == b->name.kind && a->name.anon_tgid == b->name.anon_tgid &&
	       a->name.anon_start == b->name.anon_start && a->name.anon_end == b->name.anon_end &&
	       !strcmp(a->name.path, b->name.path) && !strcmp(a->build_id, b->build_id);
}

uint32_t history_parts_image(struct history_parts *p, const struct stack_image *image)
{
	uint64_t hash = hash_mix(hash_mix(hash_string(image->name.path),
					  hash_string(image->build_id)), image->name.anon_start);
	uint32_t id = hash_table_intern(&p->by_image, hash, is_image, p, image);

	if (id == p->nr_images) {
		xgrow(p->images, p->nr_images, p->images_room);
		p->images[p->nr_images] = *image;
		p->images[p->nr_images].name.path = xstrdup(image->name.path);
		p->images[p->nr_images++].build_id = xstrdup(image->build_id);
	}
	return id;
}

static bool is_event(const void *parts, uint32_t id, const void *key)
{
	const struct stack_event *a = &((const struct history_parts *)parts)->events[id], *b = key;

	return a->count == b->count && a->unit_mask == b->unit_mask && !strcmp(a->name, b->name);
}

uint32_t history_parts_event(struct history_parts *p, const struct stack_event *event)
{
	uint64_t hash = hash_mix(hash_string(event->name), event->count);
	uint32_t id = hash_table_intern(&p->by_event, hash, is_event, p, event);

	if (id == p->nr_events) {
		xgrow(p->events, p->nr_events, p->events_room);
		p->events[p->nr_events] = *event;
		p->events[p->nr_events++].name = xstrdup(event->name);
	}
	return id;
}

static bool is_context(const void *parts, uint32_t id, const void *key)
{
	const struct stack_context *a = &((const struct history_parts *)parts)->contexts[id];
	const struct stack_context *b = key;

	return a->app == b->app && a->tgid == b->tgid && a->tid == b->tid && a->cpu == b->cpu &&
	       !strcmp(a->cgroup, b->cgroup) && !strcmp(a->comm, b->comm) &&
	       !strcmp(a->labels, b->labels);
}

uint32_t history_parts_context(struct history_parts *p, const struct stack_context *context)
{
	uint64_t hash = hash_mix(hash_mix(context->app, (uint64_t)context->tid),
				 hash_string(context->cgroup));
	struct stack_context *new;
	uint32_t id;

	hash = hash_mix(hash, hash_mix((uint64_t)context->cpu, hash_string(context->comm)));
	id = hash_table_intern(&p->by_context, hash, is_context, p, context);
	if (id == p->nr_contexts) {
		xgrow(p->contexts, p->nr_contexts, p->contexts_room);
		new = &p->contexts[p->nr_contexts++];
		*new = *context;
		new->cgroup = xstrdup(context->cgroup);
		new->comm = xstrdup(context->comm);
		new->labels = xstrdup(context->labels);
	}
	return id;
}

/* All texts, one after the other. */
static void each_text(struct history_parts *p, void (*visit)(void *context, const char **text),
		      void *context)
{
	for (size_t i = 0; i < p->nr_images; i++) {
		visit(context, &p->images[i].name.path);
		visit(context, &p->images[i].build_id);
	}
	for (size_t i = 0; i < p->nr_events; i++)
		visit(context, &p->events[i].name);
	for (size_t i = 0; i < p->nr_contexts; i++) {
		visit(context, &p->contexts[i].cgroup);
		visit(context, &p->contexts[i].comm);
		visit(context, &p->contexts[i].labels);
	}
}

static void free_tables(struct history_parts *p)
{
	hash_table_free(&p->by_image);
	hash_table_free(&p->by_event);
	hash_table_free(&p->by_context);
}

static void free_text(void *context, const char **text)
{
	(void)context;
	free((char *)*text);
}

void history_parts_free(struct history_parts *p)
{
	each_text(p, free_text, NULL);
	free_tables(p);
	free(p->images);
	free(p->events);
	free(p->contexts);
	*p = (struct history_parts){ .nr_images = 0 };
}

static void add_length(void *bytes, const char **text)
{
	*(size_t *)bytes += strlen(*text) + 1;
}

static void move_text(void *to, const char **text)
{
	char **at = to, *from = (char *)*text;

	*text = *at;
	*at = stpcpy(*at, from) + 1;
	free(from);
}

char *history_parts_gather(struct history_parts *p)
{
	size_t bytes = 1;
	char *texts, *to;

	each_text(p, add_length, &bytes);
	texts = to = xcalloc(bytes, 1);
	each_text(p, move_text, &to);
	free_tables(p);
	return texts;
}
