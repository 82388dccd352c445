/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folders.h - keep SD/history (libdb/history/folder.h) small: put in order, merge with age, drop
 *
 * The daemon is the only writer, so it keeps the list of folders in memory: what happens with each
 * slice takes the same time however many there are. Rules: doc/history.md [HI-23] to [HI-25].
 */
#ifndef DAEMON_HISTORY_FOLDERS_H
#define DAEMON_HISTORY_FOLDERS_H

#include <stdbool.h>
#include <stdint.h>
#include "libdb/history/config.h"
#include "libdb/history/folder.h"

struct kept_folder {
	struct history_folder at;
	bool is_open;			/* it may have a store that is not complete */
	bool is_unordered;		/* complete, and not written anew yet [HI-11] */
	int64_t end_ns;			/* of its last slice; 0: not known yet */
	unsigned int nr_merged;		/* ages for which its slices were merged */
};

struct kept_folders {
	char *history;
	struct kept_folder *list;	/* oldest first */
	size_t nr, room;
	uint64_t used;			/* bytes, or fewer: merging frees some */
	uint64_t current_bytes;		/* of these, in the folder */
	unsigned int current;		/* with this number; 0: nothing was counted yet */
	bool stops_merging;		/* atomic: give up what is being written anew */
	uint64_t nr_looked;		/* folders that were looked into, for tests */
};

/* -errno: @history cannot be read. */
int kept_folders_open(struct kept_folders *k, const char *history);
void kept_folders_free(struct kept_folders *k);
/* Add the folder @number, whose segment begins at @begin_ns, unless it is the last one. */
void kept_folders_add(struct kept_folders *k, unsigned int number, int64_t begin_ns);

#define HISTORY_KEEP_FREE	(UINT64_C(64) << 20)	/* bytes of the disk, for samples */
bool history_has_room(const char *history);	/* the disk has these */

/*
 * Drop folders, the oldest first: while what is below the history takes more than the quota, or the
 * disk is too full; and one at most whose last slice is too old, so that a clock that is wrong for
 * an hour does not cost a month. Never one from number @current on: they are being filled. False:
 * the disk is still too full to write.
 */
bool history_make_room(struct kept_folders *k, const struct history_config *c,
		       unsigned int current, int64_t now_ns);

/*
 * Write the segment of one folder anew: one that is unordered, or old enough for longer slices. Not
 * that of the folder @current. False: none had to be looked at. With @k->stops_merging it is left
 * for the next call without.
 */
bool history_roll_up(struct kept_folders *k, const struct history_config *c, unsigned int current,
		     int64_t now_ns);

#endif
