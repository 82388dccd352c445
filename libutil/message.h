/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message.h - the errors, warnings and notes that programs print to stderr
 *
 * "opreport: cannot open '/x': Permission denied": lower case, quoted names, and what to do if
 * there is something to do. For programs only; libraries use error.h.
 */
#ifndef LIBUTIL_MESSAGE_H
#define LIBUTIL_MESSAGE_H

#include <stddef.h>

void set_program_name(const char *name);		/* default: the base name of the program */
void report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void report_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void report_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Flush stdout. Returns @status for main(), or 1 after an error if stdout cannot be written. */
int finish_output(int status);

/* An internal error: print file and line, and abort. */
#define bug(...) report_bug(__FILE__, __LINE__, __VA_ARGS__)
void report_bug(const char *file, int line, const char *format, ...)
	__attribute__((noreturn, format(printf, 3, 4)));

/* Print that @size bytes cannot be allocated, and exit. */
void report_no_memory(size_t size) __attribute__((noreturn));

#endif
