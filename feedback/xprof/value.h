/* SPDX-License-Identifier: GPL-2.0-or-later */
/* value.h - values of expressions as text */
#ifndef FEEDBACK_XPROF_VALUE_H
#define FEEDBACK_XPROF_VALUE_H

#include <stdio.h>
#include "feedback/xprof/xprof.h"

/* Are the bits those that its text gives when it is read again [XP-13]? */
bool xprof_value_is_sound(const struct xprof_value *v);

/* The value without what stands before it; not of XPROF_PROC. */
void xprof_value_write(const struct xprof_value *v, FILE *out);

#endif
