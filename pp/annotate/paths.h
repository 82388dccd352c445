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
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include "libutil/error.h"
#include "pp/annotate/options.h"

/* --include-file, --exclude-file: globs for the path, its base name or one of its folders. */
bool source_is_wanted(const struct annotate_options *o, const char *path);

/* What is known of the binaries whose debug information names a source. */
struct source_binary {
	int64_t built;		/* modification time of the newest, in seconds; 0: unknown */
	uid_t owner;		/* of all of them; 0: root, several, or unknown */
};

/*
 * Open @path for reading: first below --search-dirs, after removing the first of --base-dirs that
 * it begins with, then at @path itself. NULL with errno; *ret_found (malloc'd) is the path opened.
 *
 * -EPERM: root may read any file, but a user who can name it in debug information, and gets to see
 * the report, may not. So root reads only what everybody may read and reach, and what belongs to
 * @owner of the binary, and nothing that the kernel makes up. What belongs to root is not enough:
 * root also owns copies of users' binaries. [AN-18]
 */
FILE *source_open(const struct annotate_options *o, const char *path, uid_t owner,
		  char **ret_found);

/* The reason why source_open() failed, for messages. */
const char *source_error(int error);

/*
 * Write @text as the file for @path below --output-dir, and make its folders. @source, or NULL,
 * must not be overwritten.
 */
int source_write_copy(const struct annotate_options *o, const char *path, const char *source,
		      const char *text, size_t len, struct op_error *e);

#endif
