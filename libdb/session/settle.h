/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settle.h - make a session's counts agree with its sample files after a kill -9
 *
 * The daemon writes stats/counts every ten seconds, sample files all the time. When it is killed,
 * the files hold samples that the counts do not know of; a report would show more samples than
 * were ever received. So whoever next has the session for himself settles it first. [SS-24]
 */
#ifndef LIBDB_SESSION_SETTLE_H
#define LIBDB_SESSION_SETTLE_H

#include <stdbool.h>
#include <stdint.h>
#include "libdb/session/session.h"
#include "libutil/error.h"

struct settlement {
	uint64_t found;		/* samples in files, in no count: now received and recorded */
	uint64_t missing;	/* counted as recorded, in no file: now LOST_SAMPLE_FILE */
	struct op_error counts;	/* why stats/counts could not be used, or "" */
};

/*
 * Settle the session whose sample files lie below @samples_dir (".../samples/NAME"), unless its
 * daemon ended in order. The caller holds the session's lock. 0 or -errno, then nothing changed;
 * doing it again after a failure, or a kill in between, is fine.
 */
int session_settle(const char *samples_dir, struct settlement *ret, struct op_error *e);

/*
 * The part of it about stacks: @counts, whose other numbers are settled, get what stats/stacks has.
 * Whether they changed; a store that cannot be read changes nothing. [SS-25]
 */
bool session_settle_stacks(const char *stats_dir, struct session_counts *counts);

#endif
