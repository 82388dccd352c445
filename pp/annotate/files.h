/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files.h - the source files that samples are in */
#ifndef PP_ANNOTATE_FILES_H
#define PP_ANNOTATE_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct annotated_files {
	char **paths;		/* in the order they were come upon */
	size_t nr, room;
	size_t *slots;		/* hash table of index + 1 */
	size_t nr_slots;
};

/*
 * Index of the file that the compiler was told as @path. Spelt in two ways it is still one
 * file: "/src/./lib/../x.c" is "/src/x.c", unless paths are to be taken @as_it_is.
 */
size_t annotated_file_add(struct annotated_files *f, const char *path, bool as_it_is);
void annotated_files_free(struct annotated_files *f);

#endif
