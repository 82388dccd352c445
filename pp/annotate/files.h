/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files.h - the source files that samples are in */
#ifndef PP_ANNOTATE_FILES_H
#define PP_ANNOTATE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include "libutil/table.h"

struct annotated_files {
	char **paths;		/* in the order in which they were added */
	size_t nr, room;
	struct hash_table by_path;
};

/*
 * Index of the file @path, added if it is new. "/src/./lib/../x.c" is the same file as "/src/x.c",
 * unless the path is taken @as_it_is.
 */
size_t annotated_file_add(struct annotated_files *f, const char *path, bool as_it_is);
void annotated_files_free(struct annotated_files *f);

#endif
