// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xalloc.c - allocation in other people's programs: print a message, then abort()
 *
 * The same functions as libutil's xalloc.c, and message.c's for bugs. A library does not call
 * exit(), whose handlers would run in the middle of what the program's threads do; and a process
 * without memory for a profile has none for the program either. [SM-64]
 */
#include "libutil/xalloc.h"

#include "libsampler/oprofsampler.h"
#include "libutil/message.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *or_abort(void *p)
{
	if (!p) {
		sampler_tell("libsampler: out of memory\n");
		abort();
	}
	return p;
}

void *xmalloc(size_t size)
{
	return or_abort(malloc(size ? size : 1));
}

void *xcalloc(size_t n, size_t size)
{
	return or_abort(calloc(n ? n : 1, size ? size : 1));
}

void *xrealloc_array(void *old, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return or_abort(NULL);
	return or_abort(realloc(old, bytes ? bytes : 1));
}

char *xstrdup(const char *s)
{
	size_t size = strlen(s) + 1;

	return memcpy(xmalloc(size), s, size);
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *text;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	return n < 0 ? or_abort(NULL) : text;
}

void report_bug(const char *file, int line, const char *format, ...)
{
	char what[200], text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	snprintf(text, sizeof(text), "libsampler: %s:%d: bug: %s\n", file, line, what);
	sampler_tell(text);
	abort();
}
