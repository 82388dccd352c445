/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.h - read, check and write profile feedback text: doc/xprof.md */
#ifndef FEEDBACK_XPROF_TEXT_H
#define FEEDBACK_XPROF_TEXT_H

#include <stdio.h>
#include "feedback/xprof/xprof.h"

struct format_warnings;

struct xprof_options {
	const struct format_warnings *warnings;	/* or NULL */
	bool strict;				/* check the flow, too [XP-20] */
};

/*
 * Read the @size bytes of the text file @path, which is only used in messages. -EPROTO: malformed,
 * @e reports file and line. The caller frees *ret. Memory use is in proportion to @size, whatever
 * numbers the text holds.
 */
int xprof_text_read(const char *path, const char *text, size_t size,
		    const struct xprof_options *options, struct xprof **ret, struct op_error *e);

/* Write the canonical text [XP-5]. The caller checks @out for errors (ferror). */
void xprof_text_write(const struct xprof *x, FILE *out);

/* Where records are, for messages: the file, and the line of each element of a text's arrays. */
struct xprof_places {
	const char *path;
	uint32_t *lines[NR_XPROF_ARRAYS];	/* NULL: empty array or binary file */
	size_t room[NR_XPROF_ARRAYS];
};

/*
 * Check the rules about the records of @x [XP-6]..[XP-22]. Indices, strings and first_* members
 * must be valid. @places NULL: @x is not from a file. -EPROTO: @e reports the violation.
 */
int xprof_check(const struct xprof *x, const struct xprof_places *places,
		const struct xprof_options *options, struct op_error *e);

#endif
