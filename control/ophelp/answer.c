// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * answer.c - check and look up the events on the command line
 */
#include "control/ophelp/ophelp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "events/counter_alloc.h"
#include "events/encode.h"
#include "events/request.h"
#include "libutil/message.h"
#include "libutil/xalloc.h"

static int resolve(const struct help_cpu *cpu, const struct help_options *o,
		   struct event_choice *choices, struct op_error *e)
{
	bool count_is_optional = o->ignore_count || (o->action != HELP_CHECK && !o->compat);

	for (size_t i = 0; i < o->nr_events; i++) {
		struct event_request request;
		int err = event_request_parse(o->events[i], count_is_optional, &request, e);

		if (o->ignore_count)
			request.count = 0;
		if (!err)
			err = event_request_resolve(cpu->table, &request, o->callgraph, &choices[i],
						    e);
		if (err)
			return err;
	}
	return 0;
}

/* "0 1 ibs_op ": counters in the given order; the feature of an extended event. [HLP-04] */
static int check(const struct help_cpu *cpu, const struct help_options *o,
		 struct event_choice *choices, struct op_error *e)
{
	int err = event_requests_alloc(choices, o->nr_events,
				       counters_below(cpu->kind.nr_counters), e);

	for (size_t i = 0; i < o->nr_events && !err; i++) {
		if (choices[i].counter == COUNTER_NONE)
			printf("%s ", choices[i].event->ext);
		else
			printf("%d ", choices[i].counter);
	}
	if (!err)
		putchar('\n');
	return err;
}

static void print_mask(const struct event *event)
{
	const struct mask_set *s = event->masks;

	if (s->default_is_name)
		printf("%s\n", s->default_mask->name);
	else
		printf("%" PRIu32 "\n", s->default_value);
}

static int code(const struct help_cpu *cpu, const char *name, struct op_error *e)
{
	const struct event *event = event_table_find(cpu->table, name);

	if (!event)
		return op_error_set(e, -ENOENT, "No such event \"%s\"", name);
	printf("%" PRIu64 "\n", event->code);
	return 0;
}

static int answer(const struct help_cpu *cpu, const struct help_options *o, struct op_error *e)
{
	struct event_choice *choices;
	int err;

	if (o->action == HELP_CODE)
		return code(cpu, o->events[0], e);
	choices = xcalloc(o->nr_events + 1, sizeof(*choices));
	err = resolve(cpu, o, choices, e);
	if (!err && o->action == HELP_CHECK)
		err = check(cpu, o, choices, e);
	else if (!err && o->action == HELP_MASK)
		print_mask(choices[0].event);
	else if (!err)
		printf("%" PRIu32 "\n", choices[0].mask.extra);
	free(choices);
	return err;
}

static void note(const char *kind, const char *why)
{
	if (strstr(why, kind))
		report_note("%s", why);
	else
		report_note("%s: %s", kind, why);
}

int help_answer(const struct help_cpus *cpus, const struct help_options *o, struct op_error *e)
{
	struct op_error first = { "" };
	int err = 0, nr_ok = 0;

	if (!o->nr_events)
		return op_error_set(e, -EINVAL,
				    "no event given; add one, such as " CPU_CLOCK_EVENT ":100000");
	/* on a hybrid machine one kind of core is enough; for the others print a note */
	for (unsigned int i = 0; i < cpus->nr; i++) {
		struct op_error why = { "" };
		int failed = answer(&cpus->cpu[i], o, &why);

		nr_ok += !failed;
		if (!failed)
			continue;
		if (!err)
			first = why;
		err = err ? err : failed;
		if (cpus->nr > 1)
			note(cpus->cpu[i].kind.type->pretty, why.text);
	}
	if (nr_ok)
		return 0;
	*e = first;
	return err;
}
