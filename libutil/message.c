// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * message.c - print one line to stderr, prefixed with the program's name
 *
 * A line is written by one write(), so that lines of the daemon and of opcontrol never mix.
 * Control characters are shown as '?', so that no file name can control a terminal.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libutil/file.h"
#include "libutil/message.h"
#include "libutil/plain_text.h"

#define SAY_MAX 2000

static const char *program_name;

void set_program_name(const char *name)
{
	program_name = name;
}

static void say(const char *kind, const char *format, va_list args)
{
	char line[SAY_MAX], *text = NULL;
	size_t n;

	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	if (text)
		shorten_words(text);
	snprintf(line, sizeof(line) - 1, "%s: %s%s",
		 program_name ? program_name : program_invocation_short_name, kind,
		 text ? text : format);
	free(text);
	n = strlen(line);
	plain_text(line, n);
	line[n++] = '\n';
	fflush(stdout);		/* keep the order of output and messages on a terminal */
	(void)file_write_fd(STDERR_FILENO, line, n);
}

void report_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("", format, args);
	va_end(args);
}

void report_warning(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("warning: ", format, args);
	va_end(args);
}

void report_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("note: ", format, args);
	va_end(args);
}

int finish_output(int status)
{
	if (status || (!fflush(stdout) && !ferror(stdout)))
		return status;
	report_error("cannot write standard output: %s", strerror(errno));
	return 1;
}

void report_bug(const char *file, int line, const char *format, ...)
{
	char kind[200];
	va_list args;

	snprintf(kind, sizeof(kind), "bug at %s:%d: ", file, line);
	va_start(args, format);
	say(kind, format, args);
	va_end(args);
	abort();
}

void report_no_memory(size_t size)
{
	report_error("out of memory: cannot allocate %zu bytes", size);
	exit(1);
}
