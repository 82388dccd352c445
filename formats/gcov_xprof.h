/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gcov_xprof.h - gcc's coverage as profile feedback: doc/xprof.md [XP-35]..[XP-37] */
#ifndef FORMATS_GCOV_XPROF_H
#define FORMATS_GCOV_XPROF_H

#include "formats/gcov_files.h"
#include "formats/xprof.h"

/*
 * Add the object @path, compiled at @sec and @usec, to @x, whose last object it becomes. -EPROTO: a
 * name in the notes cannot stand in a profile; @x is then to be freed only.
 */
int gcov_add_object(struct xprof *x, const struct gcov_notes *n, const char *path, uint32_t sec,
		    uint32_t usec, struct op_error *e);

#endif
