/* SPDX-License-Identifier: GPL-2.0-or-later */
/* option_help.h - a popt table for people */
#ifndef LIBUTIL_OPTION_HELP_H
#define LIBUTIL_OPTION_HELP_H

#include <popt.h>
#include <stdio.h>

/*
 * A line for each of @options, up to the entry without a name. popt's own help gives all texts a
 * narrow column as soon as one option is long; here the text of a long one begins a new line.
 */
void option_help_print(const struct poptOption *options, FILE *out);

#endif
