// SPDX-License-Identifier: GPL-2.0-or-later
/* time_range.c - parse times, in the time zone of the environment unless they have another */
#include "pp/select/time_range.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libutil/clock.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"

#define NS		((int64_t)NS_PER_SECOND)
#define SECONDS_MAX	(INT64_C(1) << 33)	/* in the year 2242 */

#define FORMS	"expected YYYY-MM-DD[THH:MM[:SS]][Z|+HH:MM], HH:MM, 'yesterday HH:MM', now, " \
		"-1h30m or @SECONDS"

/* @n digits at *@at, which moves on; -1: others. */
static int digits(const char **at, int n)
{
	int value = 0;

	for (; n; n--, (*at)++) {
		if (**at < '0' || **at > '9')
			return -1;
		value = value * 10 + (**at - '0');
	}
	return value;
}

static bool take(const char **at, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*at, word, n))
		return false;
	*at += n;
	return true;
}

static bool parse_date(const char **at, struct tm *tm)
{
	const char *p = *at;
	int year = digits(&p, 4), month, day;

	if (year < 1970 || !take(&p, "-"))
		return false;
	month = digits(&p, 2);
	if (month < 1 || month > 12 || !take(&p, "-"))
		return false;
	day = digits(&p, 2);
	if (day < 1 || day > 31)
		return false;
	tm->tm_year = year - 1900;
	tm->tm_mon = month - 1;
	tm->tm_mday = day;
	*at = p;
	return true;
}

static bool parse_clock(const char **at, struct tm *tm)
{
	const char *p = *at;
	int hour = digits(&p, 2), minute, second = 0;

	if (hour < 0 || hour > 24 || !take(&p, ":"))
		return false;
	minute = digits(&p, 2);
	if (minute < 0 || minute > 59)
		return false;
	if (take(&p, ":"))
		second = digits(&p, 2);
	if (second < 0 || second > 59 || (hour == 24 && (minute || second)))
		return false;
	tm->tm_hour = hour;
	tm->tm_min = minute;
	tm->tm_sec = second;
	*at = p;
	return true;
}

/* "Z", "UTC", "+01:00", "-0530": *ret in seconds. False: none is there. */
static bool parse_zone(const char **at, int *ret)
{
	const char *p = *at;
	int sign, hours, minutes;

	p += *p == ' ';
	*ret = 0;
	if (take(&p, "Z") || take(&p, "UTC")) {
		*at = p;
		return true;
	}
	if (*p != '+' && *p != '-')
		return false;
	sign = *p++ == '-' ? -1 : 1;
	hours = digits(&p, 2);
	p += *p == ':';
	minutes = digits(&p, 2);
	if (hours < 0 || hours > 14 || minutes < 0 || minutes > 59)
		return false;
	*ret = sign * (hours * 3600 + minutes * 60);
	*at = p;
	return true;
}

/* A day: a date, today or yesterday; or the day of @base, if only the time of day follows. */
static bool parse_day(const char **at, time_t base, time_t now, struct tm *tm, bool *has_day)
{
	bool is_yesterday;

	*has_day = true;
	localtime_r(&base, tm);
	tm->tm_hour = tm->tm_min = tm->tm_sec = 0;
	if (parse_date(at, tm))
		return true;
	is_yesterday = take(at, "yesterday");
	if (is_yesterday || take(at, "today")) {
		localtime_r(&now, tm);
		tm->tm_hour = tm->tm_min = tm->tm_sec = 0;
		tm->tm_mday -= is_yesterday;
		return true;
	}
	*has_day = false;
	return false;
}

/* mktime() turns the 31st of a short month into the next one's first: that is a mistake. */
static bool to_seconds(struct tm *tm, bool has_zone, int zone, bool has_date, int64_t *ret)
{
	struct tm t = *tm;
	int64_t seconds;

	t.tm_isdst = -1;
	seconds = has_zone ? timegm(&t) - zone : mktime(&t);
	if (has_date && tm->tm_hour < 24 && (t.tm_mday != tm->tm_mday || t.tm_mon != tm->tm_mon))
		return false;
	*ret = seconds;
	return seconds >= 0 && seconds <= SECONDS_MAX;
}

static bool parse_absolute(const char *text, time_t base, time_t now, int64_t *ret)
{
	bool has_day, has_clock, has_zone = false, is_date = text[4] == '-';
	int zone = 0;
	struct tm tm;

	(void)parse_day(&text, base, now, &tm, &has_day);
	if (has_day && *text)
		text += *text == 'T' || *text == ' ';
	has_clock = parse_clock(&text, &tm);
	if (!has_day && !has_clock)
		return false;
	if (has_clock || has_day)
		has_zone = parse_zone(&text, &zone);
	return !*text && to_seconds(&tm, has_zone, zone, is_date, ret);
}

/* @base: the day of a time without one. */
static int parse_time(const char *text, int64_t base, int64_t now, int64_t *ret,
		      struct op_error *e)
{
	uint64_t n;

	if (!strcmp(text, "now")) {
		*ret = now;
		return 0;
	}
	if (*text == '@' && !number_parse_range(text + 1, 0, SECONDS_MAX, &n)) {
		*ret = (int64_t)n;
		return 0;
	}
	if (*text == '-' && !number_parse_duration(text + 1, &n) && n <= (uint64_t)now) {
		*ret = now - (int64_t)n;
		return 0;
	}
	if (strlen(text) >= 5 && parse_absolute(text, base, now, ret))
		return 0;
	return op_error_set(e, -EINVAL, "invalid time '%.60s': " FORMS, text);
}

int time_range_parse(const char *text, int64_t now_ns, struct time_range *ret, struct op_error *e)
{
	const char *dots = strstr(text, "..");
	int64_t now = now_ns / NS, from = 0, to = now + 1;
	char *first;
	int err = 0;

	if (!dots || !strcmp(text, ".."))
		return op_error_set(e, -EINVAL, "invalid range of time '%.60s': expected A..B, A.. "
				    "or ..B", text);
	first = xasprintf("%.*s", (int)(dots - text), text);
	if (*first)
		err = parse_time(first, now, now, &from, e);
	if (!err && dots[2])
		err = parse_time(dots + 2, *first ? from : now, now, &to, e);
	if (!err && to <= from)
		err = op_error_set(e, -EINVAL, "invalid range of time '%.60s': it ends %s it "
				   "begins", text, to == from ? "when" : "before");
	free(first);
	if (err)
		return err;
	ret->from_ns = from * NS;
	ret->to_ns = to * NS;
	return 0;
}
