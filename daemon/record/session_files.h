/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_files.h - what the daemon writes below stats/ of the session "current"
 *
 * Failures to write are logged once, and what is missing is written as soon as it can be.
 */
#ifndef DAEMON_RECORD_SESSION_FILES_H
#define DAEMON_RECORD_SESSION_FILES_H

#include <pthread.h>
#include <stdatomic.h>
#include "daemon/record/recorder.h"

#define SESSION_REMOVED_PREFIX	".removed."	/* of sessions that are being discarded */

struct session_files {
	const char *session_dir;
	char *samples_dir, *stats_dir;	/* of "current" */
	const struct kernel *kernel;
	struct session_info info;
	bool info_due;			/* stats/session could not be written yet */
	bool room_due;			/* room for later versions could not be reserved yet */
	int counts_err;			/* of the last attempt to write stats/counts */
	int logged_err;			/* the last failure to write, which is in the log, */
	struct op_error trouble;	/* and in words */
	pthread_t remover;		/* a thread that empties discarded sessions */
	bool is_removing;		/* it was started, and not joined yet */
	atomic_bool remove_again;	/* others were discarded meanwhile */
};

/* @config's strings and @kernel must outlive it. */
void session_files_init(struct session_files *f, const struct recorder_config *config,
			const struct collector_status *status, const struct kernel *kernel);
void session_files_free(struct session_files *f);

/*
 * Remove discarded sessions in the background: those of reset, and what is left where a kill came.
 * session_files_free() waits for it.
 */
void session_files_remove_discarded(struct session_files *f);
/* Count what a killed daemon left uncounted. [SS-24] */
void session_files_settle(const struct session_files *f);
/* Create the folder; the session started when an earlier daemon started it, or now. */
void session_files_begin(struct session_files *f);

/* Write stats/session; the second reports a failure. */
int session_files_try_write_info(struct session_files *f);
void session_files_write_info(struct session_files *f);
/* Reserve room for the counts, so that losses on a full disk can be written. [SS-5] */
int session_files_reserve(struct session_files *f);
/* Mark the session as complete. [SS-24] */
void session_files_end(struct session_files *f);
/* Undo that, because the session continues. */
void session_files_reopen(struct session_files *f);

/* Log a new failure to write, @err; 0: that files can be written again. */
void session_files_report(struct session_files *f, int err);

#endif
