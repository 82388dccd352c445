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
#include "pp/annotate/samples.h"
#include "pp/select/notices.h"

/* Report images without debug information, and the share of samples without a line [AN-16]. */
void missing_lines_notices(const struct annotation *a, struct notices *notices);

/* Modification time of the file at @path, in seconds; 0: unknown, or @path is NULL. */
int64_t file_time(const char *path);

/*
 * For each of @a's files, the modification time of the newest binary that has samples in it; 0:
 * unknown. Malloc'd.
 */
int64_t *source_binary_times(const struct annotation *a);

/* Whether the source was changed after @built; false if a time is unknown [AN-17]. */
bool source_is_newer(FILE *source, int64_t built);

#endif
