// SPDX-License-Identifier: GPL-2.0-or-later
/* note.c - a sentence for status and reports where the machine does not do what was asked */
#include "daemon/collect/perf/note.h"

#include <stdio.h>

static void note_events(const struct perf_rings *r, char *note, size_t size)
{
	for (unsigned int i = 0; i < r->setup.nr_counters && !note[0]; i++) {
		const struct perf_counter *c = &r->setup.counters[i];

		if (c->precise_asked && !c->precise)
			snprintf(note, size, "event '%s': this CPU has no precise addresses for "
				 "it, so its samples lie a few instructions late", c->name);
	}
}

/* [PC-80]; by tables only the kernel part ends there, which has fewer frames than any limit */
static void note_callers(const struct perf_callers *k, char *note, size_t size)
{
	if (k->depth && !k->copies && k->max_addresses <= k->depth)
		snprintf(note, size, "chains end at %u callers, not at %u: that is as many as "
			 "kernel.perf_event_max_stack has the kernel list", k->max_addresses - 1,
			 k->depth);
}

void perf_note(const struct perf_rings *r, const struct perf_callers *k, char *note, size_t size)
{
	note[0] = '\0';
	note_events(r, note, size);
	if (!note[0] && r->nr_without)
		snprintf(note, size, "%u CPUs, CPU %u the first of them, are not sampled: none of "
			 "the events is for their kind", r->nr_without, r->first_without);
	if (!note[0])
		note_callers(k, note, size);
}
