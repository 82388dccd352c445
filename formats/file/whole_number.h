/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whole_number.h - parse numbers exactly as they are printed: "-7", but not "007", "+7" or "" */
#ifndef FORMATS_FILE_WHOLE_NUMBER_H
#define FORMATS_FILE_WHOLE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool whole_number(const char *text, size_t len, int64_t *ret)
{
	bool negative = len && *text == '-';
	int64_t value = 0;
	size_t i = negative;

	if (i == len || (text[i] == '0' && (len > i + 1 || negative)))
		return false;
	for (; i < len; i++) {
		int digit = text[i] - '0';

		if (digit < 0 || digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, negative ? -digit : digit, &value))
			return false;
	}
	*ret = value;
	return true;
}

#endif
