// SPDX-License-Identifier: GPL-2.0-or-later
/* plan_tables.c - each event of each CPU can be requested, saved and requested again */
#include "control/plan/plan.h"
#include "events/data.h"
#include "tests/tap.h"

/* Without a number of counters, because all events of a table do not fit on any. */
static struct collector_choice choice_of(const struct cpu_type *type)
{
	struct collector_choice c = { .counts = true, .root = "/nonexistent", .kinds.nr = 1 };

	c.kinds.kind[0].type = type;
	strcpy(c.model, "perf");
	return c;
}

static void check_default(const struct cpu_type *type)
{
	struct collector_choice c = choice_of(type);
	struct event_plan p = { .notes = STRBUF_INIT };
	struct op_error e = { "" };
	struct setup s;

	setup_init(&s);
	CHECK(!event_plan_make(&c, &s, &p, &e) && p.is_default, "%s: %s", type->name, e.text);
	event_plan_free(&p);
	setup_free(&s);
}

/* As many of @t's events as a set-up can have, from number @from on, with their default masks. */
static void check_settled(const struct cpu_type *type, const struct event_table *t, size_t from)
{
	struct collector_choice c = choice_of(type);
	struct event_plan p, again;
	struct op_error e = { "" };
	char *first, *second;
	struct setup s;

	setup_init(&s);
	for (size_t i = from; i < t->nr && s.nr_events < SETUP_MAX_EVENTS; i++) {
		struct event_request *r = &s.events[s.nr_events++];

		*r = (struct event_request){ .count = 100000000, .kernel = true, .user = true };
		strcpy(r->name, t->events[i].name);
		if (t->events[i].ext)
			s.nr_events--;
	}
	if (!s.nr_events || event_plan_make(&c, &s, &p, &e)) {
		CHECK(!s.nr_events, "%s: %s", type->name, e.text);
		setup_free(&s);
		return;
	}
	event_plan_settle(&p, &s);
	CHECK(!event_plan_make(&c, &s, &again, &e), "%s: %s", type->name, e.text);
	first = event_plan_format(&p);
	second = event_plan_format(&again);
	CHECK(first && second && !strcmp(first, second), "%s: %s became %s", type->name, first,
	      second);
	free(first);
	free(second);
	event_plan_free(&p);
	event_plan_free(&again);
	setup_free(&s);
}

TEST(each_event_of_each_table)
{
	const struct cpu_type *type;
	size_t nr = 0;

	for (size_t i = 0; (type = cpu_type_at(i)); i++) {
		struct event_table *t;

		if (!type->clock_event || event_table_open(type, &t, NULL))
			continue;
		check_default(type);
		for (size_t from = 0; from < t->nr; from += SETUP_MAX_EVENTS)
			check_settled(type, t, from);
		nr += t->nr;
		event_table_free(t);
	}
	CHECK(nr > 7000, "%zu events", nr);
}

TEST_MAIN()
