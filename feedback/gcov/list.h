/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list.h - the .gcno files that files and folders named on a command line stand for */
#ifndef FEEDBACK_GCOV_LIST_H
#define FEEDBACK_GCOV_LIST_H

#include <stddef.h>
#include "libutil/error.h"

struct gcov_list {
	char **paths;		/* absolute, sorted, each once */
	size_t nr, room;
};

/*
 * A folder: all notes below it. A file: itself, or for FILE.o, FILE.gcda the notes beside it.
 * -ENOENT and others: @e says what is not there.
 */
int gcov_list_add(struct gcov_list *list, const char *what, struct op_error *e);
void gcov_list_finish(struct gcov_list *list);
void gcov_list_free(struct gcov_list *list);

/* PATH.gcno with another suffix, which has its dot; malloc'd. */
char *gcov_list_beside(const char *path, const char *suffix);

#endif
