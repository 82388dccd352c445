/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines.h - lines of a profile feedback text and their fields */
#ifndef FEEDBACK_XPROF_LINES_H
#define FEEDBACK_XPROF_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

struct format_warnings;

#define XPROF_NAME_MAX	65535	/* bytes of a name or path */

struct span {
	const char *at, *end;
};

static inline size_t span_len(const struct span *s)
{
	return s->end - s->at;
}

/* The number of bytes that a message shows. */
static inline int span_short(const struct span *s)
{
	return span_len(s) < 40 ? (int)span_len(s) : 40;
}

struct xprof_lines {
	const char *path;		/* of the file, for messages */
	const char *at, *end;		/* the rest of the text */
	struct span line;		/* the current line, without blanks around it */
	uint32_t number;		/* of the current line, starting with 1 */
	bool is_end;			/* past the last line */
	bool warned_of_cr;
	const struct format_warnings *warnings;
	struct op_error *e;
};

/* Go to the next line that is not blank [XP-2]. */
void xprof_lines_next(struct xprof_lines *l);

/* Set l->e to "PATH:NUMBER: ..." and return -EPROTO. */
int xprof_lines_fail(const struct xprof_lines *l, uint32_t number, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Does the current line begin with @word? xprof_lines_skip() also skips it and blanks after it. */
bool xprof_lines_begins(const struct xprof_lines *l, const char *word);
bool xprof_lines_skip(struct xprof_lines *l, const char *word);

/* Does the line begin with @letter and a digit? */
bool xprof_lines_is_record(const struct xprof_lines *l, char letter);

/* Remove the first or last field, separated by blanks, from the line. It may be empty. */
struct span span_first(struct span *line);
struct span span_last(struct span *line);

/* Parse a whole field: decimal without a sign, or "0x" and up to 16 digits. */
bool span_u32(struct span field, uint32_t *ret);
bool span_u64(struct span field, uint64_t *ret);
bool span_hex(struct span field, uint64_t *ret);

/* Skip @c at the start of @s; false: it is missing. */
bool span_skip(struct span *s, char c);

/* Parse and skip the digits at the start of @s. */
bool span_number(struct span *s, uint32_t *ret);

/* NULL if @text may be a name or path [XP-4], otherwise what is wrong with it. */
const char *xprof_name_fault(const char *text, size_t len);

#endif
