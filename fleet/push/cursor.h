/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cursor.h - how far a target is in the history: a file of a few lines for each target
 *
 * It is replaced in one step after what it says was sent, so a crash can repeat the last part, and
 * loses nothing.
 */
#ifndef FLEET_PUSH_CURSOR_H
#define FLEET_PUSH_CURSOR_H

#include <stdint.h>
#include "libutil/error.h"

struct push_cursor {
	unsigned int segment;		/* of the last slice: number and begin of its folder */
	int64_t segment_ns;
	int64_t end_ns;			/* of the last slice that was sent whole; 0: none was */
	uint32_t parts;			/* of the next slice that were sent */
	int64_t parts_ns;		/* begin of that slice, if there are any */
	/* since the file was created */
	uint64_t slices, samples, bytes;	/* sent; bytes are those on the wire */
	uint64_t refused_parts, refused_samples, retries;
};

/* -ENOENT: there is none. -EPROTO: malformed, with file and line in @e; *ret is unchanged. */
int push_cursor_read(const char *path, struct push_cursor *ret, struct op_error *e);
int push_cursor_write(const char *path, const struct push_cursor *c, struct op_error *e);

#endif
