/* SPDX-License-Identifier: GPL-2.0-or-later */
/* number.h - the numbers written to oprofilefs files [FS-3] */
#ifndef OPROFILEFS_NUMBER_H
#define OPROFILEFS_NUMBER_H

#include "module/portable.h"

/* Longest text that can be written, newline included. */
#define OPFS_NUMBER_LEN 49

/*
 * Parse the @len bytes of @text: decimal, 0x hexadecimal or 0 octal, with at most one newline after
 * it. -EINVAL: not a number; -ERANGE: more than 64 bits. Then *ret is untouched.
 */
int opfs_parse_number(const char *text, size_t len, u64 *ret);

#endif
