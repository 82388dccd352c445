// SPDX-License-Identifier: GPL-2.0-or-later
/* strbuf.c - a growing string; room grows by half, so n additions cost O(n) */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

char strbuf_empty[1];	/* shared by all empty strbufs; never written */

/* Make room for @extra more bytes and the NUL. */
static void strbuf_reserve(struct strbuf *s, size_t extra)
{
	size_t need, room;

	if (__builtin_add_overflow(s->len, extra, &need) || need + 1 == 0)
		need = SIZE_MAX - 1;	/* xrealloc_array() reports the failure */
	need++;
	if (need <= s->room)
		return;
	room = s->room + s->room / 2;
	if (room < need)
		room = need < 64 ? 64 : need;
	s->text = xrealloc_array(s->room ? s->text : NULL, room, 1);
	s->room = room;
}

void strbuf_add_bytes(struct strbuf *s, const void *bytes, size_t n)
{
	if (!n)
		return;
	strbuf_reserve(s, n);
	memcpy(s->text + s->len, bytes, n);
	s->len += n;
	s->text[s->len] = '\0';
}

void strbuf_add(struct strbuf *s, const char *text)
{
	strbuf_add_bytes(s, text, strlen(text));
}

void strbuf_add_char(struct strbuf *s, char c)
{
	strbuf_add_bytes(s, &c, 1);
}

void strbuf_vaddf(struct strbuf *s, const char *format, va_list args)
{
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	if (n > 0) {
		strbuf_reserve(s, (size_t)n);
		vsnprintf(s->text + s->len, (size_t)n + 1, format, again);
		s->len += (size_t)n;
	}
	va_end(again);
}

void strbuf_addf(struct strbuf *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	strbuf_vaddf(s, format, args);
	va_end(args);
}

void strbuf_truncate(struct strbuf *s, size_t len)
{
	if (len >= s->len)
		return;
	s->len = len;
	s->text[len] = '\0';
}

void strbuf_reset(struct strbuf *s)
{
	strbuf_truncate(s, 0);
}

void strbuf_free(struct strbuf *s)
{
	if (s->room)
		free(s->text);
	*s = (struct strbuf)STRBUF_INIT;
}

char *strbuf_steal(struct strbuf *s)
{
	char *text;

	strbuf_reserve(s, 0);
	text = s->text;
	text[s->len] = '\0';
	*s = (struct strbuf)STRBUF_INIT;
	return text;
}
