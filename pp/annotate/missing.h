/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * missing.h - report samples without source lines, and lines that may be wrong
 *
 * A listing does not show what is missing from it, so notices do.
 */
#ifndef PP_ANNOTATE_MISSING_H
#define PP_ANNOTATE_MISSING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "pp/annotate/paths.h"
#include "pp/annotate/samples.h"
#include "pp/select/notices.h"

/*
 * Report images without debug information, and unless @compat the share of samples without a line
 * [AN-16].
 */
void missing_lines_notices(const struct annotation *a, bool compat, struct notices *notices);

/* Of the file at @path, which may be NULL. */
struct source_binary source_binary_of(const char *path);

/* For each of @a's files, what is known about the binaries that have samples in it. Malloc'd. */
struct source_binary *source_binaries(const struct annotation *a);

/* Whether the source was changed after @built; false if a time is unknown [AN-17]. */
bool source_is_newer(FILE *source, int64_t built);

#endif
