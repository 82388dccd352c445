/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_lines.h - bytes of a file as lines, without copies; for formats that are text */
#ifndef FORMATS_FILE_TEXT_LINES_H
#define FORMATS_FILE_TEXT_LINES_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct text {
	const char *at, *end;
};

static inline size_t text_length(struct text t)
{
	return (size_t)(t.end - t.at);
}

/* The next line of @all, which is shortened; its end, LF or CR LF, is not part of it. */
static inline bool text_next_line(struct text *all, struct text *line)
{
	const char *newline;

	if (all->at == all->end)
		return false;
	newline = memchr(all->at, '\n', text_length(*all));
	*line = (struct text){ all->at, newline ? newline : all->end };
	all->at = newline ? newline + 1 : all->end;
	if (line->end > line->at && line->end[-1] == '\r')
		line->end--;
	return true;
}

static inline bool text_is(struct text t, const char *text)
{
	return text_length(t) == strlen(text) && !memcmp(t.at, text, text_length(t));
}

static inline void text_trim(struct text *t)
{
	while (t->at < t->end && isblank((unsigned char)*t->at))
		t->at++;
	while (t->end > t->at && isblank((unsigned char)t->end[-1]))
		t->end--;
}

/* Cut the first word off @t, and the blanks before it; empty when there is none left. */
static inline struct text text_first_word(struct text *t)
{
	struct text word;

	while (t->at < t->end && isblank((unsigned char)*t->at))
		t->at++;
	word.at = t->at;
	while (t->at < t->end && !isblank((unsigned char)*t->at))
		t->at++;
	word.end = t->at;
	return word;
}

static inline bool text_has_controls(struct text t)
{
	for (; t.at < t.end; t.at++)
		if ((unsigned char)*t.at < ' ' && *t.at != '\t')
			return true;
	return false;
}

#endif
