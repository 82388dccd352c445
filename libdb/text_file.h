/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_file.h - what the session's text files have in common: lines, escapes, where an error is */
#ifndef TEXT_FILE_H
#define TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "error.h"
#include "strbuf.h"

/* Walks the lines of @p .. @end, writable and NUL terminated at @end. */
struct text_lines {
	char *p, *end;
	unsigned int number;	/* of the line last returned, from 1 */
	bool cut;		/* that line had no newline: its writer was killed [SS-3] */
};

/* The next line, its newline made a NUL; NULL at the end. *ret_len may exceed strlen(): a NUL. */
char *text_next_line(struct text_lines *lines, size_t *ret_len);

/* The next word of *@p, ended by one blank that is made a NUL; NULL when none is left. */
char *text_next_word(char **p);

/* Lower-case or upper-case hex digits only, all of @word. */
bool text_parse_hex(const char *word, uint64_t *ret);
/* Whether @word is lower-case hex digits, one at least: a build-id as files have it. */
bool text_is_hex(const char *word);
/* Decimal digits only, all of @word, which may be NULL. */
bool text_parse_decimal(const char *word, uint64_t *ret);

/* "-EPROTO: NAME:LINE: WHY" */
int text_error(const struct text_lines *lines, const char *name, const char *why,
	       struct op_error *e);

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
