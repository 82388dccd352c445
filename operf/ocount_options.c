// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ocount_options.c - ocount's command line: its own options end where the command begins
 */
#include "ocount_options.h"

#include <errno.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "option_help.h"
#include "perf_cpus.h"
#include "plan.h"
#include "version.h"
#include "xalloc.h"

#define INTERVAL_STEP_MS	100	/* as the original's */

enum { SYSTEM_WIDE = 1, CPU_LIST, PROCESS_LIST, THREAD_LIST, EVENTS, THREAD, CPU, INTERVAL, BRIEF,
       OUTPUT, VERBOSE, HELP, USAGE, SHOW_VERSION };

static const struct poptOption table[] = {
	{ "system-wide", 's', POPT_ARG_NONE, NULL, SYSTEM_WIDE, "count on the whole machine",
	  NULL },
	{ "cpu-list", 'C', POPT_ARG_STRING, NULL, CPU_LIST, "count on these CPUs", "0,2,4-7" },
	{ "process-list", 'p', POPT_ARG_STRING, NULL, PROCESS_LIST,
	  "count in running processes, with all their threads", "PID[,PID...]" },
	{ "thread-list", 'r', POPT_ARG_STRING, NULL, THREAD_LIST, "count in running threads",
	  "TID[,TID...]" },
	{ "events", 'e', POPT_ARG_STRING, NULL, EVENTS, "what to count (ophelp lists events)",
	  "NAME[:UM[:KERNEL[:USER]]][,...]" },
	{ "separate-thread", 't', POPT_ARG_NONE, NULL, THREAD,
	  "counts for each thread (with -p or -r)", NULL },
	{ "separate-cpu", 'c', POPT_ARG_NONE, NULL, CPU, "counts for each CPU (with -s or -C)",
	  NULL },
	{ "time-interval", 'i', POPT_ARG_STRING, NULL, INTERVAL,
	  "report every so many ms (as in OProfile 1.x; 0.9.9 took seconds), N times",
	  "LENGTH[:N]" },
	{ "brief-format", 'b', POPT_ARG_NONE, NULL, BRIEF, "values separated by commas", NULL },
	{ "output-file", 'f', POPT_ARG_STRING, NULL, OUTPUT, "write the report there", "FILE" },
	{ "verbose", 'V', POPT_ARG_NONE, NULL, VERBOSE, "tell what is counted how", NULL },
	{ "help", 'h', POPT_ARG_NONE, NULL, HELP, "show this", NULL },
	{ "usage", 'u', POPT_ARG_NONE, NULL, USAGE, "show how it is called", NULL },
	{ "version", 'v', POPT_ARG_NONE, NULL, SHOW_VERSION, "show the version", NULL },
	POPT_TABLEEND
};

static void answer(int asked)
{
	if (asked == SHOW_VERSION) {
		version_print("ocount");
		return;
	}
	printf("Usage: ocount [OPTION...] COMMAND [ARGUMENT...]\n"
	       "       ocount [OPTION...] --system-wide | --cpu-list=LIST | --process-list=LIST | "
	       "--thread-list=LIST\n");
	if (asked == USAGE)
		return;
	printf("\n");
	option_help_print(table, stdout);
	printf("\nMore in: man ocount\n");
}

struct taking {
	struct ocount_options *o;
	unsigned int nr_modes;
	bool by_thread, by_cpu;
};

static int set_mode(struct taking *t, enum count_mode mode)
{
	t->o->mode = mode;
	t->nr_modes++;
	return 0;
}

static void add_id(struct ocount_options *o, unsigned int id)
{
	for (unsigned int i = 0; i < o->nr_ids; i++)
		if (o->ids[i] == id)
			return;
	o->ids[o->nr_ids++] = id;
}

static int take_cpus(const char *list, struct taking *t, struct op_error *e)
{
	struct perf_cpu_set cpus;

	if (perf_cpus_parse(list, &cpus))
		return op_error_set(e, -EINVAL, "--cpu-list: '%.60s' is no list of CPUs such as "
				    "0,2,4-7", list);
	for (unsigned int cpu = 0; cpu < cpus.end && t->o->nr_ids < OCOUNT_IDS_MAX; cpu++)
		if (cpus.has[cpu])
			add_id(t->o, cpu);
	return set_mode(t, COUNT_CPUS);
}

static int take_ids(const char *list, struct taking *t, enum count_mode mode, const char *option,
		    struct op_error *e)
{
	char *copy = xstrdup(list), *rest, *part;
	int err = 0;

	for (part = strtok_r(copy, ",", &rest); part && !err; part = strtok_r(NULL, ",", &rest)) {
		uint64_t id;

		if (number_parse_range(part, 1, 1 << 22, &id))
			err = op_error_set(e, -EINVAL, "%s: '%.40s' is no id", option, part);
		else if (t->o->nr_ids == OCOUNT_IDS_MAX)
			err = op_error_set(e, -EINVAL, "%s: more than %d", option, OCOUNT_IDS_MAX);
		else
			add_id(t->o, (unsigned int)id);
	}
	free(copy);
	if (!err && !t->o->nr_ids)
		err = op_error_set(e, -EINVAL, "%s needs an id", option);
	return err ? err : set_mode(t, mode);
}

static int take_interval(const char *text, struct ocount_options *o, struct op_error *e)
{
	char *copy = xstrdup(text), *nr = strchr(copy, ':');
	uint64_t ms;
	int err;

	if (nr)
		*nr++ = '\0';
	err = number_parse_range(copy, 1, UINT32_MAX, &ms);
	if (!err && nr)
		err = number_parse_range(nr, 1, UINT32_MAX, &o->nr_intervals);
	free(copy);
	if (err)
		return op_error_set(e, -EINVAL, "--time-interval: '%.40s' is not LENGTH[:N], "
				    "milliseconds and a number of intervals", text);
	o->interval_ms = (ms + INTERVAL_STEP_MS - 1) / INTERVAL_STEP_MS * INTERVAL_STEP_MS;
	o->interval_rounded = o->interval_ms != ms;
	return 0;
}

static int take(int option, const char *value, struct taking *t, struct op_error *e)
{
	struct ocount_options *o = t->o;

	switch (option) {
	case SYSTEM_WIDE:
		return set_mode(t, COUNT_SYSTEM);
	case CPU_LIST:
		return take_cpus(value, t, e);
	case PROCESS_LIST:
		return take_ids(value, t, COUNT_PROCESSES, "--process-list", e);
	case THREAD_LIST:
		return take_ids(value, t, COUNT_THREADS, "--thread-list", e);
	case EVENTS:
		plan_add_specs(value, &o->specs, &o->nr_specs);
		return 0;
	case INTERVAL:
		return take_interval(value, o, e);
	case OUTPUT:
		free(o->output);
		o->output = xstrdup(value);
		return 0;
	}
	t->by_thread |= option == THREAD;
	t->by_cpu |= option == CPU;
	o->brief |= option == BRIEF;
	o->verbose |= option == VERBOSE;
	return 0;
}

static void take_command(const char **args, struct taking *t)
{
	size_t nr = 0;

	while (args && args[nr])
		nr++;
	if (!nr)
		return;
	t->o->command = xcalloc(nr + 1, sizeof(*t->o->command));
	for (size_t i = 0; i < nr; i++)
		t->o->command[i] = xstrdup(args[i]);
	set_mode(t, COUNT_COMMAND);
}

static int check(const struct taking *t, struct op_error *e)
{
	enum count_mode mode = t->o->mode;

	if (t->nr_modes != 1)
		return op_error_set(e, -EINVAL, "%s: a command, --system-wide, --cpu-list, "
				    "--process-list or --thread-list (ocount --help explains)",
				    t->nr_modes ? "only one can be counted" :
				    "nothing was said to be counted");
	if (t->by_thread && mode != COUNT_PROCESSES && mode != COUNT_THREADS)
		return op_error_set(e, -EINVAL, "--separate-thread goes with --process-list or "
				    "--thread-list only");
	if (t->by_cpu && mode != COUNT_SYSTEM && mode != COUNT_CPUS)
		return op_error_set(e, -EINVAL, "--separate-cpu goes with --system-wide or "
				    "--cpu-list only");
	return 0;
}

int ocount_options_parse(int argc, const char **argv, struct ocount_options *ret,
			 struct op_error *e)
{
	poptContext context = poptGetContext("ocount", argc, argv, table,
					     POPT_CONTEXT_POSIXMEHARDER);
	struct taking t = { .o = ret };
	int option, err = 0;

	*ret = (struct ocount_options){ .mode = COUNT_COMMAND };
	while (!err && (option = poptGetNextOpt(context)) > 0) {
		char *value;

		if (option >= HELP) {
			answer(option);
			exit(fflush(stdout) ? 1 : 0);
		}
		value = poptGetOptArg(context);
		err = take(option, value, &t, e);
		free(value);
	}
	if (!err && option < -1)
		err = op_error_set(e, -EINVAL, "%s: %s; ocount --help lists the options",
				   poptBadOption(context, POPT_BADOPTION_NOALIAS),
				   poptStrerror(option));
	if (!err) {
		take_command(poptGetArgs(context), &t);
		err = check(&t, e);
		ret->separate = t.by_thread || t.by_cpu;
	}
	poptFreeContext(context);
	return err;
}

void ocount_options_free(struct ocount_options *o)
{
	for (size_t i = 0; o->command && o->command[i]; i++)
		free(o->command[i]);
	for (size_t i = 0; i < o->nr_specs; i++)
		free(o->specs[i]);
	free(o->command);
	free(o->specs);
	free(o->output);
	*o = (struct ocount_options){ .mode = COUNT_COMMAND };
}
