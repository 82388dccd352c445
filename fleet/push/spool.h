/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spool.h - the history as a queue: which slice a target gets next */
#ifndef FLEET_PUSH_SPOOL_H
#define FLEET_PUSH_SPOOL_H

#include <stddef.h>
#include <stdint.h>
#include "fleet/push/cursor.h"

struct push_slice {
	uint64_t segment, segment_ns;	/* as in a cursor */
	char *folder;			/* of the segment; malloc'd */
	int64_t begin_ns, end_ns;
};

/*
 * The oldest slice of the history of @session_dir that @c is not past, and how many there are with
 * it. Slices are in the order of the segments' numbers, then of their ends. One that was merged of
 * some that were sent and others is sent again. If the history begins anew, so does the queue.
 * 1: there is one. 0: none. -errno: the history cannot be read; segments that cannot are skipped.
 */
int push_spool_next(const char *session_dir, const struct push_cursor *c, struct push_slice *ret,
		    uint64_t *ret_waiting, struct op_error *e);

#endif
