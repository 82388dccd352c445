/* SPDX-License-Identifier: GPL-2.0-or-later */
/* value.c - parse values of expressions, and write them so that scanf() can read them */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/xprof/value.h"

#define FIELD_MAX	400	/* longer than any exact number */

static uint64_t float_bits(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static uint64_t double_bits(double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

static float float_of(uint64_t value)
{
	uint32_t bits = value;
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static double double_of(uint64_t value)
{
	double d;

	memcpy(&d, &value, sizeof(d));
	return d;
}

/* Only the sign of a NaN is written [XP-13]. */
static double plain_nan(double d)
{
	return signbit(d) ? -__builtin_nan("") : __builtin_nan("");
}

static bool parse_float(const char *text, bool is_double, uint64_t *ret)
{
	char *end;
	double d;

	errno = 0;
	d = is_double ? strtod(text, &end) : (double)strtof(text, &end);
	if (end == text || *end || (errno == ERANGE && isinf(d)))
		return false;
	if (isnan(d))
		d = plain_nan(d);
	*ret = is_double ? double_bits(d) : float_bits((float)d);
	return true;
}

static bool parse_integer(const char *text, enum xprof_value_type type, uint64_t *ret)
{
	long long n;
	char *end;

	errno = 0;
	n = strtoll(text, &end, 10);
	if (end == text || *end || errno ||
	    (type == XPROF_INT && (n < INT32_MIN || n > INT32_MAX)))
		return false;
	*ret = (uint64_t)n;
	return true;
}

bool xprof_value_parse(enum xprof_value_type type, const char *text, size_t len, uint64_t *ret)
{
	char copy[FIELD_MAX + 1];

	if (len > FIELD_MAX || memchr(text, '\0', len))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	if (strpbrk(copy, " \t\r\n\v\f"))
		return false;
	return type == XPROF_FLOAT || type == XPROF_DOUBLE
	       ? parse_float(copy, type == XPROF_DOUBLE, ret) : parse_integer(copy, type, ret);
}

bool xprof_value_is_canonical(const struct xprof_value *v)
{
	switch (v->type) {
	case XPROF_INT:
		return (int64_t)v->value == (int32_t)v->value;
	case XPROF_FLOAT:
		return v->value <= UINT32_MAX && (!isnan(float_of(v->value)) || v->value ==
			float_bits((float)plain_nan(float_of(v->value))));
	case XPROF_DOUBLE:
		return !isnan(double_of(v->value)) ||
		       v->value == double_bits(plain_nan(double_of(v->value)));
	case XPROF_PROC:
		return !v->value;
	default:
		return true;
	}
}

/* With the fewest digits that are read back as the same bits [XP-13]. */
static void write_float(double d, bool is_double, FILE *out)
{
	char text[40];
	int digits = 1;

	do
		snprintf(text, sizeof(text), "%.*g", digits, d);
	while (++digits <= (is_double ? 17 : 9) &&
	       (is_double ? double_bits(strtod(text, NULL)) != double_bits(d)
			  : float_bits(strtof(text, NULL)) != float_bits((float)d)));
	fputs(text, out);
}

void xprof_value_write(const struct xprof_value *v, FILE *out)
{
	switch (v->type) {
	case XPROF_INT:
	case XPROF_LLONG:
		fprintf(out, "%lld", (long long)v->value);
		break;
	case XPROF_FLOAT:
		write_float((double)float_of(v->value), false, out);
		break;
	case XPROF_DOUBLE:
		write_float(double_of(v->value), true, out);
		break;
	}
}
