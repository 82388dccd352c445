/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tool_options.h - command lines of operf, ocount and opsample: options, then a command */
#ifndef OPERF_TOOL_OPTIONS_H
#define OPERF_TOOL_OPTIONS_H

#include <popt.h>
#include "libutil/error.h"

enum { TOOL_HELP = 1000, TOOL_USAGE, TOOL_VERSION };

/* The end of a program's table. */
#define TOOL_OPTIONS_END                                                                       \
	{ "help", 'h', POPT_ARG_NONE, NULL, TOOL_HELP, "show this help", NULL },               \
	{ "usage", 'u', POPT_ARG_NONE, NULL, TOOL_USAGE, "show a brief usage message", NULL }, \
	{ "version", 'v', POPT_ARG_NONE, NULL, TOOL_VERSION, "show the version", NULL },       \
	POPT_TABLEEND

struct tool_options {
	const char *program;
	const struct poptOption *table;	/* values above 0; no variables */
	const char *usage, *after;	/* first and last lines of the help */
	/* handle an option and its argument (or NULL): 0 or -EINVAL */
	int (*handle)(void *context, int option, const char *value, struct op_error *e);
};

/*
 * Pass the options in @argv to handle(). *ret_command: the arguments after them, NULL-terminated,
 * to be freed with tool_strings_free(); NULL if there are none. For --help, --usage and --version
 * prints the answer and exits with status 0. -EINVAL: invalid.
 */
int tool_options_parse(const struct tool_options *t, int argc, const char **argv, void *context,
		      char ***ret_command, struct op_error *e);
/* @strings: NULL-terminated, or NULL. */
void tool_strings_free(char **strings);

#endif
