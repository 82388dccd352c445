/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strbuf.h - a growing string
 *
 * Start from STRBUF_INIT; @text is always NUL terminated and never NULL. Running out of
 * memory ends the program (xalloc.h), so a string is never silently truncated.
 */
#ifndef LIBUTIL_STRBUF_H
#define LIBUTIL_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

struct strbuf {
	char *text;
	size_t len;	/* without the NUL */
	size_t room;	/* 0: @text is the shared empty string */
};

extern char strbuf_empty[];
#define STRBUF_INIT { strbuf_empty, 0, 0 }

void strbuf_add(struct strbuf *s, const char *text);
void strbuf_add_bytes(struct strbuf *s, const void *bytes, size_t n);
void strbuf_add_char(struct strbuf *s, char c);
void strbuf_addf(struct strbuf *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strbuf_vaddf(struct strbuf *s, const char *format, va_list args);
void strbuf_truncate(struct strbuf *s, size_t len);	/* len <= s->len */
void strbuf_reset(struct strbuf *s);			/* empty it, but keep the room */
void strbuf_free(struct strbuf *s);			/* back to STRBUF_INIT */
char *strbuf_steal(struct strbuf *s);			/* the caller frees it; @s becomes empty */

#endif
