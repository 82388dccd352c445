/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_lines.h - bytes of a file as lines, without copies; for formats that are text */
#ifndef TEXT_LINES_H
#define TEXT_LINES_H

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

static inline bool text_has_controls(struct text t)
{
	for (; t.at < t.end; t.at++)
		if ((unsigned char)*t.at < ' ' && *t.at != '\t')
			return true;
	return false;
}

#endif
