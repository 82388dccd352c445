// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resolve.c - look requested events up in the CPU's table, and give them counters
 */
#include "events/request.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "events/coded.h"
#include "events/counter_alloc.h"
#include "events/cpu/pfm_names.h"
#include "events/encode.h"
#include "events/table/build.h"
#include "libutil/xalloc.h"

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

/* An event by its raw code or libpfm4's name. [EV-32, EV-33] */
static const struct event *find_coded(const struct event_table *table, const char *name)
{
	const struct event *event = event_table_coded(table, name);
	uint64_t config;

	if (event || !table->store->is_this_machine || !pfm_name_config(name, &config) ||
	    event_config_unknown(table->type, config))
		return event;
	return event_table_add_coded(table, name, config);
}

static int no_such_event(const struct event_table *table, const char *name, struct op_error *e)
{
	uint64_t config;

	if (table->type->clock_event && event_raw_parse(name, &config))
		return op_error_set(e, -EINVAL,
				    "event '%s': unsupported bits 0x%" PRIx64 " on %s", name,
				    event_config_unknown(table->type, config),
				    table->type->pretty);
	return op_error_set(e, -ENOENT, "no such event '%s' on %s; 'ophelp' lists its events", name,
			    table->type->pretty);
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
		event = find_coded(table, r->name);
	if (!event)
		return no_such_event(table, r->name, e);
	c.event = event;
	c.counters = event->counters;
	err = event_mask_parse(event, r->mask, &c.mask, e);
	if (!err)
		err = check_count(event, r->count, callgraph_depth, e);
	if (!err)
		*ret = c;
	return err;
}

static int check_two(const struct event_choice *a, const struct event_choice *b, struct op_error *e)
{
	if (a->event == b->event && a->mask.value == b->mask.value &&
	    a->mask.extra == b->mask.extra)
		return op_error_set(e, -EINVAL, "event '%s' with unit mask 0x%02" PRIx32
				    " was given twice; all events must be distinct",
				    a->event->name, a->mask.value);
	if (a->event->ext && b->event->ext && !strcmp(a->event->ext, b->event->ext) &&
	    (a->count != b->count || a->mask.value != b->mask.value || a->kernel != b->kernel ||
	     a->user != b->user))
		return op_error_set(e, -EINVAL, "events '%s' and '%s' are read from the same "
				    "samples; give them the same count, unit mask, kernel and user "
				    "flags", a->event->name, b->event->name);
	return 0;
}

int event_requests_distinct(const struct event_choice *c, size_t nr, struct op_error *e)
{
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++)
		for (size_t j = i + 1; j < nr && !err; j++)
			err = check_two(&c[i], &c[j], e);
	return err;
}

static int count_bits(uint64_t bits)
{
	return __builtin_popcountll(bits);
}

static int no_room_error(const struct event_choice *c, size_t nr, uint64_t available,
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
	for (size_t i = 0; i < nr; i++)
		if (!c[i].event->ext && !(c[i].counters & available))
			return op_error_set(e, -ENOSPC,
					    "event '%s' cannot be counted: none of the %d counters "
					    "can hold it; 'ophelp' lists its counters",
					    c[i].event->name, count_bits(available));
	return op_error_set(e, -ENOSPC,
			    "these %d events cannot be counted at once: some need the same "
			    "counter; 'ophelp' lists the counters of each event",
			    need);
}

/* @counters of one set, repeated for the first @sets sets. */
static uint64_t in_sets(uint64_t counters, unsigned int nr_real, unsigned int sets)
{
	uint64_t all = 0;

	for (unsigned int s = 0; s < sets && s * nr_real < EVENT_COUNTERS_MAX; s++)
		all |= (counters & counters_below(nr_real)) << s * nr_real;
	return all;
}

static int alloc_in(struct event_choice *choices, size_t nr, unsigned int nr_real,
		    unsigned int sets, uint64_t existing)
{
	uint64_t *allowed = xcalloc(nr + 1, sizeof(*allowed));
	int *counters = xcalloc(nr + 1, sizeof(*counters)), err = 0;

	for (size_t i = 0; i < nr && !err; i++) {
		if (choices[i].event->ext)
			continue;
		allowed[i] = in_sets(choices[i].counters, nr_real, sets) & existing;
		err = allowed[i] ? 0 : -ENOSPC;	/* 0 would mean "needs none" below */
	}
	if (!err)
		err = counter_alloc(allowed, nr, existing, counters);
	for (size_t i = 0; i < nr && !err; i++)
		choices[i].counter = counters[i];
	free(allowed);
	free(counters);
	return err;
}

int event_requests_alloc(struct event_choice *choices, size_t nr, uint64_t available,
			 struct op_error *e)
{
	int err = event_requests_distinct(choices, nr, e);

	if (err)
		return err;
	err = alloc_in(choices, nr, EVENT_COUNTERS_MAX, 1, available);
	return err ? no_room_error(choices, nr, available, e) : 0;
}

int event_requests_alloc_sets(struct event_choice *choices, size_t nr, unsigned int nr_real,
			      uint64_t existing, unsigned int *ret_sets, struct op_error *e)
{
	int err = event_requests_distinct(choices, nr, e);
	unsigned int sets = 0;

	if (err)
		return err;
	do {
		sets++;
		err = alloc_in(choices, nr, nr_real, sets,
			       existing & counters_below(sets * nr_real));
	} while (err && existing & ~counters_below(sets * nr_real));
	if (err)
		return no_room_error(choices, nr,
				     sets > 1 ? existing : existing & counters_below(nr_real), e);
	*ret_sets = sets;
	return 0;
}
