/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_spec.h - an event as the user asks for it: NAME:count[:unitmask[:kernel[:user]]]
 *
 * "CPU_CLK_UNHALTED:100000" is a sample every 100000 events; unit mask 0 and both kernel and
 * user unless said otherwise. The word "default" is not an event: setup.h deals with it.
 */
#ifndef EVENT_SPEC_H
#define EVENT_SPEC_H

#include <stdbool.h>
#include <stdint.h>
#include "error.h"
#include "strbuf.h"

#define EVENT_NAME_MAX		64
#define EVENT_COUNT_MAX		INT32_MAX
#define EVENT_DEFAULT_NAME	"CPU_CLK_UNHALTED"
#define EVENT_DEFAULT_COUNT	100000

struct event_spec {
	char name[EVENT_NAME_MAX];
	uint64_t count;			/* events per sample */
	uint64_t unit_mask;
	bool kernel, user;		/* which side to sample; never both false */
};

extern const struct event_spec event_spec_default;

/* The form only: whether there is such an event is event_spec_check()'s. -EINVAL. */
int event_spec_parse(const char *text, struct event_spec *ret, struct op_error *e);

/* Append all five fields: what event_spec_parse() reads back as the same. */
void event_spec_format(const struct event_spec *spec, struct strbuf *out);

bool event_spec_same(const struct event_spec *a, const struct event_spec *b); /* not distinct */

/*
 * Whether this machine, whose CPUs nominally run at @clock_khz, can sample it.
 * -ENOENT: no such event. -ERANGE: the count is below the least one. -EINVAL: its unit mask.
 */
int event_spec_check(const struct event_spec *spec, uint64_t clock_khz, struct op_error *e);

/* The least count for CPU_CLK_UNHALTED, which keeps the machine usable (OP_TIMER_MIN_PERIOD_NS). */
uint64_t event_min_count(uint64_t clock_khz);

#endif
