/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_lines.h - the lines and words of a text in memory, without copies */
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

/* Remove the next line from @all. The line does not include its end, LF or CR LF. */
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

static inline bool text_begins(struct text t, const char *with)
{
	return text_length(t) >= strlen(with) && !memcmp(t.at, with, strlen(with));
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

/* Remove the first word and the blanks before it from @t. Empty when no word is left. */
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
