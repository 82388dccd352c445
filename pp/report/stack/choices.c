// SPDX-License-Identifier: GPL-2.0-or-later
/* choices.c - a table of combinations, by hash */
#include "pp/report/stack/choices.h"

#include <stdlib.h>

#include "libutil/hash.h"
#include "libutil/xalloc.h"

static uint32_t *slot_of(const struct stack_choices *c, const struct stack_choice *wanted)
{
	uint64_t hash = hash_mix((uint64_t)wanted->context << 32 | wanted->event, wanted->image);
	size_t at = hash & (c->nr_slots - 1);

	for (; c->slots[at]; at = (at + 1) & (c->nr_slots - 1)) {
		const struct stack_choice *there = &c->choices[c->slots[at] - 1];

		if (there->context == wanted->context && there->event == wanted->event &&
		    there->image == wanted->image)
			break;
	}
	return &c->slots[at];
}

static void grow(struct stack_choices *c)
{
	c->nr_slots = c->nr_slots ? 2 * c->nr_slots : 256;
	free(c->slots);
	c->slots = xcalloc(c->nr_slots, sizeof(*c->slots));
	for (uint32_t i = 0; i < c->nr; i++)
		*slot_of(c, &c->choices[i]) = i + 1;
}

uint32_t stack_choice_get(struct stack_choices *c, const struct stack_snapshot *s,
			  const struct stack_count *count, bool *ret_new)
{
	const struct stack_node *node = &s->nodes[count->node];
	struct stack_choice wanted = { count->context, count->event, 0 };
	uint32_t *slot;

	*ret_new = false;
	if (node->parent == STACK_NONE)
		return STACK_NONE;
	wanted.image = s->frames[node->frame].image;
	if ((size_t)c->nr * 2 >= c->nr_slots)
		grow(c);
	slot = slot_of(c, &wanted);
	if (!*slot) {
		xgrow(c->choices, c->nr, c->room);
		c->choices[c->nr] = wanted;
		*slot = ++c->nr;
		*ret_new = true;
	}
	return *slot - 1;
}

void stack_choices_free(struct stack_choices *c)
{
	free(c->choices);
	free(c->slots);
	*c = (struct stack_choices){ 0 };
}
