// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options.c - ocount's command line: its own options end at the command
 */
#include "operf/ocount/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/collect/perf/sysfs.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"
#include "operf/plan.h"
#include "operf/tool_options.h"

#define INTERVAL_STEP_MS	100	/* as in OProfile */

enum { SYSTEM_WIDE = 1, CPU_LIST, PROCESS_LIST, THREAD_LIST, EVENTS, THREAD, CPU, INTERVAL, BRIEF,
       OUTPUT, VERBOSE };

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
	  "separate counts by thread (with -p or -r)", NULL },
	{ "separate-cpu", 'c', POPT_ARG_NONE, NULL, CPU, "separate counts by CPU (with -s or -C)",
	  NULL },
	{ "time-interval", 'i', POPT_ARG_STRING, NULL, INTERVAL,
	  "report every LENGTH ms (OProfile 0.9.9: seconds), N times",
	  "LENGTH[:N]" },
	{ "brief-format", 'b', POPT_ARG_NONE, NULL, BRIEF, "values separated by commas", NULL },
	{ "output-file", 'f', POPT_ARG_STRING, NULL, OUTPUT, "write the report to FILE", "FILE" },
	{ "verbose", 'V', POPT_ARG_NONE, NULL, VERBOSE, "show the counted perf events", NULL },
	TOOL_OPTIONS_END
};

struct parser {
	struct ocount_options *o;
	unsigned int nr_modes;
	bool by_thread, by_cpu;
};

static int set_mode(struct parser *t, enum count_mode mode)
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

static int parse_cpus(const char *list, struct parser *t, struct op_error *e)
{
	struct perf_cpu_set cpus;

	if (perf_cpus_parse(list, &cpus))
		return op_error_set(e, -EINVAL, "invalid list '%.60s' for --cpu-list: expected "
				    "CPUs, such as 0,2,4-7", list);
	for (unsigned int cpu = 0; cpu < cpus.end && t->o->nr_ids < OCOUNT_IDS_MAX; cpu++)
		if (cpus.has[cpu])
			add_id(t->o, cpu);
	return set_mode(t, COUNT_CPUS);
}

static int parse_ids(const char *list, struct parser *t, enum count_mode mode, const char *option,
		    struct op_error *e)
{
	char *copy = xstrdup(list), *rest = *list ? copy : NULL, *part;
	int err = 0;

	while (!err && (part = strsep(&rest, ","))) {
		uint64_t id;

		if (number_parse_range(part, 1, 1 << 22, &id))
			err = op_error_set(e, -EINVAL, "invalid id '%.40s' for %s", part, option);
		else if (t->o->nr_ids == OCOUNT_IDS_MAX)
			err = op_error_set(e, -EINVAL, "%s: too many ids: at most %d", option,
					   OCOUNT_IDS_MAX);
		else
			add_id(t->o, (unsigned int)id);
	}
	free(copy);
	if (!err && !t->o->nr_ids)
		err = op_error_set(e, -EINVAL, "%s needs an id", option);
	return err ? err : set_mode(t, mode);
}

static int parse_interval(const char *text, struct ocount_options *o, struct op_error *e)
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
		return op_error_set(e, -EINVAL, "invalid value '%.40s' for --time-interval: "
				    "expected LENGTH[:N], milliseconds and a number of intervals",
				    text);
	o->interval_ms = (ms + INTERVAL_STEP_MS - 1) / INTERVAL_STEP_MS * INTERVAL_STEP_MS;
	o->interval_rounded = o->interval_ms != ms;
	return 0;
}

static int handle_option(void *context, int option, const char *value, struct op_error *e)
{
	struct parser *t = context;
	struct ocount_options *o = t->o;

	switch (option) {
	case SYSTEM_WIDE:
		return set_mode(t, COUNT_SYSTEM);
	case CPU_LIST:
		return parse_cpus(value, t, e);
	case PROCESS_LIST:
		return parse_ids(value, t, COUNT_PROCESSES, "--process-list", e);
	case THREAD_LIST:
		return parse_ids(value, t, COUNT_THREADS, "--thread-list", e);
	case EVENTS:
		plan_add_specs(value, &o->specs, &o->nr_specs);
		return 0;
	case INTERVAL:
		return parse_interval(value, o, e);
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

static int check(const struct parser *t, struct op_error *e)
{
	enum count_mode mode = t->o->mode;

	if (t->nr_modes != 1)
		return op_error_set(e, -EINVAL, "%s of a command, --system-wide, --cpu-list, "
				    "--process-list or --thread-list; see ocount --help",
				    t->nr_modes ? "expected only one" : "expected one");
	if (t->by_thread && mode != COUNT_PROCESSES && mode != COUNT_THREADS)
		return op_error_set(e, -EINVAL, "--separate-thread needs --process-list or "
				    "--thread-list");
	if (t->by_cpu && mode != COUNT_SYSTEM && mode != COUNT_CPUS)
		return op_error_set(e, -EINVAL, "--separate-cpu needs --system-wide or --cpu-list");
	return 0;
}

int ocount_options_parse(int argc, const char **argv, struct ocount_options *ret,
			 struct op_error *e)
{
	static const struct tool_options tool = {
		.program = "ocount",
		.table = table,
		.usage = "Usage: ocount [OPTION...] COMMAND [ARGUMENT...]\n"
			 "       ocount [OPTION...] --system-wide | --cpu-list=LIST | "
			 "--process-list=LIST | --thread-list=LIST\n",
		.after = "More in: man ocount\n",
		.handle = handle_option,
	};
	struct parser t = { .o = ret };
	int err;

	*ret = (struct ocount_options){ .mode = COUNT_COMMAND };
	err = tool_options_parse(&tool, argc, argv, &t, &ret->command, e);
	if (err)
		return err;
	if (ret->command)
		set_mode(&t, COUNT_COMMAND);
	ret->separate = t.by_thread || t.by_cpu;
	return check(&t, e);
}

void ocount_options_free(struct ocount_options *o)
{
	for (size_t i = 0; i < o->nr_specs; i++)
		free(o->specs[i]);
	tool_strings_free(o->command);
	free(o->specs);
	free(o->output);
	*o = (struct ocount_options){ .mode = COUNT_COMMAND };
}
