/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * time_range.h - times on command lines: --since, --until, --last and time:A..B
 *
 *	2026-11-23T14:00..14:10   yesterday 14:05   -1h   -1h30m..-1h   @1790000000
 *
 * Rules: doc/pp-spec.md [PS-14].
 */
#ifndef PP_SELECT_TIME_RANGE_H
#define PP_SELECT_TIME_RANGE_H

#include <stdint.h>
#include "libutil/error.h"

/* Slices whose middle is at or after @from_ns and before @to_ns, ns since the epoch. */
struct time_range {
	int64_t from_ns, to_ns;
};

/*
 * Parse "A..B", "A.." or "..B"; @now_ns is what relative times are relative to. -EINVAL with what
 * is wrong in @e.
 */
int time_range_parse(const char *text, int64_t now_ns, struct time_range *ret, struct op_error *e);

#endif
