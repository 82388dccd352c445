/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_file.h - the session's text files: lines, words, escapes, places of errors */
#ifndef LIBDB_SESSION_TEXT_FILE_H
#define LIBDB_SESSION_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"
#include "libutil/strbuf.h"

enum text_last {		/* how to treat a last line without newline */
	TEXT_LAST_REFUSED,
	TEXT_LAST_IGNORED,	/* in a file that is appended to: its writer was killed [SS-3] */
	TEXT_LAST_ACCEPTED,
};

/* The lines of @p .. @end, writable and NUL-terminated at @end. */
struct text_lines {
	char *p, *end;
	const char *name;	/* of the file, for errors */
	enum text_last last;
	unsigned int number;	/* of the current line, from 1 */
};

/*
 * Call @parse for each line, its newline replaced by a NUL; it returns NULL or what is wrong.
 * -EPROTO with the reason in @e: that, a NUL byte, or a truncated line.
 */
int text_each_line(struct text_lines *lines, const char *(*parse)(void *context, char *line),
		   void *context, struct op_error *e);

/* The next word of *@p, whose blank behind it is replaced by a NUL; NULL at the end. */
char *text_next_word(char **p);

/* @word must be hex digits of either case only. */
bool text_parse_hex(const char *word, uint64_t *ret);
/* Whether @word is one or more lower-case hex digits: a build ID in these files. */
bool text_is_hex(const char *word);
/* @word must be decimal digits only; NULL is false. */
bool text_parse_decimal(const char *word, uint64_t *ret);

/* "-EPROTO: NAME:LINE: WHY" */
int text_error(const struct text_lines *lines, const char *why, struct op_error *e);

/* Append @s with '\', control characters and, if @blanks_too, blanks as \ooo. [SS-2] */
void text_add_escaped(struct strbuf *out, const char *s, bool blanks_too);
/* Reverse that in place; false: a '\' not followed by three octal digits, or \000. */
bool text_unescape(char *s);

/*
 * Append @len bytes to the file @path, created if needed, in one write(). If only a part of them
 * fits on the disk, it is removed again: -ENOSPC.
 */
int text_append(const char *path, const char *text, size_t len);

#endif
