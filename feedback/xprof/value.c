/* SPDX-License-Identifier: GPL-2.0-or-later */
/* value.c - values of expressions: how they are read, and written as scanf knows them */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/xprof/reader.h"
#include "feedback/xprof/value.h"

#define FIELD_MAX	400	/* numbers that are not rounded are shorter */

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

/* A nan has its sign in the text, and nothing else [XP-13]. */
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

static bool parse_value(enum xprof_value_type type, struct span field, uint64_t *ret)
{
	char text[FIELD_MAX + 1];

	if (span_len(&field) > FIELD_MAX || memchr(field.at, '\0', span_len(&field)))
		return false;
	memcpy(text, field.at, span_len(&field));
	text[span_len(&field)] = '\0';
	if (strpbrk(text, " \t\r\n\v\f"))
		return false;
	return type == XPROF_FLOAT || type == XPROF_DOUBLE
	       ? parse_float(text, type == XPROF_DOUBLE, ret) : parse_integer(text, type, ret);
}

bool xprof_value_is_sound(const struct xprof_value *v)
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

void xprof_value_write(const struct xprof_value *v, FILE *out)
{
	switch (v->type) {
	case XPROF_INT:
	case XPROF_LLONG:
		fprintf(out, "%lld", (long long)v->value);
		break;
	case XPROF_FLOAT:
		fprintf(out, "%.9g", float_of(v->value));
		break;
	case XPROF_DOUBLE:
		fprintf(out, "%.17g", double_of(v->value));
		break;
	}
}

static bool find_type(struct span word, uint32_t *ret)
{
	for (int i = 0; i < NR_XPROF_VALUE_TYPES; i++)
		if (span_len(&word) == strlen(xprof_value_names[i]) &&
		    !memcmp(word.at, xprof_value_names[i], span_len(&word))) {
			*ret = i;
			return true;
		}
	return false;
}

int xprof_read_value(struct xprof_reader *r)
{
	struct xprof_value *v = xprof_add_values(r->x);
	struct span *line = &r->lines.line, type = span_first(line), expr = span_first(line);
	struct span count = span_first(line);

	xprof_note_place(r, XPROF_ARRAY_values, r->x->nr_values);
	if (!find_type(type, &v->type) || !span_u32(expr, &v->expr) ||
	    !span_u64(count, &v->count))
		return xprof_lines_fail(&r->lines, r->lines.number, "the form is 'VP_<type> <expr "
					"id> <count> [<value>]' [XP-12]");
	if (!v->count && span_len(line))
		return xprof_lines_fail(&r->lines, r->lines.number,
					"a count of 0 has no value [XP-12]");
	if (v->count && v->type != XPROF_PROC && !parse_value(v->type, *line, &v->value))
		return xprof_lines_fail(&r->lines, r->lines.number, "the value is no %s that fits "
					"[XP-12]", xprof_value_names[v->type]);
	if (v->type == XPROF_PROC && span_len(line) && xprof_read_name(r, *line, &v->name))
		return -EPROTO;
	xprof_lines_next(&r->lines);
	return 0;
}
