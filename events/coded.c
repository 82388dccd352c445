// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * coded.c - events made from a raw code
 */
#include "events/coded.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "events/encode.h"
#include "events/table/build.h"
#include "libutil/xalloc.h"

struct coded_event {
	struct event event;
	struct unit_mask mask;
	struct mask_set masks;
	struct coded_event *next;
};

static struct coded_event *make(const struct event_table *t, const char *name, uint64_t config)
{
	struct coded_event *c = xcalloc(1, sizeof(*c));
	uint64_t code;

	event_from_config(t->type, config, &code, &c->mask.value, &c->mask.extra);
	c->mask.desc = xstrdup("Part of the raw code");
	c->masks = (struct mask_set){
		.name = xstrdup(name),
		.kind = MASKS_MANDATORY,
		.default_value = c->mask.value,
		.default_mask = &c->mask,
		.masks = &c->mask,
		.nr = 1,
	};
	c->event = (struct event){
		.name = xstrdup(name),
		.desc = xasprintf("Raw code 0x%" PRIx64, config),
		.code = code,
		.counters = ~(uint64_t)0,
		.min_count = EVENT_CODED_MIN,
		.filter = -1,
		.masks = &c->masks,
	};
	return c;
}

const struct event *event_table_add_coded(const struct event_table *t, const char *name,
					  uint64_t config)
{
	char *plain = xstrdup(name);
	struct coded_event *c;

	for (char *p = plain; (p = strchr(p, '.')); p++)
		*p = '_';
	for (c = t->store->coded; c; c = c->next)
		if (!strcmp(c->event.name, plain))
			break;
	if (!c) {
		c = make(t, plain, config);
		c->next = t->store->coded;
		t->store->coded = c;
	}
	free(plain);
	return &c->event;
}

const struct event *event_table_coded(const struct event_table *t, const char *name)
{
	uint64_t config;

	if (!t->type->clock_event || !event_raw_parse(name, &config) ||
	    event_config_unknown(t->type, config))
		return NULL;
	return event_table_add_coded(t, name, config);
}

void coded_events_free(struct event_store *store)
{
	for (struct coded_event *c = store->coded, *next; c; c = next) {
		next = c->next;
		free(c->event.name);
		free(c->event.desc);
		free(c->mask.desc);
		free(c->masks.name);
		free(c);
	}
}
