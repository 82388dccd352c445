// SPDX-License-Identifier: GPL-2.0-or-later
/* config.c - see config.h */
#include "libdb/history/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libutil/clock.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"

#define AGE_MIN		3600		/* s */
#define AGE_MAX		(UINT64_C(3660) * 86400)
#define QUOTA_MIN	(UINT64_C(16) << 20)
#define SLICE_MAX	3600		/* s */

static const char *or_default(const char *text, const char *otherwise)
{
	return text && *text ? text : otherwise;
}

/* "14d" or "14d,lines" */
static bool parse_age(const char *text, struct history_config *c)
{
	char *age = xstrdup(text), *what = age, *first = strsep(&what, ",");
	bool is_ok = !number_parse_duration(first, &c->age_s) && c->age_s >= AGE_MIN &&
		     c->age_s <= AGE_MAX && (!what || !strcmp(what, "lines"));

	c->lines = what;
	free(age);
	return is_ok;
}

static bool parse_length(const char *text, int64_t *ret)
{
	uint64_t seconds;

	if (number_parse_duration(text, &seconds) || !seconds || seconds > SLICE_MAX)
		return false;
	*ret = (int64_t)(seconds * NS_PER_SECOND);
	return true;
}

/* "10m:1d,1h:7d", which is overwritten: longer slices for older ones. */
static bool parse_roll_ups(char *list, struct history_config *c)
{
	int64_t before = 0;
	char *word;

	while ((word = strsep(&list, ","))) {
		struct history_roll_up *r = &c->roll_ups[c->nr_roll_ups];
		char *older = strchr(word, ':');
		uint64_t seconds;

		if (c->nr_roll_ups++ == HISTORY_ROLL_UPS_MAX || !older)
			return false;
		*older++ = '\0';
		if (!parse_length(word, &r->slice_ns) || number_parse_duration(older, &seconds) ||
		    seconds > AGE_MAX)
			return false;
		r->older_ns = (int64_t)(seconds * NS_PER_SECOND);
		if (r->older_ns <= before)
			return false;
		before = r->older_ns;
	}
	return true;
}

/* "1m", or followed by a list of its own */
static bool parse_slice(const char *text, struct history_config *c)
{
	char *copy = xstrdup(text), *rest = copy, *first = strsep(&rest, ",");
	char standard[] = HISTORY_ROLL_UP;
	bool is_ok = parse_length(first, &c->slice_ns) && parse_roll_ups(rest ? rest : standard, c);

	free(copy);
	return is_ok;
}

int history_config_parse(const char *age, const char *quota, const char *slice,
			 struct history_config *ret, struct op_error *e)
{
	struct history_config c = { .age_s = 0 };

	age = or_default(age, HISTORY_AGE);
	quota = or_default(quota, HISTORY_QUOTA);
	slice = or_default(slice, HISTORY_SLICE);
	if (!parse_age(age, &c))
		return op_error_set(e, -EINVAL, "invalid value '%s' for --history: expected a time "
				    "such as 14d or 12h, from 1h to 10 years, or 14d,lines", age);
	if (number_parse_bytes(quota, &c.quota) || c.quota < QUOTA_MIN)
		return op_error_set(e, -EINVAL, "invalid value '%s' for --quota: expected a size "
				    "such as 2G or 500M, at least 16M", quota);
	if (!parse_slice(slice, &c))
		return op_error_set(e, -EINVAL, "invalid value '%s' for --slice: expected a time "
				    "such as 1m or 10s, up to 1h, or times and ages such as "
				    "1m,10m:1d,1h:7d", slice);
	*ret = c;
	return 0;
}
