/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xprof.h - gcc's coverage as profile feedback: doc/xprof.md [XP-35]..[XP-37] */
#ifndef FEEDBACK_GCOV_XPROF_H
#define FEEDBACK_GCOV_XPROF_H

#include "feedback/gcov/files.h"
#include "feedback/xprof/xprof.h"

/*
 * Add the object @path, compiled at @sec and @usec, to @x, whose last object it becomes. -EPROTO: a
 * name in the notes cannot stand in a profile; @x is then to be freed only.
 */
int gcov_add_object(struct xprof *x, const struct gcov_notes *n, const char *path, uint32_t sec,
		    uint32_t usec, struct op_error *e);

#endif
