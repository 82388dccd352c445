/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check.h - between the files that check profile feedback */
#ifndef FEEDBACK_XPROF_CHECK_H
#define FEEDBACK_XPROF_CHECK_H

#include "feedback/xprof/text.h"

struct xprof_checker {
	const struct xprof *x;
	const struct xprof_places *places;
	const struct xprof_options *options;
	struct xprof_index index;
	struct op_error *e;
};

/* -EPROTO, with "line N: ..." or "procs 3: ..." for record @at of @array. */
int xprof_check_fail(const struct xprof_checker *c, enum xprof_array array, uint32_t at,
		     const char *format, ...) __attribute__((format(printf, 4, 5)));
void xprof_check_warn(const struct xprof_checker *c, enum xprof_array array, uint32_t at,
		      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Are @max and @sum, as far as they are there, those of @sums? */
int xprof_check_sums(const struct xprof_checker *c, enum xprof_array array, uint32_t at,
		     uint32_t has, uint64_t max, uint64_t sum, struct xprof_sums sums);

/* Everything within procedure @at of object @o. */
int xprof_check_proc(const struct xprof_checker *c, const struct xprof_object *o, uint32_t at);

#endif
