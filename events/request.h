/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request.h - "NAME:count:unitmask:kernel:user", from the words to a programmable event
 *
 * The one place where an event that somebody typed is read and judged, for opcontrol, ophelp and
 * the daemon. First the form (event_request_parse), then what the CPU's table says of it
 * (event_request_resolve), then the counters of all of them together (event_requests_alloc).
 */
#ifndef EVENTS_REQUEST_H
#define EVENTS_REQUEST_H

#include "events/table/table.h"
#include "events/table/unit_mask.h"
#include "libutil/strbuf.h"

#define EVENT_REQUEST_COUNT_MAX INT32_MAX

struct event_request {
	char name[EVENT_NAME_MAX_LEN + 1];
	uint64_t count;			   /* events per sample; 0 if it was left out */
	char mask[EVENT_NAME_MAX_LEN + 1]; /* as typed, number or name; "": the default */
	bool kernel, user;		   /* what to sample */
};

struct event_choice {
	const struct event *event; /* @table's, or @raw */
	struct mask_choice mask;
	uint64_t count;
	bool kernel, user;
	uint64_t counters; /* that can hold it: the table's, till somebody knows better */
	int counter;	   /* event_requests_alloc(); COUNTER_NONE: needs none */
};

/*
 * Read @text. The count may only be left out (or be empty) with @count_is_optional; kernel and
 * user are 1 unless said. -EINVAL, with what is wrong and how it is written.
 */
int event_request_parse(const char *text, bool count_is_optional, struct event_request *ret,
			struct op_error *e);

/* Append what event_request_parse() reads back: NAME:count:mask:kernel:user. */
void event_request_format(const struct event_request *request, struct strbuf *out);

/*
 * Look @request up in @table. Each sample walks the stack to @callgraph_depth frames, 0 for none:
 * then the least count is EVENT_CALLGRAPH_FACTOR times the event's. @request->count 0 is not
 * judged. -ENOENT: no such event. -ERANGE: count below the least, which is told. -EINVAL: a raw
 * code with bits that the CPU has not. -EINVAL, -ENOTUNIQ: as event_mask_by_number().
 */
#define EVENT_CALLGRAPH_FACTOR 15
int event_request_resolve(const struct event_table *table, const struct event_request *request,
			  unsigned int callgraph_depth, struct event_choice *ret,
			  struct op_error *e);

/*
 * -EINVAL: two are the same event and mask, or are told by the same samples ("ext:") and want
 * other ones.
 */
int event_requests_distinct(const struct event_choice *choices, size_t nr, struct op_error *e);

/*
 * Set every choice's counter. @available: counters that can be had. -EINVAL: they are not
 * distinct. -ENOSPC: they do not fit, and why.
 */
int event_requests_alloc(struct event_choice *choices, size_t nr, uint64_t available,
			 struct op_error *e);

/*
 * The same where counters take turns: counter @n of set @s has number s * @nr_real + n, of which
 * those in @there exist. *ret_sets: as few as will do, 1 if all events are counted all the time.
 * @nr_real: not 0.
 */
int event_requests_alloc_sets(struct event_choice *choices, size_t nr, unsigned int nr_real,
			      uint64_t there, unsigned int *ret_sets, struct op_error *e);

#endif
