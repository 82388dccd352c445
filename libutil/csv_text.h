/* SPDX-License-Identifier: GPL-2.0-or-later */
/* csv_text.h - a text as one cell of comma separated values */
#ifndef LIBUTIL_CSV_TEXT_H
#define LIBUTIL_CSV_TEXT_H

#include <stdio.h>

/*
 * Quoted as in RFC 4180, with plain characters (plain_text.h), so that it stays on one line. A '
 * precedes what a spreadsheet would take for a formula, and a ' itself. [FO-12]
 */
void csv_put_text(const char *text, FILE *out);

#endif
