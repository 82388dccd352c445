// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * request.c - parse an event as the user types it
 */
#include "events/request.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "libutil/number.h"

#define MAX_FIELDS 5
#define FORM "NAME:count:unitmask:kernel:user"

/* Split @copy at its colons. Returns the number of fields, at most MAX_FIELDS + 1. */
static unsigned int split(char *copy, char *fields[MAX_FIELDS])
{
	unsigned int nr = 0;

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

static int parse_count(const char *text, const char *field, bool is_optional,
		       struct event_request *r, struct op_error *e)
{
	if (!field || !*field) {
		if (is_optional)
			return 0;
		return op_error_set(e, -EINVAL,
				    "event '%s': missing count, as in %s:100000", text, r->name);
	}
	if (number_parse_range(field, 1, EVENT_REQUEST_COUNT_MAX, &r->count))
		return op_error_set(e, -EINVAL,
				    "event '%s': invalid count '%s': expected 1 to %d", text, field,
				    EVENT_REQUEST_COUNT_MAX);
	return 0;
}

static int parse_flag(const char *text, const char *field, const char *what, bool *ret,
		      struct op_error *e)
{
	if (!field || !*field)
		return 0;
	if (strcmp(field, "0") && strcmp(field, "1"))
		return op_error_set(e, -EINVAL, "event '%s': invalid %s '%s': expected 0 or 1",
				    text, what, field);
	*ret = *field == '1';
	return 0;
}

static bool fits_name(const char *field)
{
	return *field && strlen(field) <= EVENT_NAME_MAX_LEN && !strpbrk(field, "/ \t\n");
}

static int parse_fields(const char *text, char *const fields[], bool count_is_optional,
			struct event_request *r, struct op_error *e)
{
	int err;

	if (!fits_name(fields[0]))
		return op_error_set(e, -EINVAL,
				    "event '%s': invalid name '%s'; expected " FORM, text,
				    fields[0]);
	strcpy(r->name, fields[0]);
	err = parse_count(text, fields[1], count_is_optional, r, e);
	if (err)
		return err;
	if (fields[2] && *fields[2] && !fits_name(fields[2]))
		return op_error_set(e, -EINVAL,
				    "event '%s': invalid unit mask '%s': expected a number or "
				    "a name",
				    text, fields[2]);
	if (fields[2])
		strcpy(r->mask, fields[2]);
	err = parse_flag(text, fields[3], "kernel flag", &r->kernel, e);
	if (!err)
		err = parse_flag(text, fields[4], "user flag", &r->user, e);
	if (!err && !r->kernel && !r->user)
		err = op_error_set(e, -EINVAL,
				   "event '%s': kernel and user are both 0: nothing to sample; "
				   "set one of them to 1",
				   text);
	return err;
}

int event_request_parse(const char *text, bool count_is_optional, struct event_request *ret,
			struct op_error *e)
{
	struct event_request r = { .kernel = true, .user = true };
	char copy[256], *fields[MAX_FIELDS] = { NULL };
	int err;

	if (strlen(text) >= sizeof(copy))
		return op_error_set(e, -EINVAL,
				    "event '%.40s...': too long; expected " FORM, text);
	strcpy(copy, text);
	if (split(copy, fields) > MAX_FIELDS)
		return op_error_set(e, -EINVAL, "event '%s': too many fields; expected " FORM,
				    text);
	err = parse_fields(text, fields, count_is_optional, &r, e);
	if (!err)
		*ret = r;
	return err;
}

void event_request_format(const struct event_request *r, struct strbuf *out)
{
	strbuf_addf(out, "%s:%" PRIu64 ":%s:%d:%d", r->name, r->count, r->mask, r->kernel, r->user);
}
