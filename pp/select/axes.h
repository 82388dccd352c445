/* SPDX-License-Identifier: GPL-2.0-or-later */
/* axes.h - the ways in which the classes of arrange.h differ; sets of them are bits, 1 << AXIS_X */
#ifndef PP_SELECT_AXES_H
#define PP_SELECT_AXES_H

#include "pp/select/arrange.h"

/* The axes that two classes differ along. */
unsigned int axes_differing(const struct profile_template *a, const struct profile_template *b);

/* The one of @axes, or AXIS_NONE. */
enum axis axes_only(unsigned int axes);

/* Events are never added up: the first of @axes stays, have @merge remove the others [AR-2]. */
void axes_merge_others(struct merge *merge, unsigned int axes, struct notices *notices);

/*
 * -EINVAL; @e says "these differ in event (A, B) and CPU (0, 1): ...", with up to five values of
 * each of @axes, and what to do.
 */
int axes_too_many(const struct arrangement *a, unsigned int axes, struct op_error *e);

/* "tgid:12", or without an axis the event: the title of a class. Malloc'd. [AR-5] */
char *axis_title(enum axis axis, const struct profile_template *t);

#endif
