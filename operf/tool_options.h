/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tool_options.h - command lines of operf and ocount: own options end where the command begins */
#ifndef OPERF_TOOL_OPTIONS_H
#define OPERF_TOOL_OPTIONS_H

#include <popt.h>
#include "libutil/error.h"

enum { TOOL_HELP = 1000, TOOL_USAGE, TOOL_VERSION };

/* The end of a program's table. */
#define TOOL_OPTIONS_END                                                                       \
	{ "help", 'h', POPT_ARG_NONE, NULL, TOOL_HELP, "show this", NULL },                    \
	{ "usage", 'u', POPT_ARG_NONE, NULL, TOOL_USAGE, "show how it is called", NULL },      \
	{ "version", 'v', POPT_ARG_NONE, NULL, TOOL_VERSION, "show the version", NULL },       \
	POPT_TABLEEND

struct tool_options {
	const char *program;
	const struct poptOption *table;	/* values above 0; no variables */
	const char *usage, *after;	/* lines of the help: first, and last */
	/* An option, and its argument or NULL: 0, or -EINVAL, told in @e. */
	int (*take)(void *context, int option, const char *value, struct op_error *e);
};

/*
 * Hand the options in @argv to take(); *ret_command is what follows them: NULL, or to be freed with
 * tool_strings_free() and NULL terminated. Prints help, usage or the version and exits 0 if asked
 * to. -EINVAL with one line in @e.
 */
int tool_options_read(const struct tool_options *t, int argc, const char **argv, void *context,
		      char ***ret_command, struct op_error *e);
/* Up to the NULL; @strings may be NULL itself. */
void tool_strings_free(char **strings);

#endif
