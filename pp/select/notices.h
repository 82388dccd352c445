/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notices.h - warnings about the data of a report
 *
 * The stages of a report do not print: they add notices, and the program prints them before the
 * report. Equal notices are kept once.
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
