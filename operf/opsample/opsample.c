// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opsample.c - run a command with a preloaded library that samples its threads
 *
 * opsample executes the command in its own process, so signals, terminal and exit status are as
 * without it. The library reads its options from the environment. [SM-70]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libsampler/opsample/opsample.h"
#include "libsampler/session/folder.h"
#include "libutil/file.h"
#include "libutil/message.h"
#include "libutil/xalloc.h"
#include "operf/launch.h"
#include "operf/opsample/target.h"
#include "operf/profile_dir.h"
#include "operf/tool_options.h"

enum { SESSION_DIR = NR_OPSAMPLE_VARIABLES + 1, APPEND, NO_CHILDREN, INTERRUPT };

/* Options with an environment variable have the value of that plus 1. */
static const struct poptOption table[] = {
	{ "rate", 'r', POPT_ARG_STRING, NULL, OPSAMPLE_RATE + 1,
	  "samples per second of each thread (default: 100)", "1..10000" },
	{ "clock", 'c', POPT_ARG_STRING, NULL, OPSAMPLE_CLOCK + 1,
	  "sample by CPU time or by real time (default: cpu)", "cpu|wall" },
	{ "threads", 't', POPT_ARG_STRING, NULL, OPSAMPLE_THREADS + 1,
	  "which threads of each process (default: all)", "all|main" },
	{ "session-dir", 'd', POPT_ARG_STRING, NULL, SESSION_DIR,
	  "an existing folder for the session (default: ./oprofile_data)", "DIR" },
	{ "append", 'a', POPT_ARG_NONE, NULL, APPEND, "add samples to the existing session", NULL },
	{ "format", 'f', POPT_ARG_STRING, NULL, OPSAMPLE_FORMAT + 1,
	  "write a file in this format instead of a session", "cpuprofile|pprof|folded" },
	{ "output", 'o', POPT_ARG_STRING, NULL, OPSAMPLE_OUTPUT + 1,
	  "the file; child processes write FILE.PID", "FILE" },
	{ "no-children", 'n', POPT_ARG_NONE, NULL, NO_CHILDREN,
	  "do not sample child processes", NULL },
	{ "seconds", 's', POPT_ARG_STRING, NULL, OPSAMPLE_SECONDS + 1,
	  "stop sampling a process after this time (default: at its end)", "SECONDS" },
	{ "save", 0, POPT_ARG_STRING, NULL, OPSAMPLE_SAVE + 1,
	  "save samples at this interval, 0: only at the end (default: 5)", "SECONDS" },
	{ "interrupt", 'i', POPT_ARG_NONE, NULL, INTERRUPT,
	  "signal sleeping threads, too: complete stacks, but interrupted system calls", NULL },
	TOOL_OPTIONS_END
};

struct options {
	char *session_dir;
	bool append, output;
	char **command;
};

static void set(enum opsample_variable variable, const char *value)
{
	if (setenv(opsample_variables[variable], value, 1)) {
		report_error("out of memory");
		exit(1);
	}
}

static int handle_option(void *context, int option, const char *value, struct op_error *e)
{
	struct options *o = context;

	(void)e;
	switch (option) {
	case SESSION_DIR:
		free(o->session_dir);
		o->session_dir = xstrdup(value);
		break;
	case APPEND:
		o->append = true;
		break;
	case NO_CHILDREN:
		set(OPSAMPLE_CHILDREN, "none");
		break;
	case INTERRUPT:
		set(OPSAMPLE_SLEEPERS, "interrupt");
		break;
	case OPSAMPLE_OUTPUT + 1:
		o->output = true;
		set(OPSAMPLE_OUTPUT, value);
		break;
	default:
		set((enum opsample_variable)(option - 1), value);
	}
	return 0;
}

/* The option that sets a variable. */
static const char *option_of(int variable)
{
	for (const struct poptOption *o = table; o->longName; o++)
		if (o->val == variable + 1)
			return o->longName;
	return variable == OPSAMPLE_SLEEPERS ? "interrupt" : "no-children";
}

static int check_settings(struct opsample_settings *ret, struct op_error *e)
{
	const char *wrong = opsample_settings_read(ret);
	int variable = 0;

	if (!wrong)
		return 0;
	while (strcmp(opsample_variables[variable], wrong) != 0)
		variable++;
	return op_error_set(e, -EINVAL, "invalid value '%.60s' for --%s (%s): expected %s",
			    getenv(wrong), option_of(variable), wrong,
			    opsample_variable_range(variable));
}

static int check(const struct options *o, struct opsample_settings *ret, struct op_error *e)
{
	int err = check_settings(ret, e);

	if (err)
		return err;
	if (!o->command)
		return op_error_set(e, -EINVAL, "expected a command; see opsample --help");
	if (ret->format == OPSAMPLE_SESSION && o->output)
		return op_error_set(e, -EINVAL, "--output needs --format; for the folder of a "
				    "session use --session-dir");
	if (ret->format == OPSAMPLE_SESSION)
		return 0;
	if (!*ret->output)
		return op_error_set(e, -EINVAL, "--format needs --output=FILE");
	if (o->session_dir || o->append)
		return op_error_set(e, -EINVAL, "--%s and --format cannot be combined",
				    o->append ? "append" : "session-dir");
	return 0;
}

/* The library is in ../lib/oprofile in the build folder and mostly when installed. */
static int set_library(struct op_error *e)
{
	char *bin = path_program_dir();
	char *beside = path_join(bin, "../lib/oprofile/" OPSAMPLE_LIBRARY);
	char *joined = xstrdup(file_exists(beside) ? beside : OP_PKGLIBDIR "/" OPSAMPLE_LIBRARY);
	char *path = path_absolute(joined), *all;
	const char *others = getenv("LD_PRELOAD");
	int err = 0;

	if (!path || !file_exists(path))
		err = op_error_set(e, -ENOENT, "'%s' not found; reinstall opsample", joined);
	else if (strpbrk(path, " :"))
		err = op_error_set(e, -EINVAL, "'%s': cannot preload a library whose path has a "
				   "blank or a colon", path);
	if (!err) {
		all = xasprintf("%s%s%s", path, others && *others ? ":" : "", others ? others : "");
		if (setenv("LD_PRELOAD", all, 1))
			err = op_error_set(e, -ENOMEM, "out of memory");
		free(all);
	}
	free(bin);
	free(beside);
	free(joined);
	free(path);
	return err;
}

/* Moves an earlier session aside, as operf does. */
static int set_session(const struct options *o, const struct opsample_settings *s,
		       struct op_error *e)
{
	struct profile_dir dir;
	const char *given = o->session_dir ? o->session_dir : *s->output ? s->output : NULL;
	const char *path = given ? given : PROFILE_DIR_DEFAULT;
	int err = file_exists(path) ? session_folder_check(path, e) : 0;

	if (!err)
		err = profile_dir_open(given, &dir, e);
	if (err)
		return err;
	err = profile_dir_begin(&dir, o->append, e);
	if (err) {
		profile_dir_undo(&dir);
	} else {
		set(OPSAMPLE_OUTPUT, dir.path);
		profile_dir_keep(&dir);
	}
	profile_dir_close(&dir);
	return err;
}

static int set_file(const struct opsample_settings *s, struct op_error *e)
{
	char *path = path_absolute(s->output), *slash = path ? strrchr(path, '/') : NULL;
	int err = path ? 0 : -errno;

	if (slash) {
		set(OPSAMPLE_OUTPUT, path);
		slash[slash == path] = '\0';
		err = access(path, W_OK | X_OK) ? -errno : 0;
	}
	if (err)
		op_error_set(e, err, "cannot write to the folder of --output='%s': %s",
			     getenv(opsample_variables[OPSAMPLE_OUTPUT]), strerror(-err));
	free(path);
	return err;
}

int main(int argc, char **argv)
{
	static const struct tool_options tool = {
		.program = "opsample",
		.table = table,
		.usage = "Usage: opsample [OPTION...] COMMAND [ARGUMENT...]\n",
		.after = "Reports: opreport(1), opannotate(1). More in: man opsample\n",
		.handle = handle_option,
	};
	struct options o = { .append = false };
	struct opsample_settings s;
	struct op_error e = { "" };
	char pid[16], *file = NULL;
	int status = 1, err;

	set_program_name("opsample");
	err = tool_options_parse(&tool, argc, (const char **)argv, &o, &o.command, &e);
	if (!err)
		err = check(&o, &s, &e);
	if (!err) {
		err = launch_find(o.command[0], &file, &e);
		status = err ? launch_failure_status(err) : 1;
	}
	if (!err)
		err = opsample_target_check(file, &e);
	if (!err)
		err = set_library(&e);
	if (!err)
		err = s.format == OPSAMPLE_SESSION ? set_session(&o, &s, &e) : set_file(&s, &e);
	if (!err) {
		snprintf(pid, sizeof(pid), "%d", getpid());
		set(OPSAMPLE_PID, pid);
		execvp(o.command[0], o.command);
		status = launch_failure_status(-errno);
		op_error_set(&e, -errno, "cannot execute '%s': %s", o.command[0],
			     strerror(errno));
	}
	report_error("%s", e.text);
	free(file);
	free(o.session_dir);
	tool_strings_free(o.command);
	return status;
}
