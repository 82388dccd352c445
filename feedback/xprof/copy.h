/* SPDX-License-Identifier: GPL-2.0-or-later */
/* copy.h - parts of one profile into another */
#ifndef FEEDBACK_XPROF_COPY_H
#define FEEDBACK_XPROF_COPY_H

#include "feedback/xprof/xprof.h"

/* The string of @from, in @to. */
static inline uint32_t xprof_copy_string(struct xprof *to, const struct xprof *from, uint32_t s)
{
	return xprof_string(to, xprof_text(from, s));
}

/* An object without its procedures. */
struct xprof_object *xprof_copy_object(struct xprof *to, const struct xprof *from,
				       const struct xprof_object *o);

/* A procedure without its values; counters too, unless @to is objfd. */
struct xprof_proc *xprof_copy_proc(struct xprof *to, const struct xprof *from,
				   const struct xprof_proc *p);
void xprof_copy_value(struct xprof *to, const struct xprof *from, const struct xprof_value *v);

/* An object with all it has. */
void xprof_copy_all(struct xprof *to, const struct xprof *from, const struct xprof_object *o);

/* Programs; objects that @to has not, and procedures its objects have not, are left out. */
void xprof_copy_program(struct xprof *to, const struct xprof_index *to_index,
			const struct xprof *from, const struct xprof_program *p);

#endif
