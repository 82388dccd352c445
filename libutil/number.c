// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * number.c - parse numbers more strictly than strtoull()
 *
 * strtoull() accepts blanks and signs ("-1" is huge) and stops at the first invalid byte; a
 * mistyped count or address must be an error instead.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "libutil/number.h"

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

int number_parse_u64(const char *text, uint64_t *ret)
{
	unsigned int base = 10;
	uint64_t value = 0;
	bool overflow = false;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	} else if (text[0] == '0' && text[1]) {
		base = 8;
		text++;
	}
	if (!*text)
		return -EINVAL;
	for (; *text; text++) {
		unsigned int digit = (unsigned int)digit_value(*text);

		if (digit >= base)
			return -EINVAL;
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			overflow = true;	/* continue: "not a number" takes precedence */
	}
	if (overflow)
		return -ERANGE;
	*ret = value;
	return 0;
}

int number_parse_range(const char *text, uint64_t min, uint64_t max, uint64_t *ret)
{
	uint64_t value;
	int err = number_parse_u64(text, &value);

	if (err)
		return err;
	if (value < min || value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

/* Decimal digits at *@at, which moves on. */
static int parse_digits(const char **at, uint64_t *ret)
{
	uint64_t value = 0;

	if (**at < '0' || **at > '9')
		return -EINVAL;
	for (; **at >= '0' && **at <= '9'; (*at)++)
		if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
		    __builtin_add_overflow(value, (uint64_t)(**at - '0'), &value))
			return -ERANGE;
	*ret = value;
	return 0;
}

int number_parse_duration(const char *text, uint64_t *ret_seconds)
{
	static const struct {
		char unit;
		uint64_t seconds;
	} units[] = { { 'w', 604800 }, { 'd', 86400 }, { 'h', 3600 }, { 'm', 60 }, { 's', 1 } };
	size_t unit = 0, nr = sizeof(units) / sizeof(*units);
	uint64_t sum = 0;

	do {
		uint64_t n;
		int err = parse_digits(&text, &n);

		if (err)
			return err;
		while (unit < nr && units[unit].unit != *text)
			unit++;
		if (unit == nr)
			return -EINVAL;
		if (__builtin_mul_overflow(n, units[unit].seconds, &n) ||
		    __builtin_add_overflow(sum, n, &sum))
			return -ERANGE;
		unit++;
	} while (*++text);
	*ret_seconds = sum;
	return 0;
}

int number_parse_bytes(const char *text, uint64_t *ret)
{
	static const char units[] = "KMGT";
	const char *unit;
	uint64_t n;
	int err = parse_digits(&text, &n);

	if (err)
		return err;
	unit = *text ? strchr(units, *text) : NULL;
	if (*text && (!unit || text[1]))
		return -EINVAL;
	if (unit && __builtin_mul_overflow(n, UINT64_C(1) << 10 * (unit - units + 1), &n))
		return -ERANGE;
	*ret = n;
	return 0;
}

/* Not by strtod(), which uses the locale's decimal point and accepts "inf" and "0x1p3". */
int number_parse_percent(const char *text, double *ret)
{
	double value = 0, place = 1;
	bool digits = false, point = false;

	for (; *text; text++) {
		if (*text == '.' && !point) {
			point = true;
		} else if (*text >= '0' && *text <= '9') {
			digits = true;
			if (point)
				value += (place /= 10) * (*text - '0');
			else
				value = value * 10 + (*text - '0');
		} else {
			return -EINVAL;
		}
	}
	if (!digits)
		return -EINVAL;
	if (value > 100)
		return -ERANGE;
	*ret = value;
	return 0;
}

const char *number_format_percent(char text[PERCENT_TEXT], double part, double total)
{
	double percent = total > 0 ? 100 * part / total : 0;

	if (part > 0 && percent < 0.001)
		return "less than 0.001 %";
	if (part < total && percent > 99.9)
		return "more than 99.9 %";
	snprintf(text, PERCENT_TEXT, percent < 9.95 ? "%.2g %%" : percent < 99.5 || part >= total
		 ? "%.0f %%" : "%.1f %%", percent);
	return text;
}
