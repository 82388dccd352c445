/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * say.h - the one voice in which programs speak to people, on stderr
 *
 * "opreport: cannot open '/x': Permission denied": lower case, quoted subject, the
 * next step when there is one. For programs only; libraries use error.h.
 */
#ifndef LIBUTIL_SAY_H
#define LIBUTIL_SAY_H

void say_set_program(const char *name);		/* default: the running program's base name */
void say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For main() to return: @status, or 1 once it is said that stdout could not be written. */
int say_end(int status);

/* Our own mistake: prints file and line and aborts. */
#define bug(...) say_bug(__FILE__, __LINE__, __VA_ARGS__)
void say_bug(const char *file, int line, const char *format, ...)
	__attribute__((noreturn, format(printf, 3, 4)));

#endif
