/* SPDX-License-Identifier: GPL-2.0-or-later */
/* option_help.h - print the help of a popt table */
#ifndef LIBUTIL_OPTION_HELP_H
#define LIBUTIL_OPTION_HELP_H

#include <popt.h>
#include <stdio.h>

/*
 * Print a line for each of @options, up to the entry without a name. popt's own help moves all
 * descriptions into a narrow column if one option is long; here the description of a long option
 * starts on a new line.
 */
void option_help_print(const struct poptOption *options, FILE *out);

#endif
