/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * start.h - a process that keeps the rights to open files, so that this one can give them up
 *
 * It reads nothing of what it opens, but the first 18 bytes of a file; it does what requests.h
 * lists and refuses all else. Its program may be taken over by whoever wrote what it reads. Then
 * the opener still gives it only what everybody may read, files of /proc, executables, files of JIT
 * symbols, and perf's events.
 */
#ifndef LIBUTIL_OPENER_START_H
#define LIBUTIL_OPENER_START_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include "libutil/error.h"

struct opener_config {
	uint64_t capabilities;		/* it keeps these */
	uid_t uid;			/* whose files it may give away: this program's */
	/*
	 * [another process] Whether a file of this name, or folder, may be opened. @path is what
	 * was asked for; below another root it may be any folder's.
	 */
	bool (*is_symbol_file)(const char *name);
	bool (*is_symbol_folder)(const char *path, const struct stat *st);
	const char *const *removable;	/* paths that it may remove; they stay the caller's */
	size_t nr_removable;
};

/*
 * As root: start it, before there are threads; libutil/opener/ask.h then uses it. It ends with this
 * process. Does nothing for other users. 0 or -errno.
 */
int opener_start(const struct opener_config *config, struct op_error *e);

#endif
