/* SPDX-License-Identifier: GPL-2.0-or-later */
/* common_options.h - what options that several of the tools have mean in each of them */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include <popt.h>
#include <stdbool.h>
#include "demangle_name.h"
#include "error.h"

enum { OPT_HELP = 1, OPT_USAGE, OPT_VERSION };	/* what popt returns for them */

#define COMMON_OPTIONS_HELP                                                                    \
	{ "version", 'v', POPT_ARG_NONE, NULL, OPT_VERSION, "show the version", NULL },        \
	{ "help", '?', POPT_ARG_NONE, NULL, OPT_HELP, "show this", NULL },                     \
	{ "usage", 0, POPT_ARG_NONE, NULL, OPT_USAGE, "show the options in short", NULL }

/* Read all options. 1: help, usage or version is asked for, all else is void; -EINVAL. */
int options_read(poptContext context, bool *help, bool *usage, bool *version, struct op_error *e);

enum {			/* --verbose=: stages that print their result on stderr */
	PRINT_FILES = 1,
	PRINT_CLASSES = 2,
	PRINT_IMAGES = 4,
	PRINT_SYMBOLS = 8,
	PRINT_ROWS = 16,
	PRINT_CALLS = 32,
};

/* Of the words given, which may be NULL. 0 or -EINVAL. */
int option_verbose(const char *list, unsigned int *ret_print, struct op_error *e);
int option_threshold(const char *percent, double *ret, struct op_error *e);

/*
 * --compat= or OPROFILE_COMPAT in the environment, and --demangle=, which depends on it: where
 * the original is to be equalled, smart is the original's.
 */
int option_compat(const char *word, bool *ret, struct op_error *e);
int option_demangle(const char *word, bool compat, enum demangle_style *ret, struct op_error *e);

#endif
