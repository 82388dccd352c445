/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settle.h - make a session's counts agree with its sample files after a kill -9
 *
 * The daemon writes stats/counts every ten seconds, sample files all the time. After a kill the
 * files hold samples that are not in the counts, and a report would show more samples than were
 * received. So the next holder of the session's lock settles it first. [SS-24]
 */
#ifndef LIBDB_SESSION_SETTLE_H
#define LIBDB_SESSION_SETTLE_H

#include <stdbool.h>
#include <stdint.h>
#include "libdb/session/session.h"
#include "libutil/error.h"

struct settlement {
	uint64_t found;		/* samples only in files: now received and recorded */
	uint64_t missing;	/* samples only in counts: now LOST_SAMPLE_FILE */
	struct op_error counts;	/* why stats/counts could not be used, or "" */
};

/*
 * Settle the session whose sample files lie below @samples_dir (".../samples/NAME"), unless its
 * daemon ended in order. The caller holds the session's lock. 0, or -errno with nothing changed;
 * may be repeated after a failure or a kill.
 */
int session_settle(const char *samples_dir, struct settlement *ret, struct op_error *e);

/*
 * Settle the counts of stacks by stats/stacks; the other numbers of @counts are settled already.
 * Returns whether they changed; an unreadable store changes nothing. [SS-25]
 */
bool session_settle_stacks(const char *stats_dir, struct session_counts *counts);

#endif
