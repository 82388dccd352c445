/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode.h - between the files that read binary profile feedback */
#ifndef FEEDBACK_XPROF_DECODE_H
#define FEEDBACK_XPROF_DECODE_H

#include "feedback/xprof/xprof.h"

/*
 * Are strings sound, do all records refer to strings, and does what they own follow what the
 * record before owns, up to the end of each array [XP-28]? Else -EPROTO.
 */
int xprof_check_arrays(const struct xprof *x, struct op_error *e);

#endif
