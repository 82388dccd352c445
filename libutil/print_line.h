/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print_line.h - print lines of a report, whose names may hold anything, as plain text */
#ifndef LIBUTIL_PRINT_LINE_H
#define LIBUTIL_PRINT_LINE_H

#include <stdio.h>
#include "libutil/strbuf.h"

/* Append @text as plain text. */
void plain_add(struct strbuf *to, const char *text);

/* The same for a part of a folded stack, whose parts ';' separates: it becomes ':'. */
void plain_add_folded(struct strbuf *to, const char *text);

/* Replace the control characters of @line; a tab at its start stays. */
void plain_line(struct strbuf *line);

/* Print @line as plain text with a newline, and reset it. */
void print_line(struct strbuf *line, FILE *out);

#endif
