// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attribute_extended.c - samples that several events are derived from
 *
 * They are placed as any others, as those of a counter that words cannot name, so the hot path
 * has but one question more; what then becomes of them is here.
 */
#include "daemon/record/attribute_private.h"

/* [EB-77] */
void attribute_derived(struct attribution *a, const struct span *s, struct place place)
{
	struct cpu_counts *cpu = stats_cpu(a->config.stats, s->state->cpu);
	struct span one = *s;
	bool any = false;

	for (size_t i = 0; i < a->nr_derived; i++) {
		const struct sfile_event *event = &a->config.events[a->derived[i].event];

		if (s->state->mode == MODE_KERNEL ? event->no_kernel : event->no_user)
			continue;
		one.counter = a->derived[i].event;
		sfile_add_weight(attribute_sfile(a, &one, place), s->state->cpu,
				 s->pcs[0] - place.base, a->derived[i].weight);
		any = true;
	}
	cpu->recorded += any;
	cpu->extended += any;
	cpu->filtered += !any;
}

void attribute_extended(struct attribution *a, const struct trans_state *state, bool changed,
			uint64_t pc, const struct derived_event *derived, size_t nr)
{
	static const uint32_t counter = EXTENDED;
	a->derived = derived;
	a->nr_derived = nr;
	attribute_samples(a, state, changed, &pc, &counter, 1);
}
