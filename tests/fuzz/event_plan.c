// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event_plan.c - fuzz what users ask for: a line for each --event=, for machines of several kinds
 *
 * What is planned must be what was asked for: as many events told to the daemon, no counter given
 * twice, and settled events that make the same plan again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "control/plan/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
	const char *types[2], *model;
	unsigned int nr_counters, nr_sets;	/* of a module */
} machines[] = {
	{ { "i386/core_2" }, "perf", 0, 0 },
	{ { "i386/skylake" }, "intel", 7, 4 },
	{ { "x86-64/family10" }, "amd", 4, 8 },
	{ { "i386/alderlake-p", "i386/alderlake-e" }, "perf", 0, 0 },
	{ { "timer" }, "timer", 0, 0 },
};

static struct collector_choice choice_of(size_t machine)
{
	unsigned int nr = machines[machine].nr_counters;
	struct collector_choice c = { .root = "/nonexistent", .clock_khz = 2600000, .module = nr,
				      .nr_counters = nr };

	strcpy(c.model, machines[machine].model);
	c.numbers = ((uint64_t)1 << nr * machines[machine].nr_sets) - 1;
	for (size_t k = 0; k < 2 && machines[machine].types[k]; k++) {
		struct cpu_kind *kind = &c.kinds.kind[c.kinds.nr++];

		kind->type = cpu_type_by_name(machines[machine].types[k]);
		kind->nr_counters = kind->type->nr_counters;
		strcpy(kind->pmu, k ? "cpu_atom" : "cpu_core");
	}
	c.counts = c.kinds.kind[0].type->clock_event;
	return c;
}

/* Every number once: only kinds of CPU share one, and these have names. */
static void check_numbers(const char *events)
{
	uint64_t seen = 0;

	for (const char *e = events; e; e = strchr(e, ',') ? strchr(e, ',') + 1 : NULL) {
		const char *value = strchr(e, ':');
		int number = atoi(strchr(value + 1, ':') + 1);

		if (number < 0 || number > 31)
			abort();
		if (!strstr(events, "cpu_") && seen >> number & 1)
			abort();
		seen |= (uint64_t)1 << number;
	}
}

static void plan_again(const struct collector_choice *c, struct setup *s,
		       const struct event_plan *first)
{
	struct op_error e = { "" };
	struct event_plan again;
	char *before, *after;

	event_plan_settle(first, s);
	if (event_plan_make(c, s, &again, &e))
		abort();
	before = event_plan_format(first);
	after = event_plan_format(&again);
	if (!before != !after || (before && strcmp(before, after)))
		abort();
	free(before);
	free(after);
	event_plan_free(&again);
}

static void plan(const struct collector_choice *c, struct setup *s)
{
	struct op_error e = { "" };
	struct event_plan p;
	char *text;

	if (event_plan_make(c, s, &p, &e)) {
		if (!*e.text)
			abort();
		return;
	}
	text = event_plan_format(&p);
	if (text)
		check_numbers(text);
	if (!text && !p.ibs)
		abort();
	free(text);
	plan_again(c, s, &p);
	event_plan_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1), *rest, *line;
	struct collector_choice c;
	struct setup s;

	if (!text || !size) {
		free(text);
		return 0;
	}
	c = choice_of((uint8_t)(data[0] - '0') % (sizeof(machines) / sizeof(machines[0])));
	memcpy(text, data + 1, size - 1);
	setup_init(&s);
	for (rest = text; (line = strsep(&rest, "\n")) && s.nr_events < SETUP_MAX_EVENTS;)
		if (!event_request_parse(line, false, &s.events[s.nr_events], NULL))
			s.nr_events++;
	plan(&c, &s);
	setup_free(&s);
	free(text);
	return 0;
}
