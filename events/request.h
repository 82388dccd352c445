/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request.h - "NAME:count:unitmask:kernel:user", from the text to a programmable event
 *
 * The one place where an event that a user typed is parsed and checked, for opcontrol, ophelp and
 * the daemon: the syntax (event_request_parse), the CPU's table (event_request_resolve), then the
 * counters of all events together (event_requests_alloc).
 */
#ifndef EVENTS_REQUEST_H
#define EVENTS_REQUEST_H

#include "events/table/table.h"
#include "events/table/unit_mask.h"
#include "libutil/strbuf.h"

#define EVENT_REQUEST_COUNT_MAX INT32_MAX

struct event_request {
	char name[EVENT_NAME_MAX_LEN + 1];
	uint64_t count;			   /* events per sample; 0 if missing */
	char mask[EVENT_NAME_MAX_LEN + 1]; /* number or name as typed; "": the default */
	bool kernel, user;		   /* what to sample */
};

struct event_choice {
	const struct event *event; /* owned by the table */
	struct mask_choice mask;
	uint64_t count;
	bool kernel, user;
	uint64_t counters; /* that can hold it, by the table; callers may restrict them */
	int counter;	   /* event_requests_alloc(); COUNTER_NONE: needs none */
};

/*
 * Parse @text. Without @count_is_optional a missing or empty count is an error. kernel and user
 * default to 1. -EINVAL: malformed.
 */
int event_request_parse(const char *text, bool count_is_optional, struct event_request *ret,
			struct op_error *e);

/* Append NAME:count:mask:kernel:user, which event_request_parse() accepts. */
void event_request_format(const struct event_request *request, struct strbuf *out);

/*
 * Look @request up in @table. With a @callgraph_depth other than 0 each sample walks the stack, and
 * the minimum count is EVENT_CALLGRAPH_FACTOR times the event's. A count of 0 is not checked.
 * -ENOENT: no such event. -ERANGE: count below the minimum. -EINVAL: raw code with bits that the
 * CPU does not have. -EINVAL, -ENOTUNIQ: as event_mask_by_number().
 */
#define EVENT_CALLGRAPH_FACTOR 15
int event_request_resolve(const struct event_table *table, const struct event_request *request,
			  unsigned int callgraph_depth, struct event_choice *ret,
			  struct op_error *e);

/*
 * -EINVAL: two have the same event and mask, or share their samples ("ext:") and differ in what
 * they sample.
 */
int event_requests_distinct(const struct event_choice *choices, size_t nr, struct op_error *e);

/*
 * Set every choice's counter. @available: free counters. -EINVAL: not distinct. -ENOSPC: the events
 * do not fit.
 */
int event_requests_alloc(struct event_choice *choices, size_t nr, uint64_t available,
			 struct op_error *e);

/*
 * The same with counters that take turns: counter n of set s has number s * @nr_real + n; those in
 * @existing exist. *ret_sets: the fewest that suffice, 1 if all events are counted all the time.
 * @nr_real: not 0.
 */
int event_requests_alloc_sets(struct event_choice *choices, size_t nr, unsigned int nr_real,
			      uint64_t existing, unsigned int *ret_sets, struct op_error *e);

#endif
