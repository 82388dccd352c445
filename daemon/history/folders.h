/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folders.h - keep SD/history (libdb/history/folder.h) small: merge with age, drop under a quota
 *
 * Rules: doc/history.md [HI-23] to [HI-25].
 */
#ifndef DAEMON_HISTORY_FOLDERS_H
#define DAEMON_HISTORY_FOLDERS_H

#include <stdbool.h>
#include <stdint.h>
#include "libdb/history/config.h"

/*
 * Drop folders, the oldest first: while what is below @history takes more than the quota, or the
 * disk has less than HISTORY_KEEP_FREE; and one at most whose last slice is too old, so that a
 * clock that is wrong for an hour does not cost a month. Never one from number @current on: they
 * are being filled. False: the disk is still too full to write.
 */
#define HISTORY_KEEP_FREE	(UINT64_C(64) << 20)	/* bytes of the disk, for samples */
bool history_make_room(const char *history, const struct history_config *c, unsigned int current,
		       int64_t now_ns);

/*
 * Merge slices of one folder that is due: minutes older than a day to ten minutes, those older than
 * a week to hours. Not those of the folder @current (may be NULL). False: none is.
 */
bool history_roll_up(const char *history, const char *current, int64_t now_ns);

#endif
