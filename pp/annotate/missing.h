/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * missing.h - what the lines that are shown leave out, and lines that may be wrong
 *
 * A listing looks complete whatever is missing from it: that has to be said in words.
 */
#ifndef PP_ANNOTATE_MISSING_H
#define PP_ANNOTATE_MISSING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "pp/annotate/samples.h"
#include "pp/select/notices.h"

/* Images without debug information, and the share of samples that have no source line [AN-16]. */
void missing_lines_notices(const struct annotation *a, struct notices *notices);

/* When the file at @path was last changed, in seconds; 0: not known, also of NULL. */
int64_t file_time(const char *path);

/*
 * When the newest binary that has samples in it was made, for each of @a's files; 0: not known.
 * malloc'd.
 */
int64_t *source_binary_times(const struct annotation *a);

/* Was the source changed after @built? What is not known is no reason to say so [AN-17]. */
bool source_is_newer(FILE *source, int64_t built);

#endif
