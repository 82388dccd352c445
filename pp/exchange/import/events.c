// SPDX-License-Identifier: GPL-2.0-or-later
/* events.c - name a profile's events in a session, and scale their counts */
#include "pp/exchange/import/samples.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/odb/odb.h"
#include "libutil/xalloc.h"

static char *event_name(const struct profile *p, const struct profile_event *e)
{
	char *name = xstrdup(profile_text(p, e->name));

	if (strlen(name) > 100)
		name[100] = '\0';
	for (char *c = name; *c; c++)
		if (*c == '.' || *c == '/' || (unsigned char)*c <= ' ' || *c == 0x7f || *c == '{')
			*c = '_';
	if (*name)
		return name;
	free(name);
	return xstrdup("samples");
}

static bool is_time(const struct profile *p, const struct profile_event *e)
{
	return e->period && !strcmp(profile_text(p, e->unit), "nanoseconds");
}

/* The first event that counts time becomes the TIMER of the original's tools. */
static void name_event(struct importer *m, struct import_event *e, bool *has_timer)
{
	uint64_t period = e->of.period ? e->of.period : 1;

	free(e->name);
	if (is_time(m->p, &e->of) && !*has_timer) {
		*has_timer = true;
		e->name = xstrdup("TIMER");
		e->count = 0;
		return;
	}
	e->name = event_name(m->p, &e->of);
	e->count = period > UINT32_MAX / e->divisor ? 0 : period * e->divisor;
	for (const struct import_event *other = m->events; other < e; other++)
		if (!strcmp(other->name, e->name) && other->count == e->count &&
		    other->of.unit_mask == e->of.unit_mask) {
			free(e->name);
			e->name = xasprintf("event_%td", e - m->events);
		}
}

void import_events_make(struct importer *m, struct imported *imported, struct notices *notices)
{
	bool has_timer = false;

	m->events = xcalloc((size_t)m->p->nr_events + 1, sizeof(*m->events));
	for (uint32_t i = 0; i < m->p->nr_events; i++)
		m->events[i] = (struct import_event){ .of = m->p->events[i], .divisor = 1 };
	for (size_t i = 0; i < m->nr; i++) {
		struct import_event *e = &m->events[m->files[m->records[i].file].event];

		while (m->records[i].count / e->divisor >= ODB_COUNT_MAX)
			e->divisor *= 10;
	}
	for (uint32_t i = 0; i < m->p->nr_events; i++) {
		struct import_event *e = &m->events[i];
		const char *name = profile_text(m->p, e->of.name);

		name_event(m, e, &has_timer);
		if (e->divisor > 1)
			notice_add(notices, "%s: counts divided by %" PRIu64 " to fit into the 32 "
				   "bits of sample files", name, e->divisor);
		imported_add_event(imported, &(struct imported_event){
			.event = e->name, .count = e->count, .unit_mask = e->of.unit_mask,
			.name = (char *)name, .unit = (char *)profile_text(m->p, e->of.unit),
			.period = e->of.period ? e->of.period * e->divisor
				: e->divisor > 1 ? e->divisor : 0 });
	}
}
