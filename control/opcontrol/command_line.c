// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * command_line.c - opcontrol's options, and which of them can be combined
 *
 * --session-dir is accepted with every action, where it only selects the session. The other set-up
 * options are accepted with --start and --start-daemon, as in OProfile.
 */
#include <errno.h>
#include <popt.h>
#include <stdlib.h>
#include <string.h>
#include "control/opcontrol/command_line.h"
#include "libdb/session/session.h"
#include "libutil/option_help.h"
#include "libutil/xalloc.h"

/* Codes that popt returns: ranges for actions, settings and other options. */
enum {
	CODE_ACTION = 0x100,
	CODE_SETTING = 0x200,
	CODE_SETUP = 0x300,
	CODE_VERBOSE,
};

#define ACTION(name, letter, action, help)                                                     \
	{ name, letter, POPT_ARG_NONE, NULL, CODE_ACTION + (action), help, NULL }
#define SETTING(name, letter, id, help, value)                                                 \
	{ name, letter, POPT_ARG_STRING, NULL, CODE_SETTING + (id), help, value }

static struct poptOption actions[] = {
	ACTION("init", 0, ACTION_INIT, "load the kernel module, mount oprofilefs"),
	ACTION("start-daemon", 0, ACTION_START_DAEMON, "start the daemon, without sampling"),
	ACTION("start", 's', ACTION_START, "start sampling (and the daemon)"),
	ACTION("dump", 'd', ACTION_DUMP, "write all samples now; any user may"),
	ACTION("stop", 't', ACTION_STOP, "stop sampling; the daemon stays"),
	ACTION("shutdown", 'h', ACTION_SHUTDOWN, "stop sampling and the daemon"),
	ACTION("reset", 0, ACTION_RESET, "clear the current session"),
	{ "save", 0, POPT_ARG_STRING, NULL, CODE_ACTION + ACTION_SAVE,
	  "save the current session under this name", "NAME" },
	ACTION("deinit", 0, ACTION_DEINIT, "shut down, unmount oprofilefs, unload the module"),
	ACTION("status", 0, ACTION_STATUS, "show the set-up, and samples received and lost"),
	ACTION("list-events", 'l', ACTION_LIST_EVENTS,
	       "list the events that can be sampled here; any user may"),
	{ "service", 0, POPT_ARG_STRING, NULL, CODE_ACTION + ACTION_SERVICE,
	  "for oprofiled.service: prepare, finish", "STEP" },
	ACTION("version", 'v', ACTION_VERSION, "show the version"),
	ACTION("help", '?', ACTION_HELP, "show this help"),
	POPT_TABLEEND
};

static struct poptOption settings[] = {
	{ "setup", 0, POPT_ARG_NONE, NULL, CODE_SETUP, "save the options below (optional)",
	  NULL },
	SETTING("event", 'e', SET_EVENT, "sample this event (may be given several times)",
		"SPEC"),
	SETTING("max-cost", 0, SET_MAX_COST,
		"bound on the cost of sampling by time, in % of each CPU (1)", "PCT"),
	{ "exact-count", 0, POPT_ARG_NONE, NULL, CODE_SETTING + SET_EXACT_COUNT,
	  "sample at the event's count, whatever that costs", NULL },
	SETTING("separate", 'p', SET_SEPARATE,
		"separate profiles by lib, kernel, thread, cpu, cgroup; none; all", "LIST"),
	SETTING("vmlinux", 0, SET_VMLINUX,
		"read kernel symbols from this image, not from kallsyms", "FILE"),
	{ "no-vmlinux", 0, POPT_ARG_NONE, NULL, CODE_SETTING + SET_NO_VMLINUX,
	  "use no kernel symbols", NULL },
	SETTING("kernel-range", 0, SET_KERNEL_RANGE, "address range of the text of --vmlinux, hex",
		"START,END"),
	SETTING("image", 'i', SET_IMAGE, "record samples of these programs only, or all", "PATHS"),
	SETTING("buffer-size", 0, SET_BUFFER_SIZE, "event buffer, 0 = default", "WORDS"),
	SETTING("buffer-watershed", 0, SET_BUFFER_WATERSHED,
		"free space at which the daemon is woken, 0 = default", "WORDS"),
	SETTING("cpu-buffer-size", 0, SET_CPU_BUFFER_SIZE, "buffer of each CPU, 0 = default",
		"SAMPLES"),
	SETTING("callgraph", 'c', SET_CALLGRAPH, "depth of call stacks, 0 = off", "FRAMES"),
	{ "call-arcs", 0, POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL,
	  CODE_SETTING + SET_CALL_ARCS, "write {cg} files for OProfile 1.x, too", "yes|no" },
	SETTING("unwind", 0, SET_UNWIND,
		"how stacks are unwound: tables (default), or fp: frame pointers only", "HOW"),
	SETTING("unwind-memory", 0, SET_UNWIND_MEMORY,
		"memory for unwind tables, 0 = default", "MB"),
	{ "history", 0, POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL, CODE_SETTING + SET_HISTORY,
	  "keep a history of the last TIME (14d) besides the session", "TIME|no" },
	SETTING("quota", 0, SET_QUOTA, "room on the disk for the history (default 2G)", "SIZE"),
	SETTING("slice", 0, SET_SLICE, "time between two slices of the history (default 1m)",
		"TIME"),
	{ "idle", 0, POPT_ARG_NONE, NULL, CODE_SETTING + SET_IDLE,
	  "record samples of idle CPUs, which are only counted otherwise", NULL },
	{ "no-idle", 0, POPT_ARG_NONE, NULL, CODE_SETTING + SET_NO_IDLE,
	  "do not record them (default)", NULL },
	{ "world-readable", 0, POPT_ARG_NONE, NULL, CODE_SETTING + SET_WORLD_READABLE,
	  "let all users read the samples", NULL },
	{ "no-world-readable", 0, POPT_ARG_NONE, NULL, CODE_SETTING + SET_NO_WORLD_READABLE,
	  "let root and group " SESSION_GROUP " read them (default)", NULL },
	SETTING("session-dir", 0, SET_SESSION_DIR,
		"folder for samples (" SESSION_DIR_DEFAULT ")", "DIR"),
	SETTING("collector", 0, SET_COLLECTOR,
		"what collects the samples: module, perf, bpf or auto", "NAME"),
	SETTING("model", 0, SET_MODEL,
		"what triggers the samples: auto, intel, amd, perf, nmi-ipi or timer", "NAME"),
	POPT_TABLEEND
};

static struct poptOption others[] = {
	{ "verbose", 'V', POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL, CODE_VERBOSE,
	  "with --start: show parameters; log all, sfile, samples, ...",
	  "LIST" },
	POPT_TABLEEND
};

static struct poptOption table[] = {
	{ NULL, 0, POPT_ARG_INCLUDE_TABLE, actions, 0, NULL, NULL },
	{ NULL, 0, POPT_ARG_INCLUDE_TABLE, settings, 0, NULL, NULL },
	{ NULL, 0, POPT_ARG_INCLUDE_TABLE, others, 0, NULL, NULL },
	POPT_TABLEEND
};

void options_print_help(FILE *out)
{
	fprintf(out, "Usage: opcontrol [OPTION...]\n\nActions, one at a time:\n");
	option_help_print(actions, out);
	fprintf(out, "\nSet-up, saved; alone, or with --start or --start-daemon:\n");
	option_help_print(settings, out);
	fprintf(out, "\nOther options:\n");
	option_help_print(others, out);
	fprintf(out, "\nSPEC is default or NAME:count[:unitmask[:kernel[:user]]], "
		"such as CPU_CLK_UNHALTED:100000.\nMore in: man opcontrol\n");
}

static const char *long_name(const struct poptOption *options, int code)
{
	for (; options->longName; options++)
		if (options->val == code)
			return options->longName;
	return "?";
}

static int check_value(const char *option, const char *value, struct op_error *e)
{
	if (!*value || *value == '-')
		return op_error_set(e, -EINVAL, "option --%s needs a value", option);
	if (!setup_value_ok(value))
		return op_error_set(e, -EINVAL, "invalid value '%s' for --%s: expected letters, "
				    "digits and _ : , . / -", value, option);
	return 0;
}

static int add_action(struct options *o, enum action action, char *value, struct op_error *e)
{
	if (o->action != ACTION_NONE && o->action != action) {
		free(value);
		return op_error_set(e, -EINVAL, "--%s and --%s cannot be combined",
				    long_name(actions, CODE_ACTION + o->action),
				    long_name(actions, CODE_ACTION + action));
	}
	o->action = action;
	if (action == ACTION_SERVICE) {
		free(o->service_step);
		o->service_step = value;
	}
	if (action != ACTION_SAVE)
		return 0;
	free(o->save_name);
	o->save_name = value;
	if (!session_name_ok(value) || !strcmp(value, SESSION_CURRENT))
		return op_error_set(e, -EINVAL,
				    "invalid session name '%s': expected letters, digits and "
				    ". _ - +, without a leading dot, and not '" SESSION_CURRENT "'",
				    value);
	return 0;
}

static int add_setting(struct options *o, enum setting_id id, char *value, struct op_error *e)
{
	xgrow(o->settings, o->nr_settings, o->room);
	o->settings[o->nr_settings++] = (struct setting){ id, value };
	if (id == SET_SESSION_DIR)
		o->session_dir = value;
	return value ? check_value(long_name(settings, CODE_SETTING + id), value, e) : 0;
}

static int check_topics(const char *list, struct op_error *e)
{
	static const char *const topics[] = { "all", "sfile", "arcs", "samples", "module", "misc",
					      "ext" };
	char *copy = xstrdup(list), *rest = copy, *word;
	int err = 0;

	while (!err && (word = strsep(&rest, ","))) {
		size_t i = 0;

		while (i < sizeof(topics) / sizeof(topics[0]) && strcmp(word, topics[i]))
			i++;
		if (i == sizeof(topics) / sizeof(topics[0]))
			err = op_error_set(e, -EINVAL, "invalid value '%s' for --verbose: "
					   "expected all, sfile, arcs, samples, module, "
					   "misc or ext", word);
	}
	free(copy);
	return err;
}

static int add_option(struct options *o, int code, char *value, struct op_error *e)
{
	if (code == CODE_SETUP)
		return 0;
	if (code == CODE_VERBOSE) {
		free(o->verbose);
		o->verbose = value ? value : xstrdup("all");
		return check_topics(o->verbose, e);
	}
	if (code >= CODE_SETTING)
		return add_setting(o, code - CODE_SETTING, value, e);
	return add_action(o, code - CODE_ACTION, value, e);
}

/* Rules CTL-06..09 and CTL-32. */
static int check_combination(const struct options *o, bool setup_word, struct op_error *e)
{
	bool starts = o->action == ACTION_START || o->action == ACTION_START_DAEMON;

	if (o->action == ACTION_HELP || o->action == ACTION_VERSION || starts)
		return 0;
	if (o->verbose)
		return op_error_set(e, -EINVAL,
				    "--verbose needs --start or --start-daemon");
	if (o->action == ACTION_NONE && setup_word && !o->nr_settings)
		return op_error_set(e, -EINVAL,
				    "--setup needs an option to save, such as --event=");
	if (o->action == ACTION_NONE)
		return 0;
	if (setup_word)
		return op_error_set(e, -EINVAL, "--setup and --%s cannot be combined",
				    long_name(actions, CODE_ACTION + o->action));
	for (size_t i = 0; i < o->nr_settings; i++)
		if (o->settings[i].id != SET_SESSION_DIR)
			return op_error_set(e, -EINVAL, "--%s and --%s cannot be combined; set up "
					    "first, or with --start",
					    long_name(settings, CODE_SETTING + o->settings[i].id),
					    long_name(actions, CODE_ACTION + o->action));
	return 0;
}

/* @code: error of popt */
static int refuse_option(const char *option, int code, struct op_error *e)
{
	if (code == POPT_ERROR_NOARG)
		return op_error_set(e, -EINVAL, "option %s needs a value", option);
	return op_error_set(e, -EINVAL, "%s: %s; see opcontrol --help", option,
			    poptStrerror(code));
}

static int parse_all(poptContext con, struct options *o, struct op_error *e)
{
	bool setup_word = false;
	const char *rest;
	int code, err;

	while ((code = poptGetNextOpt(con)) > 0) {
		setup_word |= code == CODE_SETUP;
		err = add_option(o, code, poptGetOptArg(con), e);
		if (err)
			return err;
	}
	if (code < -1)
		return refuse_option(poptBadOption(con, POPT_BADOPTION_NOALIAS), code, e);
	rest = poptGetArg(con);
	if (rest)
		return op_error_set(e, -EINVAL, "unexpected argument '%s'; see opcontrol --help",
				    rest);
	return check_combination(o, setup_word, e);
}

int command_line_parse(int argc, const char **argv, struct options *ret, struct op_error *e)
{
	poptContext con;
	int err;

	*ret = (struct options){ 0 };
	if (argc < 2) {
		ret->action = ACTION_HELP;
		return 0;
	}
	con = poptGetContext("opcontrol", argc, argv, table, 0);
	if (!con)
		return op_error_set(e, -ENOMEM, "out of memory");
	err = parse_all(con, ret, e);
	poptFreeContext(con);
	return err;
}

void command_line_free(struct options *o)
{
	for (size_t i = 0; i < o->nr_settings; i++)
		free(o->settings[i].value);
	free(o->settings);
	free(o->save_name);
	free(o->service_step);
	free(o->verbose);
	*o = (struct options){ 0 };
}
