// SPDX-License-Identifier: GPL-2.0-or-later
/* config.c - see config.h */
#include "libdb/history/config.h"

#include <errno.h>
#include <stdbool.h>
#include "libutil/clock.h"
#include "libutil/number.h"

#define AGE_MIN		3600		/* s */
#define AGE_MAX		(UINT64_C(3660) * 86400)
#define QUOTA_MIN	(UINT64_C(16) << 20)
#define SLICE_MAX	3600		/* s */

static const char *or_default(const char *text, const char *otherwise)
{
	return text && *text ? text : otherwise;
}

int history_config_parse(const char *age, const char *quota, const char *slice,
			 struct history_config *ret, struct op_error *e)
{
	struct history_config c = { .age_s = 0 };
	uint64_t seconds = 0;

	age = or_default(age, HISTORY_AGE);
	quota = or_default(quota, HISTORY_QUOTA);
	slice = or_default(slice, HISTORY_SLICE);
	if (number_parse_duration(age, &c.age_s) || c.age_s < AGE_MIN || c.age_s > AGE_MAX)
		return op_error_set(e, -EINVAL, "invalid value '%s' for --history: expected a time "
				    "such as 14d or 12h, from 1h to 10 years", age);
	if (number_parse_bytes(quota, &c.quota) || c.quota < QUOTA_MIN)
		return op_error_set(e, -EINVAL, "invalid value '%s' for --quota: expected a size "
				    "such as 2G or 500M, at least 16M", quota);
	if (number_parse_duration(slice, &seconds) || !seconds || seconds > SLICE_MAX)
		return op_error_set(e, -EINVAL, "invalid value '%s' for --slice: expected a time "
				    "such as 1m or 10s, up to 1h", slice);
	c.slice_ns = (int64_t)(seconds * NS_PER_SECOND);
	*ret = c;
	return 0;
}
