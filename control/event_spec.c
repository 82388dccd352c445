// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event_spec.c - read, write and judge one --event=
 *
 * The only event so far is the clock, sampled by time; the table of a CPU's own events
 * takes the place of event_spec_check()'s one name when counters are programmed.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "event_spec.h"
#include "number.h"
#include "op_abi.h"

#define MAX_FIELDS 5

const struct event_spec event_spec_default = {
	.name = EVENT_DEFAULT_NAME,
	.count = EVENT_DEFAULT_COUNT,
	.kernel = true,
	.user = true,
};

/* Cut @copy at its colons. Returns how many fields there are, at most MAX_FIELDS + 1. */
static int split_fields(char *copy, char *fields[MAX_FIELDS])
{
	int nr = 0;

	for (char *field = copy; field; nr++) {
		char *colon = strchr(field, ':');

		if (nr == MAX_FIELDS)
			return MAX_FIELDS + 1;
		if (colon)
			*colon++ = '\0';
		fields[nr] = field;
		field = colon;
	}
	return nr;
}

static bool name_ok(const char *name)
{
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_' && *p != '-')
			return false;
	return *name && strlen(name) < EVENT_NAME_MAX;
}

static int parse_flag(const char *text, const char *what, const char *spec, bool *ret,
		      struct op_error *e)
{
	if (strcmp(text, "0") && strcmp(text, "1"))
		return op_error_set(e, -EINVAL, "event '%s': %s must be 0 or 1, not '%s'", spec,
				    what, text);
	*ret = *text == '1';
	return 0;
}

static int parse_fields(char *const fields[], int nr, const char *text, struct event_spec *s,
			struct op_error *e)
{
	if (!name_ok(fields[0]))
		return op_error_set(e, -EINVAL, "event '%s': '%s' is not an event name", text,
				    fields[0]);
	strcpy(s->name, fields[0]);

	if (nr < 2)
		return op_error_set(e, -EINVAL,
				    "event '%s': the count is missing; try --event=%s:%d", text,
				    s->name, EVENT_DEFAULT_COUNT);
	if (number_parse_range(fields[1], 1, EVENT_COUNT_MAX, &s->count))
		return op_error_set(e, -EINVAL,
				    "event '%s': the count must be a number from 1 to %d, not '%s'",
				    text, EVENT_COUNT_MAX, fields[1]);
	if (nr > 2 && number_parse_range(fields[2], 0, UINT32_MAX, &s->unit_mask))
		return op_error_set(e, -EINVAL,
				    "event '%s': the unit mask must be a number, not '%s'", text,
				    fields[2]);
	if (nr > 3 && parse_flag(fields[3], "the kernel flag", text, &s->kernel, e))
		return -EINVAL;
	if (nr > 4 && parse_flag(fields[4], "the user flag", text, &s->user, e))
		return -EINVAL;
	if (!s->kernel && !s->user)
		return op_error_set(e, -EINVAL,
				    "event '%s': with kernel and user both 0 nothing is sampled",
				    text);
	return 0;
}

int event_spec_parse(const char *text, struct event_spec *ret, struct op_error *e)
{
	struct event_spec s = { .kernel = true, .user = true };
	char copy[256], *fields[MAX_FIELDS];
	int nr, err;

	if (strlen(text) >= sizeof(copy))
		return op_error_set(e, -EINVAL, "event '%.40s...': too long", text);
	strcpy(copy, text);
	nr = split_fields(copy, fields);
	if (nr > MAX_FIELDS)
		return op_error_set(e, -EINVAL,
				    "event '%s': more than NAME:count:unitmask:kernel:user", text);
	err = parse_fields(fields, nr, text, &s, e);
	if (!err)
		*ret = s;
	return err;
}

void event_spec_format(const struct event_spec *s, struct strbuf *out)
{
	strbuf_addf(out, "%s:%" PRIu64 ":%" PRIu64 ":%d:%d", s->name, s->count, s->unit_mask,
		    s->kernel, s->user);
}

bool event_spec_same(const struct event_spec *a, const struct event_spec *b)
{
	return !strcmp(a->name, b->name) && a->unit_mask == b->unit_mask;
}

uint64_t event_min_count(uint64_t clock_khz)
{
	return (OP_TIMER_MIN_PERIOD_NS * clock_khz + 999999) / 1000000;
}

int event_spec_check(const struct event_spec *s, uint64_t clock_khz, struct op_error *e)
{
	uint64_t least = event_min_count(clock_khz);

	if (strcmp(s->name, EVENT_DEFAULT_NAME))
		return op_error_set(e, -ENOENT,
				    "no such event '%s': this version knows " EVENT_DEFAULT_NAME
				    " only, since it does not program hardware counters yet",
				    s->name);
	if (s->unit_mask)
		return op_error_set(e, -EINVAL,
				    "event '%s': it has no unit mask %#" PRIx64 ", only 0", s->name,
				    s->unit_mask);
	if (s->count < least)
		return op_error_set(e, -ERANGE,
				    "event '%s': count %" PRIu64 " is below the minimum, %" PRIu64
				    " at this machine's %" PRIu64 " MHz", s->name, s->count, least,
				    clock_khz / 1000);
	return 0;
}
