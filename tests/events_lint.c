// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * events_lint.c - check every event table below a folder
 *
 *	events-lint DIR		(make events-lint)
 *
 * Prints errors as a compiler does; exit status 1 if there are any. Beyond what loading checks
 * [EV-10..16]: each table names its source, the clock and the default event exist, and the masks of
 * a set have different names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/counter_alloc.h"
#include "events/request.h"
#include "libutil/file.h"
#include "libutil/strbuf.h"

static unsigned int nr_errors;

static void error(const char *type, const char *subject, const char *what)
{
	printf("%s: %s%s%s\n", type, subject, *subject ? ": " : "", what);
	nr_errors++;
}

static void check_source(const char *dir, const char *type, const char *file)
{
	char *path, *text;
	struct strbuf s = STRBUF_INIT;

	strbuf_addf(&s, "%s/%s/%s", dir, type, file);
	path = strbuf_steal(&s);
	if (file_read_all(path, 4 << 20, &text, NULL)) {
		error(type, file, "cannot read the file");
	} else {
		if (!strstr(text, "source:") && !strstr(text, "see events"))
			error(type, file, "missing comment '# source: ...'");
		free(text);
	}
	free(path);
}

static void check_names(const struct event_table *t, const struct event *event)
{
	const struct mask_set *s = event->masks;

	for (size_t i = 0; i < s->nr; i++)
		for (size_t j = i + 1; j < s->nr; j++)
			if (s->masks[i].name && s->masks[j].name &&
			    !strcmp(s->masks[i].name, s->masks[j].name))
				error(t->type->name, event->name, "duplicate name of a unit mask");
}

/* The default event must be valid and countable. */
static void check_default(const struct event_table *t)
{
	const char *text = t->type->default_event;
	struct event_request request;
	struct event_choice choice;
	struct op_error e;

	if (!text || !event_table_find(t, CPU_CLOCK_EVENT)) {
		error(t->type->name, CPU_CLOCK_EVENT, "no event for cycles");
		return;
	}
	if (event_request_parse(text, false, &request, &e) ||
	    event_request_resolve(t, &request, 0, &choice, &e) ||
	    event_requests_alloc(&choice, 1, ~(uint64_t)0, &e))
		error(t->type->name, "default event", e.text);
}

static void lint(const char *dir, const struct cpu_type *type, unsigned int *nr_tables,
		 size_t *nr_events)
{
	struct event_table *t = NULL;
	struct op_error e;
	int err = event_table_load(dir, type, type->nr_counters ? 0 : 4, &t, &e);

	if (err) {
		printf("%s\n", e.text);
		nr_errors++;
		return;
	}
	++*nr_tables;
	*nr_events += t->nr;
	check_source(dir, type->name, "events");
	check_source(dir, type->name, "unit_masks");
	check_default(t);
	for (size_t i = 0; i < t->nr; i++)
		check_names(t, &t->events[i]);
	event_table_free(t);
}

int main(int argc, char **argv)
{
	unsigned int nr_tables = 0;
	size_t nr_events = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: events-lint DIR\n");
		return 1;
	}
	for (size_t i = 0; cpu_type_at(i); i++) {
		const struct cpu_type *type = cpu_type_at(i);
		struct strbuf path = STRBUF_INIT;

		strbuf_addf(&path, "%s/%s", argv[1], type->name);
		if (file_is_dir(path.text))
			lint(argv[1], type, &nr_tables, &nr_events);
		strbuf_free(&path);
	}
	if (!nr_tables)
		error(argv[1], "", "no event table found");
	printf("%u tables, %zu events, %u errors\n", nr_tables, nr_events, nr_errors);
	return nr_errors ? 1 : 0;
}
