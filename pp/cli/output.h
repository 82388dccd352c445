/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.h - print notices, write a report to a file, a pager or standard output */
#ifndef PP_CLI_OUTPUT_H
#define PP_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include "libutil/error.h"
#include "pp/select/notices.h"

/* Print each as a warning. */
void report_notices(const struct notices *notices);

/*
 * Let @print write @report to the file @path
 * as output_replace() does, or if that is NULL to standard output, through a
 * pager if @paged and that is a terminal [RP-13]. Returns the exit status; errors are printed.
 */
int output_write(const char *path, bool paged, void (*print)(const void *report, FILE *out),
		 const void *report);

/*
 * Replace the regular file @path, or the one it links to, or create it: an interrupt or an error
 * leaves the earlier one.
 */
int output_replace(const char *path, const char *bytes, size_t size, struct op_error *e);

#endif
