/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - the text of a table, line by line, with positions for messages
 *
 * Errors in a table are reported as a compiler does, "events:41:17: what is wrong", so everything
 * read here has a position.
 */
#ifndef EVENTS_TABLE_TEXT_H
#define EVENTS_TABLE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

#define TABLE_FILE_MAX (4u << 20) /* bytes; far more than any table has */

/* A position in a table; @file lives as long as the table. */
struct table_where {
	const char *file;
	unsigned int line, column; /* from 1 */
};

struct table_text {
	const char *file; /* name for messages */
	char *next;	  /* not yet read */
	char *line;	  /* the current one, NUL terminated; the caller modifies it */
	unsigned int nr;
};

/*
 * Read @len bytes of @text, NUL terminated, which is modified. -EINVAL: invalid UTF-8, or a NUL
 * inside. [EV-3]
 */
int table_text_open(struct table_text *t, const char *file, char *text, size_t len,
		    struct op_error *e);

/* The next line that is neither blank nor a comment, without the newline; NULL at the end. */
char *table_text_line(struct table_text *t);

/* Cut the next blank-separated word off *@rest; NULL at the end. */
char *table_text_word(char **rest);

/* The position of @at, in the current line. */
struct table_where table_text_where(const struct table_text *t, const char *at);

/* "FILE:LINE:COLUMN: " and @format; returns -EINVAL. */
int table_error(const struct table_where *where, struct op_error *e, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
