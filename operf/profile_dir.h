/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile_dir.h - where operf's profile goes, and what becomes of the one before
 *
 * The earlier profile is kept as session "previous", unless new samples are to be added to it.
 * Until the command has begun all of that can be undone: who cannot be profiled loses nothing.
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
	bool made;			/* by us, and empty so far */
	int lock_fd;			/* -1: not locked */
	bool samples_made, current_made, current_moved, previous_moved;
	char *log;			/* the new profile's, till profile_dir_keep() */
};

/*
 * Find or make the folder and lock it. @given: --session-dir=, which must exist; NULL: the default,
 * which must not be anybody else's. -EBUSY: somebody else is profiling into it.
 */
int profile_dir_open(const char *given, struct profile_dir *ret, struct op_error *e);

/* Put the profile that is there aside, and make the folders for a new one. */
int profile_dir_begin(struct profile_dir *d, bool append, struct op_error *e);
/* The new one stays, and its log: the one before the previous goes. */
void profile_dir_keep(struct profile_dir *d);
/* All is as it was before profile_dir_open(), as far as it was not kept. */
void profile_dir_undo(struct profile_dir *d);

void profile_dir_close(struct profile_dir *d);

#endif
