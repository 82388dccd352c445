/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.h - profile feedback as text, and what must hold of it: doc/xprof.md */
#ifndef FEEDBACK_XPROF_TEXT_H
#define FEEDBACK_XPROF_TEXT_H

#include <stdio.h>
#include "feedback/xprof/xprof.h"

struct xprof_options {
	const struct format_warnings *warnings;	/* or NULL */
	bool strict;				/* flow is checked, too [XP-20] */
};

/*
 * Read a text file of @size bytes. -EPROTO: @e says in which line which rule is broken. *ret is
 * new. Memory is taken in proportion to @size, whatever numbers stand in it.
 */
int xprof_text_read(const char *text, size_t size, const struct xprof_options *options,
		    struct xprof **ret, struct op_error *e);

/* The canonical text [XP-5]. Errors of @out are the caller's to find (ferror). */
void xprof_text_write(const struct xprof *x, FILE *out);

/* Lines that a text's records stand in, for messages; at[a] may be NULL where an array is empty. */
struct xprof_places {
	uint32_t *at[NR_XPROF_ARRAYS];
	size_t room[NR_XPROF_ARRAYS];
};

/*
 * What must hold between the records of @x [XP-6]. Indices, strings and first_* are in order
 * already. @places NULL: records are told by array and number. -EPROTO: @e says what is broken.
 */
int xprof_check(const struct xprof *x, const struct xprof_places *places,
		const struct xprof_options *options, struct op_error *e);

#endif
