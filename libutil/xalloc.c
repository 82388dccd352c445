// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xalloc.c - allocation that ends the program when there is no memory
 *
 * The only place in the libraries where a program is ended: without memory for a short string or
 * table there is nothing sensible left to do, and nothing is lost, because sample files are valid
 * at every instant.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libutil/message.h"
#include "libutil/xalloc.h"

static void *or_die(void *p, size_t size)
{
	if (!p)
		report_no_memory(size);
	return p;
}

void *xmalloc(size_t size)
{
	return or_die(malloc(size ? size : 1), size);
}

void *xcalloc(size_t n, size_t size)
{
	return or_die(calloc(n ? n : 1, size ? size : 1), n * size);
}

void *xrealloc_array(void *old, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return or_die(NULL, SIZE_MAX);
	return or_die(realloc(old, bytes ? bytes : 1), bytes);
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
	return n < 0 ? or_die(NULL, 0) : text;
}
