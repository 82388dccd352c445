/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h - what the daemon writes into SD/samples/oprofiled.log
 *
 * The daemon has no terminal: after the start-up everything it has to say goes here. Writing
 * never fails as far as callers are concerned (a full disk loses lines, nothing else).
 */
#ifndef LIBUTIL_LOG_H
#define LIBUTIL_LOG_H

#include "libutil/error.h"

enum log_topic {			/* --verbose= */
	LOG_SFILE	= 1 << 0,
	LOG_ARCS	= 1 << 1,
	LOG_SAMPLES	= 1 << 2,
	LOG_MODULE	= 1 << 3,
	LOG_MISC	= 1 << 4,
	LOG_EXT		= 1 << 5,
	LOG_ALL		= (1 << 6) - 1,
};

extern unsigned int log_topics;		/* those that are written */

/* Words of log_topic separated by commas; "all". -EINVAL names the unknown one. */
int log_topics_parse(const char *list, unsigned int *ret, struct op_error *e);

/* Append to the file @path, never through a symbolic link. Before that lines go to stderr. */
int log_open(const char *path, struct op_error *e);
/* Open the same path anew: it was moved away. Keeps the old file when that fails. */
void log_reopen(void);
void log_close(void);
int log_fd(void);

/* One line with the time before it. */
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* As it is. */
void log_text(const char *text);

#define log_about(topic, ...)                                                                  \
	do {                                                                                   \
		if (__builtin_expect(log_topics & (topic), 0))                                 \
			log_line(__VA_ARGS__);                                                 \
	} while (0)

/* "Sat Nov 21 12:00:00 2026" */
#define LOG_DATE_SIZE 32
const char *log_date(char text[LOG_DATE_SIZE]);

#endif
