// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * message.c - how a library ends in other people's programs: print a message, then abort()
 *
 * In place of libutil's message.c. A library does not call exit(), whose handlers would run in the
 * middle of what the program's threads do; and a process without memory for a profile has none for
 * the program either. [SM-64]
 */
#include "libutil/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "libsampler/oprofsampler.h"

void report_no_memory(size_t size)
{
	(void)size;
	sampler_tell("libsampler: out of memory\n");
	abort();
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
