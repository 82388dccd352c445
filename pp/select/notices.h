/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notices.h - what a report's reader should know about the data, each thing once
 *
 * The stages of a report do not print: they leave a sentence here, and the program speaks
 * before the report. The same sentence is kept once.
 */
#ifndef PP_SELECT_NOTICES_H
#define PP_SELECT_NOTICES_H

#include <stddef.h>

struct notices {
	char **texts;
	size_t nr, room;
};

void notice_add(struct notices *notices, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Move those of @more to the end of @notices; @more is freed. */
void notices_append(struct notices *notices, struct notices *more);
void notices_free(struct notices *notices);

#endif
