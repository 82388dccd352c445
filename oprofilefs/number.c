// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * number.c - parse the number written to an oprofilefs file
 *
 * Not kstrtoull(), because this also builds in user space, where it is fuzzed.
 */
#include "oprofilefs/number.h"

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/* Skip a leading "0x" or "0"; a lone "0" stays. */
static unsigned int take_base(const char **p, const char *end)
{
	if (end - *p > 1 && (*p)[0] == '0') {
		if ((*p)[1] == 'x' || (*p)[1] == 'X') {
			*p += 2;
			return 16;
		}
		*p += 1;
		return 8;
	}
	return 10;
}

int opfs_parse_number(const char *text, size_t len, u64 *ret)
{
	const char *p = text, *end = text + len;
	unsigned int base;
	u64 value = 0;

	if (len && end[-1] == '\n')
		end--;
	base = take_base(&p, end);
	if (p == end)
		return -EINVAL;
	for (; p < end; p++) {
		unsigned int d = digit(*p);

		if (d >= base)
			return -EINVAL;
		if (value > (~(u64)0 - d) / base)
			return -ERANGE;
		value = value * base + d;
	}
	*ret = value;
	return 0;
}
