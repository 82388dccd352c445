/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source.h - source files with the samples of each line in front of it */
#ifndef PP_ANNOTATE_SOURCE_H
#define PP_ANNOTATE_SOURCE_H

#include <stdio.h>
#include "libutil/error.h"
#include "pp/annotate/options.h"
#include "pp/annotate/samples.h"
#include "pp/select/notices.h"

/*
 * Print the files that are asked for to @out, those with most samples first, or each to a file of
 * its own with --output-dir; then @header ends each of them. @first_class_only: what the threshold
 * looks at. -errno: a file could not be written, @e says which. Sources that cannot be read are
 * told in @notices.
 */
int annotate_source(const struct annotation *a, const struct annotate_options *options,
		    const char *header, bool first_class_only, FILE *out,
		    struct notices *notices, struct op_error *e);

#endif
