// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options.c - ophelp's command line
 */
#include "control/ophelp/ophelp.h"

#include <errno.h>
#include <popt.h>
#include <stdlib.h>
#include <string.h>
#include "libutil/number.h"

/* Filled in by popt. */
static struct raw {
	int check, ignore_count, mask, extra, type, dflt, list_types, xml, json;
	int version, help, usage;
	char *cpu_type, *callgraph, *compat;
} raw;

static const struct poptOption table[] = {
	{ "cpu-type", 'c', POPT_ARG_STRING, &raw.cpu_type, 0,
	  "use the events of this CPU type instead of this machine's", "type" },
	{ "list-cpu-types", 0, POPT_ARG_NONE, &raw.list_types, 0, "list the types for --cpu-type",
	  NULL },
	{ "check-events", 'e', POPT_ARG_NONE, &raw.check, 0,
	  "check events and print their counters", NULL },
	{ "ignore-count", 'i', POPT_ARG_NONE, &raw.ignore_count, 0,
	  "with -e, ignore counts, which may be missing", NULL },
	{ "unit-mask", 'u', POPT_ARG_NONE, &raw.mask, 0, "print the event's default unit mask",
	  NULL },
	{ "extra-mask", 'E', POPT_ARG_NONE, &raw.extra, 0,
	  "print the extra bits of the event's named unit mask", NULL },
	{ "get-cpu-type", 'r', POPT_ARG_NONE, &raw.type, 0, "print this machine's CPU type",
	  NULL },
	{ "get-default-event", 'd', POPT_ARG_NONE, &raw.dflt, 0, "print the default event", NULL },
	{ "callgraph", 0, POPT_ARG_STRING, &raw.callgraph, 0,
	  "check counts for call graphs of this depth", "depth" },
	{ "xml", 'X', POPT_ARG_NONE, &raw.xml, 0, "list as XML", NULL },
	{ "json", 'J', POPT_ARG_NONE, &raw.json, 0, "list as JSON", NULL },
	{ "compat", 0, POPT_ARG_STRING, &raw.compat, 0, "list exactly as OProfile does",
	  "oprofile" },
	{ "version", 'v', POPT_ARG_NONE, &raw.version, 0, "show the version", NULL },
	{ "help", '?', POPT_ARG_NONE, &raw.help, 0, "show this help", NULL },
	{ "usage", 0, POPT_ARG_NONE, &raw.usage, 0, "show a brief usage message", NULL },
	POPT_TABLEEND
};

static poptContext context;

static int read_options(int argc, const char **argv, struct op_error *e)
{
	int c;

	context = poptGetContext("ophelp", argc, argv, table, 0);
	poptSetOtherOptionHelp(context, "[event...]");
	c = poptGetNextOpt(context);
	if (c < -1)
		return op_error_set(e, -EINVAL, "%s: %s; 'ophelp --help' lists the options",
				    poptBadOption(context, POPT_BADOPTION_NOALIAS),
				    poptStrerror(c));
	return 0;
}

static int choose_action(const struct raw *r, size_t nr_events, enum help_action *ret,
			 struct op_error *e)
{
	const struct {
		int given;
		enum help_action action;
	} actions[] = {
		{ r->check, HELP_CHECK }, { r->mask, HELP_MASK },
		{ r->extra, HELP_EXTRA }, { r->type, HELP_TYPE },
		{ r->dflt, HELP_DEFAULT }, { r->list_types, HELP_LIST_TYPES },
	};
	int nr = 0;

	*ret = nr_events ? HELP_CODE : HELP_LIST;
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (!actions[i].given)
			continue;
		*ret = actions[i].action;
		nr++;
	}
	if (nr > 1)
		return op_error_set(e, -EINVAL,
				    "-e, -u, -E, -r, -d and --list-cpu-types cannot be combined");
	if (r->help || r->usage || r->version)
		*ret = r->help ? HELP_HELP : r->usage ? HELP_USAGE : HELP_VERSION;
	return 0;
}

static int check_arguments(const struct help_options *o, struct op_error *e)
{
	bool wants_one = o->action == HELP_MASK || o->action == HELP_EXTRA;
	bool takes_none = o->action == HELP_TYPE || o->action == HELP_DEFAULT ||
			  o->action == HELP_LIST_TYPES;

	if ((wants_one || o->action == HELP_CODE) && o->nr_events > 1)
		return op_error_set(e, -EINVAL, "too many arguments: expected one event");
	if (takes_none && o->nr_events)
		return op_error_set(e, -EINVAL, "too many arguments: unexpected '%s'",
				    o->events[0]);
	if (o->xml && o->json)
		return op_error_set(e, -EINVAL, "--xml and --json cannot be combined");
	return 0;
}

int help_options_parse(int argc, const char **argv, struct help_options *o, struct op_error *e)
{
	static const char *none[] = { NULL };
	const char *compat = getenv("OPROFILE_COMPAT");
	uint64_t depth = 0;
	int err = read_options(argc, argv, e);

	if (err)
		return err;
	*o = (struct help_options){ .cpu_type = raw.cpu_type, .events = none };
	if (poptPeekArg(context))
		o->events = poptGetArgs(context);
	while (o->events[o->nr_events])
		o->nr_events++;
	o->xml = raw.xml;
	o->json = raw.json;
	o->ignore_count = raw.ignore_count;
	o->compat = raw.compat || (compat && !strcmp(compat, "1"));
	if (raw.callgraph && number_parse_range(raw.callgraph, 0, INT32_MAX, &depth))
		return op_error_set(e, -EINVAL,
				    "invalid depth '%s' for --callgraph: expected 0 to %d",
				    raw.callgraph, INT32_MAX);
	o->callgraph = (unsigned int)depth;
	if (raw.compat && strcmp(raw.compat, "oprofile"))
		return op_error_set(e, -EINVAL,
				    "invalid value '%s' for --compat: expected oprofile",
				    raw.compat);
	err = choose_action(&raw, o->nr_events, &o->action, e);
	return err ? err : check_arguments(o, e);
}

void help_options_free(void)
{
	context = poptFreeContext(context);
	free(raw.cpu_type);
	free(raw.callgraph);
	free(raw.compat);
}

void help_options_print(bool usage_only)
{
	if (usage_only)
		poptPrintUsage(context, stdout, 0);
	else
		poptPrintHelp(context, stdout, 0);
}
