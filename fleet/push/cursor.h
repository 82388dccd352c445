/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cursor.h - how far a target is in the history: a file of a few lines for each target
 *
 * It is replaced in one step after what it says was sent, so a crash can repeat the last part, and
 * loses nothing.
 */
#ifndef FLEET_PUSH_CURSOR_H
#define FLEET_PUSH_CURSOR_H

#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

struct push_cursor {
	uint64_t segment;		/* number of the folder of the last slice, and its begin */
	uint64_t segment_ns;
	uint64_t end_ns;		/* of the last slice that is done; 0: none is */
	uint64_t parts;			/* of the next slice, that are done */
	uint64_t parts_ns;		/* end of that slice */
	/* since the file was created */
	uint64_t slices, samples, bytes;	/* sent; bytes as on the wire, with headers */
	uint64_t refused_parts, refused_samples, retries;
};

/* -ENOENT: there is none. -EPROTO: malformed, with file and line in @e; *ret is unchanged. */
int push_cursor_read(const char *path, struct push_cursor *ret, struct op_error *e);
/* The same of @len bytes of @text, which ends in a NUL and is overwritten. */
int push_cursor_parse(char *text, size_t len, const char *path, struct push_cursor *ret,
		      struct op_error *e);
int push_cursor_write(const char *path, const struct push_cursor *c, struct op_error *e);

#endif
