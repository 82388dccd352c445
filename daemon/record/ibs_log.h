/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ibs_log.h - text files of single samples, with addresses: for root only, of limited size
 */
#ifndef DAEMON_RECORD_IBS_LOG_H
#define DAEMON_RECORD_IBS_LOG_H

#include <stdint.h>
#include "libutil/error.h"
#include "libutil/strbuf.h"

#define IBS_LOG_MAX	(UINT64_C(256) << 20)	/* bytes */

struct ibs_log {
	int fd;				/* -1: not open */
	char *path;
	struct strbuf text;		/* not written yet */
	uint64_t room;			/* bytes that may be added */
	uint64_t left_out;		/* lines */
};

#define IBS_LOG_CLOSED { .fd = -1 }

/*
 * Create or truncate the file, mode 0600, and write @head. Symbolic links are not followed, and an
 * existing file must belong to this user. @max: bytes.
 */
int ibs_log_open(struct ibs_log *log, const char *path, const char *head, uint64_t max,
		 struct op_error *e);

/* Does nothing if it is not open. A full disk or log loses lines, which is logged once. */
void ibs_log_line(struct ibs_log *log, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void ibs_log_flush(struct ibs_log *log);
void ibs_log_close(struct ibs_log *log);

#endif
