/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - a table's text, a line at a time, knowing where it is
 *
 * What is wrong with a table is told as a compiler tells it, "events:41:17: why; what to do",
 * so everything that is read here can be pointed at.
 */
#ifndef EVENTS_TABLE_TEXT_H
#define EVENTS_TABLE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

#define TABLE_FILE_MAX (4u << 20) /* bytes; the largest of ours is far below */

/* Where something was read; @file lives as long as the table. */
struct table_where {
	const char *file;
	unsigned int line, column; /* from 1 */
};

struct table_text {
	const char *file; /* name for messages */
	char *next;	  /* not yet read */
	char *line;	  /* the present one, NUL terminated; its reader spoils it */
	unsigned int nr;
};

/*
 * Read @len bytes of @text, NUL terminated, which is spoiled. -EINVAL, with the place in @e:
 * not UTF-8, or a NUL inside. [EV-3]
 */
int table_text_open(struct table_text *t, const char *file, char *text, size_t len,
		    struct op_error *e);

/* The next line that is neither blank nor a comment, without its end; NULL after the last. */
char *table_text_line(struct table_text *t);

/* Cut the next blank-separated word off *@rest; NULL when there is none. */
char *table_text_word(char **rest);

/* Where @at, in the present line, is. */
struct table_where table_text_where(const struct table_text *t, const char *at);

/* "FILE:LINE:COLUMN: " and @format; returns -EINVAL. */
int table_error(const struct table_where *where, struct op_error *e, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
