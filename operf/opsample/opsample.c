// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opsample.c - run a command that samples its own threads, by a library that is loaded into it
 *
 * It becomes the command: what that does with signals, its terminal and its exit status is as
 * without. Options are put into the environment, where the library finds them. [SM-70]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libsampler/opsample/opsample.h"
#include "libsampler/session/folder.h"
#include "libutil/file.h"
#include "libutil/say.h"
#include "libutil/xalloc.h"
#include "operf/launch.h"
#include "operf/opsample/target.h"
#include "operf/profile_dir.h"
#include "operf/tool_options.h"

enum { SESSION_DIR = NR_OPSAMPLE_VARIABLES + 1, APPEND, NO_CHILDREN, INTERRUPT };

/* Values of those that are a variable: its number and 1. */
static const struct poptOption table[] = {
	{ "rate", 'r', POPT_ARG_STRING, NULL, OPSAMPLE_RATE + 1,
	  "samples a second of each thread (100)", "1..10000" },
	{ "clock", 'c', POPT_ARG_STRING, NULL, OPSAMPLE_CLOCK + 1,
	  "the thread's CPU time, or time as it passes (cpu)", "cpu|wall" },
	{ "threads", 't', POPT_ARG_STRING, NULL, OPSAMPLE_THREADS + 1,
	  "which threads of each process (all)", "all|main" },
	{ "session-dir", 'd', POPT_ARG_STRING, NULL, SESSION_DIR,
	  "an existing folder for the session (./oprofile_data, made if needed)", "DIR" },
	{ "append", 'a', POPT_ARG_NONE, NULL, APPEND, "add to the session that is there", NULL },
	{ "format", 'f', POPT_ARG_STRING, NULL, OPSAMPLE_FORMAT + 1,
	  "a file instead of a session", "cpuprofile|pprof|folded" },
	{ "output", 'o', POPT_ARG_STRING, NULL, OPSAMPLE_OUTPUT + 1,
	  "the file; processes that the command starts write FILE.PID", "FILE" },
	{ "no-children", 'n', POPT_ARG_NONE, NULL, NO_CHILDREN,
	  "sample the command only, and no process that it starts", NULL },
	{ "seconds", 's', POPT_ARG_STRING, NULL, OPSAMPLE_SECONDS + 1,
	  "sample each process so long at most (to its end)", "SECONDS" },
	{ "save", 0, POPT_ARG_STRING, NULL, OPSAMPLE_SAVE + 1,
	  "save what there is every so many seconds, 0: at the end only (5)", "SECONDS" },
	{ "interrupt", 'i', POPT_ARG_NONE, NULL, INTERRUPT,
	  "stop sleeping threads by the signal, too: whole stacks, but system calls end", NULL },
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
		say_error("out of memory");
		exit(1);
	}
}

static int take(void *context, int option, const char *value, struct op_error *e)
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

/* Which option says the same as a variable. */
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
	return op_error_set(e, -EINVAL, "--%s (%s): '%.60s' is not %s", option_of(variable), wrong,
			    getenv(wrong), opsample_variable_range(variable));
}

static int check(const struct options *o, struct opsample_settings *ret, struct op_error *e)
{
	int err = check_settings(ret, e);

	if (err)
		return err;
	if (!o->command)
		return op_error_set(e, -EINVAL, "no command was given (opsample --help explains)");
	if (ret->format == OPSAMPLE_SESSION && o->output)
		return op_error_set(e, -EINVAL, "--output is for files, and needs --format; the "
				    "folder for a session is --session-dir=DIR");
	if (ret->format == OPSAMPLE_SESSION)
		return 0;
	if (!*ret->output)
		return op_error_set(e, -EINVAL, "--format needs --output=FILE");
	if (o->session_dir || o->append)
		return op_error_set(e, -EINVAL, "--%s is for sessions, and --format asks for a "
				    "file", o->append ? "append" : "session-dir");
	return 0;
}

/* Beside our own folder: build/bin and build/lib, or where make install puts both. */
static int set_library(struct op_error *e)
{
	char *bin = path_program_dir(), *joined = path_join(bin, "../lib/" OPSAMPLE_LIBRARY);
	char *path = path_absolute(joined), *all;
	const char *others = getenv("LD_PRELOAD");
	int err = 0;

	if (!path || !file_exists(path))
		err = op_error_set(e, -ENOENT, "'%s' is not there: opsample and its library are "
				   "installed together", joined);
	else if (strpbrk(path, " :"))
		err = op_error_set(e, -EINVAL, "'%s': no library can be loaded from a folder with "
				   "a blank or a colon in its name", path);
	if (!err) {
		all = xasprintf("%s%s%s", path, others && *others ? ":" : "", others ? others : "");
		if (setenv("LD_PRELOAD", all, 1))
			err = op_error_set(e, -ENOMEM, "out of memory");
		free(all);
	}
	free(bin);
	free(joined);
	free(path);
	return err;
}

/* The earlier session is put aside, as operf does. */
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
		op_error_set(e, err, "--output='%s' cannot be written: its folder: %s",
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
		.after = "Reports of what was sampled: opreport(1), opannotate(1). "
			 "More in: man opsample\n",
		.take = take,
	};
	struct options o = { .append = false };
	struct opsample_settings s;
	struct op_error e = { "" };
	char pid[16];
	int status = 1, err;

	say_set_program("opsample");
	err = tool_options_read(&tool, argc, (const char **)argv, &o, &o.command, &e);
	if (!err)
		err = check(&o, &s, &e);
	if (!err) {
		err = launch_find(o.command[0], &e);
		status = err ? launch_failure_status(err) : 1;
	}
	if (!err)
		err = opsample_target_check(o.command[0], &e);
	if (!err)
		err = set_library(&e);
	if (!err)
		err = s.format == OPSAMPLE_SESSION ? set_session(&o, &s, &e) : set_file(&s, &e);
	if (!err) {
		snprintf(pid, sizeof(pid), "%d", getpid());
		set(OPSAMPLE_PID, pid);
		execvp(o.command[0], o.command);
		status = launch_failure_status(-errno);
		op_error_set(&e, -errno, "'%s' cannot be executed: %s", o.command[0],
			     strerror(errno));
	}
	say_error("%s", e.text);
	free(o.session_dir);
	tool_strings_free(o.command);
	return status;
}
