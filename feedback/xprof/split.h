/* SPDX-License-Identifier: GPL-2.0-or-later */
/* split.h - where in NAME:PATH the name ends [XP-10] */
#ifndef FEEDBACK_XPROF_SPLIT_H
#define FEEDBACK_XPROF_SPLIT_H

#include "feedback/xprof/xprof.h"

/*
 * Offset of the colon in @text: the first one after which an object of @index follows, else
 * that before the first "/", else the last one. @len: there is none.
 */
size_t xprof_split(const struct xprof_index *index, const char *text, size_t len);

#endif
