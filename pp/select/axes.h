/* SPDX-License-Identifier: GPL-2.0-or-later */
/* axes.h - the ways in which classes (arrange.h) differ. A set of them has bits 1 << AXIS_X. */
#ifndef PP_SELECT_AXES_H
#define PP_SELECT_AXES_H

#include "pp/select/arrange.h"

/* The axes that two classes differ along. */
unsigned int axes_differing(const struct profile_template *a, const struct profile_template *b);

/* The one of @axes, or AXIS_NONE. */
enum axis axes_only(unsigned int axes);

/* Let @merge remove all @axes but the first; events, which come first, always stay [AR-2]. */
void axes_merge_others(struct merge *merge, unsigned int axes, struct notices *notices);

/*
 * Returns -EINVAL. @e is "these differ in event (A, B) and CPU (0, 1); choose ...", with up to
 * five values of each of @axes.
 */
int axes_too_many(const struct arrangement *a, unsigned int axes, struct op_error *e);

/* The title of a class: "tgid:12", or the event if there is no axis [AR-5]; malloc'd. */
char *axis_title(enum axis axis, const struct profile_template *t);

#endif
