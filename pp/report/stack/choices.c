// SPDX-License-Identifier: GPL-2.0-or-later
/* choices.c - a table of combinations, by hash */
#include "pp/report/stack/choices.h"

#include <stdlib.h>

#include "libutil/hash.h"
#include "libutil/xalloc.h"

static bool is_equal(const void *choices, uint32_t i, const void *key)
{
	const struct stack_choice *a = (const struct stack_choice *)choices + i, *b = key;

	return a->context == b->context && a->event == b->event && a->image == b->image;
}

uint32_t stack_choice_get(struct stack_choices *c, const struct stack_snapshot *s,
			  const struct stack_count *count, bool *ret_new)
{
	const struct stack_node *node = &s->nodes[count->node];
	struct stack_choice wanted = { count->context, count->event, 0 };
	uint64_t hash;
	uint32_t i;

	*ret_new = false;
	if (node->parent == STACK_NONE)
		return STACK_NONE;
	wanted.image = s->frames[node->frame].image;
	hash = hash_mix((uint64_t)wanted.context << 32 | wanted.event, wanted.image);
	i = hash_table_find(&c->table, hash, is_equal, c->choices, &wanted);
	if (i != HASH_NONE)
		return i;
	xgrow(c->choices, c->nr, c->room);
	c->choices[c->nr] = wanted;
	hash_table_add(&c->table, hash, c->nr);
	*ret_new = true;
	return c->nr++;
}

void stack_choices_free(struct stack_choices *c)
{
	free(c->choices);
	hash_table_free(&c->table);
	*c = (struct stack_choices){ 0 };
}
