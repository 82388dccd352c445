/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h - the daemon's log: SD/samples/oprofiled.log, or of a service the journal
 *
 * The daemon has no terminal: after start-up all its messages go here. Functions that write do
 * not report failures; a full disk costs lines and nothing else.
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

extern unsigned int log_topics;		/* the topics that are logged */

/* Parse names of topics separated by commas; "all" is all of them. -EINVAL: unknown name. */
int log_topics_parse(const char *list, unsigned int *ret, struct op_error *e);

/* Append to the file @path, which must not be a symbolic link. Until then lines go to stderr. */
int log_open(const char *path, struct op_error *e);
/* Reopen the path after the file was moved away. The old file stays open if that fails. */
void log_reopen(void);
void log_close(void);
int log_fd(void);

/* Write one line, with the time unless it goes to the journal. */
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Write @text unchanged. */
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
