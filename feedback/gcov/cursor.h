/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cursor.h - read the words of a .gcno or .gcda file, never past its end */
#ifndef FEEDBACK_GCOV_CURSOR_H
#define FEEDBACK_GCOV_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

enum gcov_tag {
	GCOV_FUNCTION = 0x01000000,
	GCOV_BLOCKS = 0x01410000,
	GCOV_ARCS = 0x01430000,
	GCOV_LINES = 0x01450000,
	GCOV_ARC_COUNTERS = 0x01a10000,		/* plus 0x20000 for each kind of values */
	GCOV_SUMMARY = 0xa1000000,
};

struct gcov_cursor {
	const char *base, *at, *end;	/* end: of the current record */
	const char *file_end;
	bool swapped;
	uint32_t version;
	bool is_short;		/* a read went past @end and returned 0 */
	struct op_error *e;
};

/* Start after magic and version. -EPROTO: not @magic and gcc 12, 13 or 14. */
int gcov_cursor_open(struct gcov_cursor *c, const char *bytes, size_t size, uint32_t magic,
		     struct op_error *e);

/* Set the error to "offset N: ..." and return -EPROTO. */
int gcov_cursor_fail(const struct gcov_cursor *c, const char *what);

uint32_t gcov_cursor_u32(struct gcov_cursor *c);
uint64_t gcov_cursor_u64(struct gcov_cursor *c);
const char *gcov_cursor_string(struct gcov_cursor *c);	/* "" if it is missing */

/*
 * Go to the next record; false at the end of the file. A negative length stands for counters that
 * are all 0 and not stored.
 */
bool gcov_cursor_record(struct gcov_cursor *c, uint32_t *ret_tag, int32_t *ret_length);

#endif
