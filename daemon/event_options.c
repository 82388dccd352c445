// SPDX-License-Identifier: GPL-2.0-or-later
/* event_options.c - parse the events on oprofiled's command line */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/options.h"
#include "libutil/number.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define NR_FIELDS	9
#define NR_REQUIRED	7

/* Return the number of fields; -1: too many. */
static int split(char *text, char *fields[NR_FIELDS])
{
	int nr = 0;

	for (;;) {
		char *end = strchr(text, ':');

		if (nr == NR_FIELDS)
			return -1;
		fields[nr++] = text;
		if (!end)
			return nr;
		*end = '\0';
		text = end + 1;
	}
}

static bool is_event_name(const char *name)
{
	return *name && *name != '{' && strlen(name) < sizeof(((struct event_option *)0)->name) &&
	       !strpbrk(name, "./");
}

static int number_field(const char *text, uint64_t min, uint64_t max, uint64_t *ret,
			const char *what, struct op_error *e)
{
	if (!number_parse_range(text, min, max, ret))
		return 0;
	return op_error_set(e, -EINVAL, "--events: invalid %s '%.40s': expected %llu to %llu", what,
			    text, (unsigned long long)min, (unsigned long long)max);
}

/* PMUs are folders in sysfs. */
static bool is_pmu_name(const char *name)
{
	return strlen(name) < sizeof(((struct event_option *)0)->pmu) && *name != '.' &&
	       !strchr(name, '/');
}

static int parse_numbers(char *const *field, struct event_option *ret, struct op_error *e)
{
	uint64_t counter, kernel, user, extra;
	int err = number_field(field[1], 0, UINT64_MAX, &ret->value, "value", e);

	if (!err)
		err = number_field(field[2], 0, COLLECTOR_COUNTERS_MAX - 1, &counter, "counter", e);
	if (!err)
		err = number_field(field[3], 1, UINT32_MAX, &ret->count, "count", e);
	if (!err)
		err = number_field(field[4], 0, UINT32_MAX, &ret->unit_mask, "unit mask", e);
	if (!err)
		err = number_field(field[5], 0, 1, &kernel, "kernel", e);
	if (!err)
		err = number_field(field[6], 0, 1, &user, "user", e);
	if (!err)
		err = number_field(*field[7] ? field[7] : "0", 0, UINT32_MAX, &extra, "extra", e);
	if (err)
		return err;
	ret->counter = counter;
	ret->kernel = kernel;
	ret->user = user;
	ret->extra = extra;
	return 0;
}

static int parse_event(char *text, struct event_option *ret, struct op_error *e)
{
	char empty[] = "", *field[NR_FIELDS];
	int nr, err;

	for (nr = 0; nr < NR_FIELDS; nr++)
		field[nr] = empty;
	nr = split(text, field);
	if (nr < NR_REQUIRED)
		return op_error_set(e, -EINVAL,
				    "--events: invalid event '%.100s...': expected NAME:value:"
				    "counter:count:um:kernel:user[:extra[:pmu]]", text);
	if (!is_event_name(field[0]))
		return op_error_set(e, -EINVAL, "--events: invalid event name '%.100s'", field[0]);
	if (!is_pmu_name(field[8]))
		return op_error_set(e, -EINVAL, "--events: invalid PMU name '%.100s'", field[8]);
	memset(ret, 0, sizeof(*ret));
	snprintf(ret->name, sizeof(ret->name), "%s", field[0]);
	snprintf(ret->pmu, sizeof(ret->pmu), "%s", field[8]);
	err = parse_numbers(field, ret, e);
	if (err)
		return err;
	if (!ret->kernel && !ret->user)
		return op_error_set(e, -EINVAL,
				    "--events: '%s' samples neither kernel nor user code",
				    ret->name);
	return 0;
}

/* The same event on two kinds of CPU may use the same counter: the samples go to the same files. */
static bool can_share_counter(const struct event_option *a, const struct event_option *b)
{
	return !strcmp(a->name, b->name) && a->count == b->count && a->unit_mask == b->unit_mask &&
	       a->kernel == b->kernel && a->user == b->user && *a->pmu && *b->pmu &&
	       strcmp(a->pmu, b->pmu);
}

static int add_event(char *text, struct event_option *events, unsigned int max, unsigned int *nr,
		     struct op_error *e)
{
	struct event_option *new = &events[*nr];
	int err;

	if (*nr == max)
		return op_error_set(e, -EINVAL, "--events: too many events: at most %u", max);
	err = parse_event(text, new, e);
	if (err)
		return err;
	for (unsigned int i = 0; i < *nr; i++)
		if (events[i].counter == new->counter && !can_share_counter(&events[i], new))
			return op_error_set(e, -EINVAL,
					    "--events: '%s' and '%s' both use counter %u",
					    events[i].name, new->name, new->counter);
	++*nr;
	return 0;
}

int event_options_parse(const char *text, struct event_option *ret, unsigned int max,
			unsigned int *ret_nr, struct op_error *e)
{
	char *copy = xstrdup(text), *part, *rest;
	unsigned int nr = 0;
	int err = 0;

	for (part = strtok_r(copy, ",", &rest); part && !err; part = strtok_r(NULL, ",", &rest))
		err = add_event(part, ret, max, &nr, e);
	free(copy);
	if (!err && !nr)
		err = op_error_set(e, -EINVAL, "--events: the list is empty");
	if (!err)
		*ret_nr = nr;
	return err;
}

char *options_events_text(const struct options *o)
{
	struct strbuf text = STRBUF_INIT;
	uint32_t seen = 0;

	for (unsigned int i = 0; i < o->nr_events; i++) {
		const struct event_option *event = &o->events[i];

		if (seen & 1u << event->counter)
			continue;
		seen |= 1u << event->counter;
		strbuf_addf(&text, "%s%s:%" PRIu64 ":%" PRIu64 ":%d:%d", i ? " " : "", event->name,
			    event->count, event->unit_mask, event->kernel, event->user);
	}
	ext_print_events(o->ext, &text);
	return strbuf_steal(&text);
}
