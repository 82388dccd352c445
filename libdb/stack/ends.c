// SPDX-License-Identifier: GPL-2.0-or-later
/* ends.c - how chains ended, in names and in numbers [ST-12] */
#include "libdb/stack/store.h"

static const struct {
	const char *name, *text;
} ends[NR_STACK_ENDS] = {
	[STACK_COMPLETE] = { "complete", "complete" },
	[STACK_TRUNCATED] = { "truncated", "cut at the depth asked for" },
	[STACK_NO_TABLE] = { "no_table", "ended in code without unwind table" },
	[STACK_BAD_FRAME] = { "bad_frame", "ended at a frame that cannot be" },
	[STACK_UNREADABLE] = { "unreadable", "ended in memory that could not be read" },
	[STACK_SHORT_COPY] = { "short_copy", "ended where the copy of the stack did" },
	[STACK_NO_USER] = { "no_user", "kernel part only" },
	[STACK_UNTOLD] = { "untold", "of unknown end" },
	[STACK_NO_MAPS] = { "no_maps", "ended in code mapped too recently to be known" },
};

const char *stack_end_name(unsigned int kind)
{
	return kind < NR_STACK_ENDS ? ends[kind].name : "unknown";
}

const char *stack_end_text(unsigned int kind)
{
	return kind < NR_STACK_ENDS ? ends[kind].text : "ended in a way unknown here";
}

static void add(uint64_t *total, uint64_t count)
{
	if (__builtin_add_overflow(*total, count, total))
		*total = UINT64_MAX;
}

void stack_snapshot_totals(const struct stack_snapshot *s, struct stack_totals *ret)
{
	*ret = (struct stack_totals){ .samples = 0 };
	for (uint32_t i = 0; i < s->nr_counts; i++) {
		unsigned int end = s->ends[s->counts[i].node];

		add(&ret->samples, s->counts[i].count);
		if (end & STACK_END_GUESSED)
			add(&ret->guessed, s->counts[i].count);
		if (STACK_END_KIND(end) < NR_STACK_ENDS)
			add(&ret->ends[STACK_END_KIND(end)], s->counts[i].count);
	}
}
