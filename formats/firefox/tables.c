// SPDX-License-Identifier: GPL-2.0-or-later
/* tables.c - number what the samples of a thread refer to */
#include "formats/firefox/tables.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

static void list_init(struct firefox_list *list, uint32_t nr)
{
	list->row = xcalloc((size_t)nr + 1, sizeof(*list->row));
	memset(list->row, 0xff, ((size_t)nr + 1) * sizeof(*list->row));
}

static void list_reset(struct firefox_list *list)
{
	while (list->nr)
		list->row[list->elements[--list->nr]] = PROFILE_NONE;
}

static void list_free(struct firefox_list *list)
{
	free(list->row);
	free(list->elements);
}

static uint32_t find_row(struct firefox_list *list, uint32_t element)
{
	if (list->row[element] == PROFILE_NONE) {
		xgrow(list->elements, list->nr, list->room);
		list->row[element] = list->nr;
		list->elements[list->nr++] = element;
	}
	return list->row[element];
}

void firefox_tables_init(struct firefox_tables *t, const struct profile *p,
			 const struct shown_frames *shown)
{
	*t = (struct firefox_tables){ .profile = p, .shown = shown };
	list_init(&t->frames, shown->first[p->nr_places]);
	list_init(&t->functions, shown->nr_functions);
	list_init(&t->images, p->nr_images);
	t->stack_of = xcalloc((size_t)p->tree.nr + 1, sizeof(*t->stack_of));
	memset(t->stack_of, 0xff, ((size_t)p->tree.nr + 1) * sizeof(*t->stack_of));
}

void firefox_tables_reset(struct firefox_tables *t)
{
	list_reset(&t->frames);
	list_reset(&t->functions);
	list_reset(&t->images);
	while (t->nr_touched)
		t->stack_of[t->touched[--t->nr_touched]] = PROFILE_NONE;
	t->nr_stacks = 0;
}

void firefox_tables_free(struct firefox_tables *t)
{
	list_free(&t->frames);
	list_free(&t->functions);
	list_free(&t->images);
	free(t->stack_of);
	free(t->stacks);
	free(t->stack);
	free(t->touched);
}

static uint32_t add_stack(struct firefox_tables *t, uint32_t prefix, uint32_t frame)
{
	uint32_t nr_frames = t->shown->first[t->profile->nr_places];
	uint32_t function = frame == nr_frames ? t->shown->unknown
					       : t->shown->frames[frame].function;
	uint32_t image = t->shown->functions[function].image;

	if (image != PROFILE_NONE)
		find_row(&t->images, image);
	find_row(&t->functions, function);
	xgrow(t->stacks, t->nr_stacks, t->room_stacks);
	t->stacks[t->nr_stacks] = (struct firefox_stack){ prefix, find_row(&t->frames, frame) };
	return t->nr_stacks++;
}

static void save_stack(struct firefox_tables *t, uint32_t node, uint32_t stack)
{
	t->stack_of[node] = stack;
	xgrow(t->touched, t->nr_touched, t->room_touched);
	t->touched[t->nr_touched++] = node;
}

/* Outermost function first, because it calls the functions inlined in it. */
static uint32_t add_place(struct firefox_tables *t, uint32_t prefix, uint32_t place)
{
	for (uint32_t i = t->shown->first[place + 1]; i-- > t->shown->first[place]; )
		prefix = add_stack(t, prefix, i);
	return prefix;
}

uint32_t firefox_stack(struct firefox_tables *t, uint32_t node)
{
	const struct profile *p = t->profile;
	uint32_t stack = PROFILE_NONE;
	size_t nr = 0;

	if (node == PROFILE_NONE) {
		if (t->stack_of[p->tree.nr] == PROFILE_NONE)
			save_stack(t, p->tree.nr, add_stack(t, PROFILE_NONE,
							     t->shown->first[p->nr_places]));
		return t->stack_of[p->tree.nr];
	}
	for (; node != PROFILE_NONE && t->stack_of[node] == PROFILE_NONE;
	     node = p->tree.nodes[node].parent) {
		xgrow(t->stack, nr, t->room_stack);
		t->stack[nr++] = node;
	}
	if (node != PROFILE_NONE)
		stack = t->stack_of[node];
	while (nr) {
		stack = add_place(t, stack, p->tree.nodes[t->stack[--nr]].key);
		save_stack(t, t->stack[nr], stack);
	}
	return stack;
}
