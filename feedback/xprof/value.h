/* SPDX-License-Identifier: GPL-2.0-or-later */
/* value.h - values of expressions as text: VP_INT, VP_FLOAT and so on */
#ifndef FEEDBACK_XPROF_VALUE_H
#define FEEDBACK_XPROF_VALUE_H

#include <stdio.h>
#include "feedback/xprof/xprof.h"

/* Parse the @len bytes @text; not of type XPROF_PROC. False: not a value of @type. */
bool xprof_value_parse(enum xprof_value_type type, const char *text, size_t len, uint64_t *ret);

/* Is @v the same after it is written and read again [XP-13]? */
bool xprof_value_is_canonical(const struct xprof_value *v);

/* Write the value alone; not of type XPROF_PROC. */
void xprof_value_write(const struct xprof_value *v, FILE *out);

#endif
