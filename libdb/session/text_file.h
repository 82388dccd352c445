/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_file.h - what the session's text files have in common: lines, escapes, where an error is */
#ifndef LIBDB_SESSION_TEXT_FILE_H
#define LIBDB_SESSION_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"
#include "libutil/strbuf.h"

enum text_cut {			/* a last line without newline */
	TEXT_CUT_REFUSED,
	TEXT_CUT_LEFT_OUT,	/* of a file that is appended to: its writer was killed [SS-3] */
	TEXT_CUT_TAKEN,
};

/* The lines of @p .. @end, writable and NUL terminated at @end. */
struct text_lines {
	char *p, *end;
	const char *name;	/* of the file, for errors */
	enum text_cut cut;
	unsigned int number;	/* of the line that was walked last, from 1 */
};

/*
 * Hand each line, its newline made a NUL, to @parse, which returns NULL or what is wrong with it.
 * -EPROTO, told in @e: that, a NUL byte, or a line that is cut short.
 */
int text_each_line(struct text_lines *lines, const char *(*parse)(void *context, char *line),
		   void *context, struct op_error *e);

/* The next word of *@p, ended by one blank that is made a NUL; NULL when none is left. */
char *text_next_word(char **p);

/* Lower-case or upper-case hex digits only, all of @word. */
bool text_parse_hex(const char *word, uint64_t *ret);
/* Whether @word is lower-case hex digits, one at least: a build-id as files have it. */
bool text_is_hex(const char *word);
/* Decimal digits only, all of @word, which may be NULL. */
bool text_parse_decimal(const char *word, uint64_t *ret);

/* "-EPROTO: NAME:LINE: WHY" */
int text_error(const struct text_lines *lines, const char *why, struct op_error *e);

/* Append @s with '\', control characters and, if asked, blanks as \ooo. [SS-2] */
void text_add_escaped(struct strbuf *out, const char *s, bool blanks_too);
/* Undo that in place; false: a '\' not followed by three octal digits, or \000. */
bool text_unescape(char *s);

/*
 * Append @len bytes to the file @path, made if need be, in one write(); if only part of them got to
 * the disk, none stay: -ENOSPC.
 */
int text_append(const char *path, const char *text, size_t len);

#endif
