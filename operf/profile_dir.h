/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile_dir.h - the folder of operf's profile
 *
 * An earlier profile is saved as session "previous", unless new samples are added to it. Until the
 * command begins this can be undone, so a failed operf does not lose a profile.
 */
#ifndef OPERF_PROFILE_DIR_H
#define OPERF_PROFILE_DIR_H

#include <stdbool.h>
#include "libutil/error.h"

#define PROFILE_DIR_DEFAULT	"oprofile_data"
#define PROFILE_PREVIOUS	"previous"
#define PROFILE_LOG		"operf.log"	/* beside the sessions */

struct profile_dir {
	char *path;			/* absolute */
	bool made;			/* created by us, and still empty */
	int lock_fd;			/* -1: not locked */
	bool samples_made, current_made, current_moved, previous_moved;
	char *log;			/* of the new profile, until profile_dir_keep() */
};

/*
 * Find or create the folder and lock it. @given: --session-dir=, which must exist; NULL: the
 * default, which must not belong to another user. -EBUSY: another process is profiling into it.
 */
int profile_dir_open(const char *given, struct profile_dir *ret, struct op_error *e);

/* Move an existing profile aside, and create the folders for a new one. */
int profile_dir_begin(struct profile_dir *d, bool append, struct op_error *e);
/* Keep the new profile and its log, and remove the one before the previous one. */
void profile_dir_keep(struct profile_dir *d);
/* Restore the state before profile_dir_open(), except for what was kept. */
void profile_dir_undo(struct profile_dir *d);

void profile_dir_close(struct profile_dir *d);

#endif
