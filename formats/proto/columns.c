// SPDX-License-Identifier: GPL-2.0-or-later
/* columns.c - convert between columns and events */
#include "formats/proto/columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/profile/saturate.h"
#include "libutil/xalloc.h"

#define COMMENT_START	"event: sample_type="

static void clear_meaning(struct proto_column *c)
{
	free(c->event_name);
	c->event_name = NULL;
	c->event = PROTO_ALL_EVENTS;
	c->period = 0;
	c->unit_mask = 0;
}

void proto_columns_free(struct proto_columns *c)
{
	for (uint32_t i = 0; i < c->nr; i++) {
		clear_meaning(&c->columns[i]);
		free(c->columns[i].name);
		free(c->columns[i].unit);
	}
	free(c->columns);
	*c = (struct proto_columns){ NULL, 0, 0, 0, false, false };
}

void proto_columns_add(struct proto_columns *c, const char *name, const char *unit)
{
	xgrow(c->columns, c->nr, c->room);
	c->columns[c->nr++] = (struct proto_column){
		.name = xstrdup(name), .unit = xstrdup(unit), .event = PROTO_ALL_EVENTS,
	};
}

static bool is_samples(const struct proto_column *c)
{
	return (!strcmp(c->name, "samples") || !strcmp(c->name, "sample")) &&
	       !strcmp(c->unit, "count");
}

/* Pyroscope gives '-' another meaning. [PP-13] */
static char *type_name(const char *name)
{
	char *made = xstrdup(*name ? name : "event");

	for (char *at = made; *at; at++)
		if (*at == '-')
			*at = '_';
	return made;
}

static bool has_column(const struct proto_columns *c, const char *name)
{
	for (uint32_t i = 0; i < c->nr; i++)
		if (!strcmp(c->columns[i].name, name))
			return true;
	return false;
}

/* Events may differ only in their unit masks, but names of columns must be unique. [PP-13] */
static char *unique_name(const struct proto_columns *c, const struct profile_event *event,
			 const char *wanted)
{
	char *base = type_name(wanted), *name = xstrdup(base);

	for (uint32_t n = 2; has_column(c, name); n++) {
		free(name);
		name = n == 2 && event->unit_mask ?
			xasprintf("%s:0x%" PRIx64, base, event->unit_mask) :
			xasprintf("%s_%" PRIu32, base, n);
	}
	free(base);
	return name;
}

static void add_event(struct proto_columns *c, const struct profile *p, uint32_t event)
{
	const struct profile_event *e = &p->events[event];
	const char *wanted = profile_text(p, e->name);
	char *name = unique_name(c, e, wanted);
	struct proto_column *column;

	proto_columns_add(c, name, profile_text(p, e->unit));
	column = &c->columns[c->nr - 1];
	column->event = event;
	column->event_name = xstrdup(wanted);
	column->period = e->period;
	column->unit_mask = e->unit_mask;
	if (e->unit_mask || strcmp(name, wanted))
		c->has_comments = true;
	free(name);
}

/* The main event comes first in a profile, and last in the file, where viewers look. [PP-12] */
void proto_columns_make(const struct profile *p, struct proto_columns *c)
{
	*c = (struct proto_columns){ .nr_events = p->nr_events };
	for (uint32_t i = 0; i < p->nr_events; i++)
		c->has_samples |= p->events[i].period != 0;
	if (c->has_samples)
		proto_columns_add(c, "samples", "count");
	for (uint32_t i = 0; i < p->nr_events; i++)
		add_event(c, p, c->has_samples ? p->nr_events - 1 - i : i);
	if (c->has_samples ? p->nr_events > 1 : c->nr == 2 && is_samples(&c->columns[0]))
		c->has_comments = true;
}

char *proto_columns_comment(const struct proto_columns *c, uint32_t column)
{
	const struct proto_column *t = &c->columns[column];

	return xasprintf(COMMENT_START "%" PRIu32 " period=%" PRIu64 " unit_mask=0x%" PRIx64
			 " name=%s", column, t->period, t->unit_mask, t->event_name);
}

bool proto_is_column_comment(const char *comment)
{
	return !strncmp(comment, COMMENT_START, strlen(COMMENT_START));
}

bool proto_columns_parse_comment(struct proto_columns *c, const char *comment)
{
	struct proto_column *t;
	uint64_t period, unit_mask;
	uint32_t column;
	int name = 0;

	if (sscanf(comment, COMMENT_START "%" SCNu32 " period=%" SCNu64 " unit_mask=%" SCNx64
		   " name=%n", &column, &period, &unit_mask, &name) != 3 || !name ||
	    column >= c->nr || c->columns[column].event_name)
		return false;
	t = &c->columns[column];
	t->event = c->nr_events++;
	t->event_name = xstrdup(comment + name);
	t->period = period;
	t->unit_mask = unit_mask;
	c->has_comments = true;
	return true;
}

void proto_columns_make_plain(struct proto_columns *c)
{
	for (uint32_t i = 0; i < c->nr; i++) {
		clear_meaning(&c->columns[i]);
		c->columns[i].event = i;
	}
	c->nr_events = c->nr;
	c->has_samples = c->has_comments = false;
}

/* Do comments describe all columns, apart from one with the samples? */
static bool is_complete(struct proto_columns *c)
{
	for (uint32_t i = 0; i < c->nr; i++)
		c->has_samples |= c->columns[i].period != 0;
	for (uint32_t i = c->has_samples; i < c->nr; i++)
		if (c->columns[i].event == PROTO_ALL_EVENTS)
			return false;
	return !c->has_samples || (is_samples(&c->columns[0]) &&
			       c->columns[0].event == PROTO_ALL_EVENTS);
}

/* [PP-15] [PP-16] */
void proto_columns_resolve(struct proto_columns *c, uint64_t period)
{
	if (c->has_comments && is_complete(c))
		return;
	proto_columns_make_plain(c);
	if (c->nr != 2 || !is_samples(&c->columns[0]))
		return;
	c->columns[0].event = PROTO_ALL_EVENTS;
	c->columns[1].event = 0;
	c->columns[1].period = period;
	c->nr_events = 1;
	c->has_samples = true;
}

/* [PP-16] [PP-17] */
bool proto_columns_accept(struct proto_columns *c, const int64_t *row)
{
	int64_t samples = 0;

	if (!c->has_samples)
		return true;
	/* the file has no period, so the first row with samples defines it */
	if (!c->has_comments && !c->columns[1].period && row[0] > 0 && row[1] > 0 &&
	    !(row[1] % row[0]))
		c->columns[1].period = (uint64_t)(row[1] / row[0]);
	for (uint32_t i = 1; i < c->nr; i++) {
		uint64_t period = c->columns[i].period;

		if (!period)
			continue;
		if (period > INT64_MAX || row[i] % (int64_t)period)
			return false;
		samples = add_saturated(samples, row[i] / (int64_t)period);
	}
	return samples == row[0];
}

void proto_columns_add_events(const struct proto_columns *c, struct profile *p)
{
	for (uint32_t event = 0; event < c->nr_events; event++)
		for (uint32_t i = 0; i < c->nr; i++) {
			const struct proto_column *t = &c->columns[i];
			const char *name = t->event_name ? t->event_name : t->name;
			struct profile_event e = { .period = t->period, .unit_mask = t->unit_mask };

			if (t->event != event)
				continue;
			e.name = profile_string(p, name);
			e.unit = profile_string(p, t->unit);
			profile_add_event(p, &e);
		}
}

void proto_columns_convert(const struct proto_columns *c, const int64_t *row, int64_t *values)
{
	for (uint32_t i = c->has_samples; i < c->nr; i++) {
		const struct proto_column *t = &c->columns[i];

		values[t->event] = t->period ? row[i] / (int64_t)t->period : row[i];
	}
}
