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

static int days_of(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool is_leap = !(year % 4) && (year % 100 || !(year % 400));

	return days[month - 1] + (month == 2 && is_leap);
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
	if (day < 1 || day > days_of(year, month))
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

enum day { DAY_OF_BASE, DAY_DATE, DAY_TODAY, DAY_YESTERDAY };

static enum day parse_day(const char **at, struct tm *tm)
{
	if (parse_date(at, tm))
		return DAY_DATE;
	if (take(at, "yesterday"))
		return DAY_YESTERDAY;
	return take(at, "today") ? DAY_TODAY : DAY_OF_BASE;
}

/* The day of @at there, in that zone or here. */
static void set_day(struct tm *tm, time_t at, bool has_zone, int zone)
{
	struct tm day;

	at += zone;
	if (has_zone)
		gmtime_r(&at, &day);
	else
		localtime_r(&at, &day);
	tm->tm_year = day.tm_year;
	tm->tm_mon = day.tm_mon;
	tm->tm_mday = day.tm_mday;
}

static bool parse_absolute(const char *text, time_t base, time_t now, int64_t *ret)
{
	struct tm tm = { .tm_isdst = -1 };
	enum day day = parse_day(&text, &tm);
	bool has_clock, has_zone;
	int zone = 0;

	if (day != DAY_OF_BASE && *text)
		text += *text == 'T' || *text == ' ';
	has_clock = parse_clock(&text, &tm);
	if (day == DAY_OF_BASE && !has_clock)
		return false;
	has_zone = parse_zone(&text, &zone);
	if (*text)
		return false;
	if (day != DAY_DATE)
		set_day(&tm, day == DAY_OF_BASE ? base : now, has_zone, zone);
	tm.tm_mday -= day == DAY_YESTERDAY;
	*ret = has_zone ? timegm(&tm) - zone : mktime(&tm);
	return *ret >= 0 && *ret <= SECONDS_MAX;
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
