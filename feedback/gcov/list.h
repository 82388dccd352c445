/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list.h - the .gcno files for the files and folders on a command line */
#ifndef FEEDBACK_GCOV_LIST_H
#define FEEDBACK_GCOV_LIST_H

#include <stddef.h>
#include "libutil/error.h"

struct gcov_list {
	char **paths;		/* absolute, sorted, each once */
	size_t nr, room;
};

/*
 * Add all notes below the folder @what, or the notes @what, or the notes beside FILE.o or
 * FILE.gcda. -ENOENT, -EINVAL, ...: @e reports what is missing or invalid.
 */
int gcov_list_add(struct gcov_list *list, const char *what, struct op_error *e);
/* Sort the list and remove duplicates. */
void gcov_list_finish(struct gcov_list *list);
void gcov_list_free(struct gcov_list *list);

/* PATH.gcno with another suffix, such as ".gcda"; malloc'd. */
char *gcov_list_beside(const char *path, const char *suffix);

#endif
