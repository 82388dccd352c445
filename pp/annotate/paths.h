/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h - open source files, and create annotated ones
 *
 * Paths come from debug information and are hostile input: created files are always below the
 * output folder, and a source is never overwritten.
 */
#ifndef PP_ANNOTATE_PATHS_H
#define PP_ANNOTATE_PATHS_H

#include <stdbool.h>
#include <stdio.h>
#include "libutil/error.h"
#include "pp/annotate/options.h"

/* --include-file, --exclude-file: globs for the path, its base name or one of its folders. */
bool source_is_wanted(const struct annotate_options *o, const char *path);

/*
 * Open @path for reading: first below --search-dirs, after removing the first of --base-dirs that
 * it begins with, then at @path itself. NULL with errno; *ret_found (malloc'd) is the path opened.
 */
FILE *source_open(const struct annotate_options *o, const char *path, char **ret_found);

/*
 * Write @text as the file for @path below --output-dir, and make its folders. @source, or NULL,
 * must not be overwritten.
 */
int source_write_copy(const struct annotate_options *o, const char *path, const char *source,
		      const char *text, size_t len, struct op_error *e);

#endif
