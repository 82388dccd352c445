// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event_resolve.c - what the CPU's table says of the events that were asked for
 */
#include "event_request.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "counter_alloc.h"
#include "event_coded.h"
#include "pfm_names.h"
#include "table_build.h"
#include "event_coded.h"
#include "pfm_names.h"
#include "table_build.h"
#include "xalloc.h"

static int check_count(const struct event *event, uint64_t count, unsigned int callgraph_depth,
		       struct op_error *e)
{
	uint64_t least = event->min_count;

	if (callgraph_depth)
		least *= EVENT_CALLGRAPH_FACTOR;
	if (!count || count >= least)
		return 0;
	return op_error_set(e, -ERANGE,
			    "event '%s': count %" PRIu64 " is below the minimum, %" PRIu64 "%s",
			    event->name, count, least, callgraph_depth ? " with call graphs" : "");
}

/* By raw code, or as libpfm4 calls it. [EV-32, EV-33] */
static const struct event *not_in_table(const struct event_table *table, const char *name)
{
	const struct event *event = event_table_coded(table, name);
	uint64_t config;

	if (event || !table->store->is_this_machine || !pfm_name_config(name, &config))
		return event;
	return event_table_add_coded(table, name, config);
}

int event_request_resolve(const struct event_table *table, const struct event_request *r,
			  unsigned int callgraph_depth, struct event_choice *ret,
			  struct op_error *e)
{
	const struct event *event = event_table_find(table, r->name);
	struct event_choice c = {
		.count = r->count, .kernel = r->kernel, .user = r->user, .counter = COUNTER_NONE
	};
	int err;

	if (!event)
		event = not_in_table(table, r->name);
	if (!event)
		return op_error_set(e, -ENOENT,
				    "no such event '%s' on %s; 'ophelp' lists its events", r->name,
				    table->type->pretty);
	c.event = event;
	err = event_mask_parse(event, r->mask, &c.mask, e);
	if (!err)
		err = check_count(event, r->count, callgraph_depth, e);
	if (!err)
		*ret = c;
	return err;
}

static int check_distinct(const struct event_choice *c, size_t nr, struct op_error *e)
{
	for (size_t i = 0; i < nr; i++)
		for (size_t j = i + 1; j < nr; j++)
			if (c[i].event == c[j].event && c[i].mask.value == c[j].mask.value &&
			    c[i].mask.extra == c[j].mask.extra)
				return op_error_set(e, -EINVAL,
						    "event '%s' with unit mask 0x%02" PRIx32
						    " is asked for "
						    "twice; all events must be distinct",
						    c[i].event->name, c[i].mask.value);
	return 0;
}

static int count_bits(uint64_t bits)
{
	return __builtin_popcountll(bits);
}

static int tell_no_room(const struct event_choice *c, size_t nr, uint64_t available,
			struct op_error *e)
{
	int need = 0;

	for (size_t i = 0; i < nr; i++)
		need += !c[i].event->ext;
	if (need > count_bits(available))
		return op_error_set(e, -ENOSPC,
				    "not enough hardware counters: need %d, have %d; profile fewer "
				    "events at a time",
				    need, count_bits(available));
	return op_error_set(e, -ENOSPC,
			    "these %d events cannot be counted at once, since some can "
			    "use the same counters only; 'ophelp' lists which",
			    need);
}

int event_requests_alloc(struct event_choice *choices, size_t nr, uint64_t available,
			 struct op_error *e)
{
	uint64_t *allowed;
	int *counters, err;

	err = check_distinct(choices, nr, e);
	if (err)
		return err;
	allowed = xcalloc(nr + 1, sizeof(*allowed));
	counters = xcalloc(nr + 1, sizeof(*counters));
	for (size_t i = 0; i < nr; i++)
		allowed[i] = choices[i].event->ext ? 0 : choices[i].event->counters;
	for (size_t i = 0; i < nr && !err; i++) /* 0 would be "needs none" below */
		err = allowed[i] || choices[i].event->ext ? 0 : -ENOSPC;
	if (!err)
		err = counter_alloc(allowed, nr, available, counters);
	if (err)
		tell_no_room(choices, nr, available, e);
	for (size_t i = 0; i < nr && !err; i++)
		choices[i].counter = counters[i];
	free(allowed);
	free(counters);
	return err;
}
