/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain_text.h - untrusted text without control characters
 *
 * File names and strings in session files may hold anything; printed, they must neither control
 * the terminal nor start a new line.
 */
#ifndef LIBUTIL_PLAIN_TEXT_H
#define LIBUTIL_PLAIN_TEXT_H

#include <stddef.h>

/* @c, or '?' for a control character. */
static inline char plain_char(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f ? '?' : c;
}

static inline void plain_text(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		text[i] = plain_char(text[i]);
}

/* Cut the middle out of each word, such as a path, that is longer than 300 bytes. */
void shorten_words(char *text);

#endif
