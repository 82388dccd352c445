/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xprof.h - convert gcc's coverage to profile feedback: doc/xprof.md [XP-35]..[XP-37] */
#ifndef FEEDBACK_GCOV_XPROF_H
#define FEEDBACK_GCOV_XPROF_H

#include "feedback/gcov/files.h"
#include "feedback/gcov/idents.h"
#include "feedback/xprof/xprof.h"

/*
 * Add the object @path, compiled at @sec and @usec, as the last object of @x. @idents: of all
 * objects, or NULL. -EPROTO: a name in the notes is not allowed in a profile; @x may then only be
 * freed.
 */
int gcov_add_object(struct xprof *x, const struct gcov_notes *n, const char *path, uint32_t sec,
		    uint32_t usec, const struct gcov_idents *idents, struct op_error *e);

/* Is @f a procedure of the profile? Those that the data lacks are not in the program [XP-36]. */
static inline bool gcov_is_procedure(const struct gcov_notes *n, const struct gcov_function *f)
{
	return f->nr_blocks && (!n->has_data || f->counters);
}
static inline uint64_t gcov_signature(const struct gcov_function *f)
{
	return (uint64_t)f->cfg_checksum << 32 | f->lineno_checksum;
}

#endif
