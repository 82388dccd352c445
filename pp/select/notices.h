/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notices.h - warnings about the data of a report
 *
 * The stages of a report do not print: they add notices, and the program prints them before the
 * report. Equal notices are kept once. Those of which there may be one for each image have a kind:
 * unless all are asked for, one line stands for those of a kind (notices_brief()).
 */
#ifndef PP_SELECT_NOTICES_H
#define PP_SELECT_NOTICES_H

#include <stdbool.h>
#include <stddef.h>

enum notice_kind {
	NOTICE_WARNING,
	NOTICE_SUMMARY,		/* stands for the NOTICE_STRIPPED */
	NOTICE_STRIPPED,
	NOTICE_DETAIL,		/* nothing is wrong: only in the list of all */
	NOTICE_NOT_FOUND,
	NOTICE_CHANGED,
	NOTICE_NOT_FETCHED,
	NOTICE_NO_LINES,
	NR_NOTICE_KINDS
};

struct notices {
	char **texts;
	enum notice_kind *kinds;
	size_t nr, room, kinds_room;
};

void notice_add(struct notices *notices, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void notice_add_kind(struct notices *notices, enum notice_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Whether it belongs to the list of all; else something that is in the list has the details. */
bool notice_is_listed(const struct notices *notices, size_t i);

/* Make @ret, empty, the at most three lines that stand for all of them. */
void notices_brief(const struct notices *notices, struct notices *ret);
/* Move those of @more to the end of @notices; @more is freed. */
void notices_append(struct notices *notices, struct notices *more);
void notices_free(struct notices *notices);

#endif
