// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * operf_options.c - operf's command line: its own options end at the command
 */
#include "operf/operf_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/opcontrol/setup.h"
#include "libutil/log.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"
#include "operf/plan.h"
#include "operf/tool_options.h"

enum { PID = 1, SYSTEM_WIDE, EVENTS, MAX_COST, EXACT_COUNT, CALLGRAPH, CALL_ARCS, THREAD, CPU,
       CGROUP, SESSION_DIR, APPEND, IDLE, VMLINUX, LAZY, VERBOSE };

static const struct poptOption table[] = {
	{ "pid", 'p', POPT_ARG_STRING, NULL, PID, "profile running processes", "PID[,PID...]" },
	{ "system-wide", 's', POPT_ARG_NONE, NULL, SYSTEM_WIDE, "profile the whole machine", NULL },
	{ "events", 'e', POPT_ARG_STRING, NULL, EVENTS, "what to sample (ophelp lists events)",
	  "NAME:COUNT[:UM[:KERNEL[:USER]]][,...]" },
	{ "max-cost", 0, POPT_ARG_STRING, NULL, MAX_COST,
	  "bound on the cost of sampling by time, in % of each CPU (1)", "PCT" },
	{ "exact-count", 0, POPT_ARG_NONE, NULL, EXACT_COUNT,
	  "sample at the event's count, whatever that costs", NULL },
	{ "callgraph", 'g', POPT_ARG_NONE, NULL, CALLGRAPH, "record call stacks", NULL },
	{ "call-arcs", 0, POPT_ARG_NONE, NULL, CALL_ARCS,
	  "with --callgraph: write {cg} files for OProfile 1.x, too", NULL },
	{ "separate-thread", 't', POPT_ARG_NONE, NULL, THREAD, "separate samples by thread", NULL },
	{ "separate-cpu", 'c', POPT_ARG_NONE, NULL, CPU, "separate samples by CPU", NULL },
	{ "separate-cgroup", 0, POPT_ARG_NONE, NULL, CGROUP, "separate samples by control group",
	  NULL },
	{ "idle", 0, POPT_ARG_NONE, NULL, IDLE,
	  "with --system-wide: record samples of idle CPUs", NULL },
	{ "session-dir", 'd', POPT_ARG_STRING, NULL, SESSION_DIR,
	  "an existing folder for samples (default: ./oprofile_data)", "DIR" },
	{ "append", 'a', POPT_ARG_NONE, NULL, APPEND, "add samples to the existing profile", NULL },
	{ "vmlinux", 'k', POPT_ARG_STRING, NULL, VMLINUX, "kernel image", "FILE" },
	{ "lazy-conversion", 'l', POPT_ARG_NONE, NULL, LAZY,
	  "ignored: samples are always recorded as they arrive", NULL },
	{ "verbose", 'V', POPT_ARG_STRING, NULL, VERBOSE, "log more about these topics",
	  "debug,record,convert,misc,sfile,arcs,all" },
	TOOL_OPTIONS_END
};

/* A process named twice is one. */
static void add_pid(struct operf_options *o, pid_t pid)
{
	for (unsigned int i = 0; i < o->nr_pids; i++)
		if (o->pids[i] == pid)
			return;
	o->pids[o->nr_pids++] = pid;
}

static int parse_pids(const char *list, struct operf_options *o, struct op_error *e)
{
	char *copy = xstrdup(list), *rest = *list ? copy : NULL, *part;
	int err = 0;

	while (!err && (part = strsep(&rest, ","))) {
		uint64_t pid;

		if (number_parse_range(part, 1, 1 << 22, &pid))
			err = op_error_set(e, -EINVAL, "invalid process id '%.40s' for --pid",
					   part);
		else if (o->nr_pids == OPERF_PIDS_MAX)
			err = op_error_set(e, -EINVAL, "--pid: too many processes: at most %d; use "
					   "--system-wide", OPERF_PIDS_MAX);
		else
			add_pid(o, (pid_t)pid);
	}
	free(copy);
	if (!err && !o->nr_pids)
		return op_error_set(e, -EINVAL, "--pid needs a process id");
	return err;
}

/* OProfile's words, two of which have other names here. */
static int parse_topics(const char *list, unsigned int *topics, struct op_error *e)
{
	static const struct {
		const char *word;
		unsigned int topics;
	} words[] = {
		{ "debug", LOG_ALL },	  { "record", LOG_MODULE }, { "convert", LOG_SAMPLES },
		{ "misc", LOG_MISC },	  { "sfile", LOG_SFILE },   { "arcs", LOG_ARCS },
		{ "all", LOG_ALL },
	};
	const size_t nr = sizeof(words) / sizeof(words[0]);

	for (;; list++) {
		size_t len = strcspn(list, ","), i = 0;

		while (i < nr && (strlen(words[i].word) != len ||
				  strncmp(words[i].word, list, len) != 0))
			i++;
		if (i == nr)
			return op_error_set(e, -EINVAL, "invalid value '%.*s' for --verbose: "
					    "expected debug, record, convert, misc, sfile, arcs or "
					    "all", (int)len, list);
		*topics |= words[i].topics;
		list += len;
		if (!*list)
			return 0;
	}
}

static void set_string(char **to, const char *value)
{
	free(*to);
	*to = xstrdup(value);
}

static int handle_option(void *context, int option, const char *value, struct op_error *e)
{
	struct operf_options *o = context;

	switch (option) {
	case PID:
		return parse_pids(value, o, e);
	case EVENTS:
		plan_add_specs(value, &o->specs, &o->nr_specs);
		return 0;
	case MAX_COST:
		if (max_cost_parse(value, &o->max_cost))
			return op_error_set(e, -EINVAL, "invalid value '%s' for --max-cost: "
					    "expected a percentage from 0.01 to 100", value);
		return 0;
	case EXACT_COUNT:
		o->max_cost = MAX_COST_NONE;
		return 0;
	case VERBOSE:
		return parse_topics(value, &o->log_topics, e);
	case SESSION_DIR:
		set_string(&o->session_dir, value);
		return 0;
	case VMLINUX:
		set_string(&o->vmlinux, value);
		return 0;
	}
	o->whole_machine |= option == SYSTEM_WIDE;
	o->callgraph |= option == CALLGRAPH;
	o->call_arcs |= option == CALL_ARCS;
	o->separate_thread |= option == THREAD;
	o->separate_cpu |= option == CPU;
	o->separate_cgroup |= option == CGROUP;
	o->append |= option == APPEND;
	o->idle |= option == IDLE;
	return 0;
}

static int check(const struct operf_options *o, struct op_error *e)
{
	int modes = !!o->command + !!o->nr_pids + o->whole_machine;

	if (modes == 1)
		return 0;
	return op_error_set(e, -EINVAL, "%s of a command, --pid or --system-wide; see operf "
			    "--help", modes ? "expected only one" : "expected one");
}

int operf_options_parse(int argc, const char **argv, struct operf_options *ret,
			struct op_error *e)
{
	static const struct tool_options tool = {
		.program = "operf",
		.table = table,
		.usage = "Usage: operf [OPTION...] COMMAND [ARGUMENT...]\n"
			 "       operf [OPTION...] --pid=PID[,PID...] | --system-wide\n",
		.after = "Reports: opreport(1), opannotate(1). More in: man operf\n",
		.handle = handle_option,
	};
	int err;

	*ret = (struct operf_options){ .max_cost = MAX_COST_DEFAULT };
	err = tool_options_parse(&tool, argc, argv, ret, &ret->command, e);
	return err ? err : check(ret, e);
}

void operf_options_free(struct operf_options *o)
{
	for (size_t i = 0; i < o->nr_specs; i++)
		free(o->specs[i]);
	tool_strings_free(o->command);
	free(o->specs);
	free(o->session_dir);
	free(o->vmlinux);
	*o = (struct operf_options){ .command = NULL };
}
