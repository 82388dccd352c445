/* SPDX-License-Identifier: GPL-2.0-or-later */
/* local_time.h - a time of the wall clock as text, in the time zone of this machine */
#ifndef LIBUTIL_LOCAL_TIME_H
#define LIBUTIL_LOCAL_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* strftime() of @seconds since the epoch. False: no such date, or no room; @text is undefined. */
static inline bool local_time(int64_t seconds, const char *format, char *text, size_t size)
{
	time_t t = (time_t)seconds;
	struct tm tm;

	return localtime_r(&t, &tm) && strftime(text, size, format, &tm);
}

#endif
