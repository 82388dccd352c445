/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history_parts.h - images, events and contexts of the stacks of many segments, each once */
#ifndef PP_SELECT_HISTORY_PARTS_H
#define PP_SELECT_HISTORY_PARTS_H

#include "libdb/stack/store.h"
#include "libutil/table.h"

struct history_parts {			/* all 0: empty */
	struct stack_image *images;
	struct stack_event *events;
	struct stack_context *contexts;	/* their apps are indices of these images */
	size_t nr_images, nr_events, nr_contexts;
	size_t images_room, events_room, contexts_room;
	struct hash_table by_image, by_event, by_context;
};

/* The index of the part that equals the argument, whose texts are copied if it is new. */
uint32_t history_parts_image(struct history_parts *p, const struct stack_image *image);
uint32_t history_parts_event(struct history_parts *p, const struct stack_event *event);
uint32_t history_parts_context(struct history_parts *p, const struct stack_context *context);
void history_parts_free(struct history_parts *p);

/*
 * Move the texts to one storage, malloc'd, as a snapshot has it. Then only arrays are left to free,
 * and nothing can be added.
 */
char *history_parts_gather(struct history_parts *p);

#endif
