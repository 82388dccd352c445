/* SPDX-License-Identifier: GPL-2.0-or-later */
/* number.h - parse numbers of options, files and specifications */
#ifndef LIBUTIL_NUMBER_H
#define LIBUTIL_NUMBER_H

#include <stdint.h>

/*
 * Parse all of @text: decimal, 0x hex or 0 octal, no sign, no blanks.
 * 0, -EINVAL (not a number), -ERANGE (does not fit); *ret is untouched on failure.
 */
int number_parse_u64(const char *text, uint64_t *ret);

/* The same; -ERANGE if the number is not within [min, max]. */
int number_parse_range(const char *text, uint64_t min, uint64_t max, uint64_t *ret);

/* Parse a percentage, "0" to "100", with decimals. 0, -EINVAL or -ERANGE. */
int number_parse_percent(const char *text, double *ret);

#endif
