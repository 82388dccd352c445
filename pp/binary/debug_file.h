/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_file.h - find the separate debug file of a stripped binary
 *
 * A wrong debug file is worse than none: its names would be given to other code. So the
 * build-ids must be equal or, where there are none, the checksum in .gnu_debuglink right [SY-7].
 */
#ifndef PP_BINARY_DEBUG_FILE_H
#define PP_BINARY_DEBUG_FILE_H

#include "pp/binary/object_file.h"

/*
 * Open the debug file of @image, which is at @path; @root comes before /usr/lib/debug.
 * 0: *ret is open and *ret_path its name. -ENOENT: there is none; *ret_looked names the places,
 * comma separated, or is NULL if the image has neither build-id nor link. All malloc'd.
 */
int debug_file_open(const struct object_file *image, const char *path, const char *root,
		    struct object_file *ret, char **ret_path, char **ret_looked);

/*
 * There is one of that build-id (hex digits) at @path: it is looked at last. For the rest of
 * the process; to be called while there is one thread.
 */
void debug_file_fetched(const char *build_id, const char *path);

#endif
