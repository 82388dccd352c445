/* SPDX-License-Identifier: GPL-2.0-or-later */
/* copy.h - copy parts of one profile to another */
#ifndef FEEDBACK_XPROF_COPY_H
#define FEEDBACK_XPROF_COPY_H

#include "feedback/xprof/xprof.h"

/* Intern a string of @from in @to. */
static inline uint32_t xprof_copy_string(struct xprof *to, const struct xprof *from, uint32_t s)
{
	return xprof_intern(to, xprof_text(from, s));
}

/* Copy an object without its procedures. */
struct xprof_object *xprof_copy_object(struct xprof *to, const struct xprof *from,
				       const struct xprof_object *o);

/* Copy a procedure without its values, and without its counters if the type of @to is objfd. */
struct xprof_proc *xprof_copy_proc(struct xprof *to, const struct xprof *from,
				   const struct xprof_proc *p);
void xprof_copy_value(struct xprof *to, const struct xprof *from, const struct xprof_value *v);

/* Copy an object with its procedures and their values. */
void xprof_copy_all(struct xprof *to, const struct xprof *from, const struct xprof_object *o);

/* Copy a program without references to objects, and procedures of objects, that @to lacks. */
void xprof_copy_program(struct xprof *to, const struct xprof_index *to_index,
			const struct xprof *from, const struct xprof_program *p);

#endif
