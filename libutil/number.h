/* SPDX-License-Identifier: GPL-2.0-or-later */
/* number.h - numbers in options, files, specifications and messages */
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

/*
 * Parse a time such as "90s", "15m", "1h30m", "2d" or "1w" into seconds, each unit once, or a size
 * such as "500M" or "2G" (K, M, G, T of 1024) into bytes. 0, -EINVAL or -ERANGE.
 */
int number_parse_duration(const char *text, uint64_t *ret_seconds);
int number_parse_bytes(const char *text, uint64_t *ret);

/*
 * For sentences: "3.4 %", "27 %", "99.6 %"; "0 %" and "100 %" only if it is nothing or all. Returns
 * @text.
 */
#define PERCENT_TEXT 24
const char *number_format_percent(char text[PERCENT_TEXT], double part, double total);

#endif
