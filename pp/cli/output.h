/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.h - where what a program says goes: notices, and a report to a file or a pager */
#ifndef PP_CLI_OUTPUT_H
#define PP_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include "pp/select/notices.h"

/* Each as a warning. */
void say_notices(const struct notices *notices);

/*
 * Let @print write @report to the file @path, or if that is NULL to standard output, through a
 * pager if @paged and there is a terminal [RP-13]. Exit status; what failed has been said.
 */
int output_write(const char *path, bool paged, void (*print)(const void *report, FILE *out),
		 const void *report);

#endif
