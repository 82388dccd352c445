/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h - where source files are read from, and annotated ones written to
 *
 * Paths come out of debug information, so they may be anything: what is written stays below the
 * output folder, and never replaces the source.
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
 * Open @path for reading: in --search-dirs, without the first of --base-dirs that it begins
 * with, then where it says itself. NULL with errno; *ret_found (malloc'd) is where it was.
 */
FILE *source_open(const struct annotate_options *o, const char *path, char **ret_found);

/*
 * Make the file for @path below --output-dir, and folders on the way. NULL with @e set; @source
 * (may be NULL) is the file that must not be written over.
 */
FILE *source_create(const struct annotate_options *o, const char *path, const char *source,
		    struct op_error *e);

#endif
