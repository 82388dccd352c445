/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_file.h - find the separate debug file of a stripped binary
 *
 * A wrong debug file is worse than none, because its names would be given to other code. The
 * build-ids must be equal or, if there are none, the checksum in .gnu_debuglink must match [SY-7].
 */
#ifndef PP_BINARY_DEBUG_FILE_H
#define PP_BINARY_DEBUG_FILE_H

#include "pp/binary/object_file.h"

/*
 * Open the debug file of @image, which is at @path; @root is prepended to /usr/lib/debug.
 * 0: *ret is open and *ret_path is its name. -ENOENT: not found; *ret_looked has the places,
 * separated by commas, or is NULL if the image has neither build-id nor link. All malloc'd.
 */
int debug_file_open(const struct object_file *image, const char *path, const char *root,
		    struct object_file *ret, char **ret_path, char **ret_looked);

/*
 * Remember that the debug file of @build_id (hex digits) is at @path, which is tried last, for the
 * rest of the process. Call it while there is one thread.
 */
void debug_file_fetched(const char *build_id, const char *path);

#endif
