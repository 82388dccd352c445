/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source.h - print source files with the samples of each line */
#ifndef PP_ANNOTATE_SOURCE_H
#define PP_ANNOTATE_SOURCE_H

#include <stdio.h>
#include "libutil/error.h"
#include "pp/annotate/options.h"
#include "pp/annotate/samples.h"
#include "pp/select/notices.h"

/*
 * Print the selected files to @out, those with most samples first; with --output-dir each to a file
 * of its own, which ends with @header. @first_class_only: the threshold applies to the first class
 * only. -errno: a file could not be written, @e names it. @notices names unreadable sources.
 */
int annotate_source(const struct annotation *a, const struct annotate_options *options,
		    const char *header, bool first_class_only, FILE *out,
		    struct notices *notices, struct op_error *e);

#endif
