/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xprof.h - convert gcc's coverage to profile feedback: doc/xprof.md [XP-35]..[XP-37] */
#ifndef FEEDBACK_GCOV_XPROF_H
#define FEEDBACK_GCOV_XPROF_H

#include "feedback/gcov/files.h"
#include "feedback/xprof/xprof.h"

/*
 * Add the object @path, compiled at @sec and @usec, as the last object of @x. -EPROTO: a name in
 * the notes is not allowed in a profile; @x may then only be freed.
 */
int gcov_add_object(struct xprof *x, const struct gcov_notes *n, const char *path, uint32_t sec,
		    uint32_t usec, struct op_error *e);

#endif
