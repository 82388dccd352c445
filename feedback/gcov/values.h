/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * values.h - gcc's value profiles as value records, and back
 *
 * The id of an expression says which counter it was: kind * GCOV_EXPRS + number of the site, from
 * 1. Each site has a record, also if it was never reached. Rules: doc/xprof.md [XP-46].
 */
#ifndef FEEDBACK_GCOV_VALUES_H
#define FEEDBACK_GCOV_VALUES_H

#include "feedback/gcov/files.h"
#include "feedback/gcov/idents.h"
#include "feedback/xprof/xprof.h"
#include "libutil/strbuf.h"

#define GCOV_RECORD_VALUES	4		/* of each value record */
#define GCOV_EXPRS		10000000	/* of each kind */

/*
 * Add the value records of @f, of the last procedure @p. @idents NULL: callees are unknown. Names
 * that are not allowed in a profile are left out.
 */
void gcov_add_values(struct xprof *x, const struct gcov_function *f,
		     const struct gcov_idents *idents, struct xprof_proc *p);

/*
 * The values of @p, of @o, for gcov_write_data(). The caller frees the words. -EPROTO: they are not
 * those that gcov_add_values() makes, and all of *ret is 0.
 */
int gcov_values_of(const struct xprof *x, const struct xprof_object *o, const struct xprof_proc *p,
		   const struct gcov_idents *idents, struct gcov_values ret[NR_GCOV_KINDS]);

#endif
