/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain_text.h - untrusted text without characters that act on what shows it
 *
 * File names and strings in session files may hold anything; printed, they must not control the
 * terminal, start a new line, change the order in which other text is shown, or look like another
 * name. So control characters (C0, DEL, C1), line and paragraph separators, marks of writing
 * direction, invisible characters, and bytes that are not UTF-8 become '?', one for each byte.
 */
#ifndef LIBUTIL_PLAIN_TEXT_H
#define LIBUTIL_PLAIN_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Bytes of the first character of @text; 0: its first byte becomes '?', or @text is empty. */
size_t plain_length(const char *text);

/* In place. @text[len] is '\0'. */
void plain_text(char *text, size_t len);

void plain_put(const char *text, FILE *out);

/* Cut the middle out of each word, such as a path, that is longer than 300 bytes. */
void shorten_words(char *text);

#endif
