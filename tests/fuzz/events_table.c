/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events_table.c - an "events" file, a line of "---", a "unit_masks" file, another such line, and
 * requests; what loads is asked for all it has
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "events/counter_alloc.h"
#include "events/data.h"
#include "events/request.h"

#define MAX_CHOICES 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Cut @text after its first line of dashes; returns what is behind. */
static char *cut(char *text)
{
	char *line = strstr(text, "---\n");

	if (!line)
		return text + strlen(text);
	*line = '\0';
	return line + 4;
}

static void use(const struct event_table *t, char *requests)
{
	struct event_choice choices[MAX_CHOICES];
	struct event_description d;
	struct op_error e;
	size_t nr = 0;

	for (size_t i = 0; i < t->nr; i++)
		event_describe(t, t->events[i].name, t->events[i].code,
			       t->events[i].masks->default_value, true, &d);
	for (char *line = strtok(requests, "\n"); line && nr < MAX_CHOICES;
	     line = strtok(NULL, "\n")) {
		struct event_request r;

		if (!event_request_parse(line, true, &r, &e) &&
		    !event_request_resolve(t, &r, 0, &choices[nr], &e))
			nr++;
	}
	event_requests_alloc(choices, nr, 0xf, &e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_table *t = NULL;
	char *text, *masks, *requests;
	struct op_error e;

	if (size > 20000)
		return 0;
	text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	masks = cut(text);
	requests = cut(masks);
	if (!event_table_parse(text, masks, cpu_type_by_name("i386/nehalem"), 0, &t, &e))
		use(t, requests);
	event_table_free(t);
	free(text);
	return 0;
}
