/* SPDX-License-Identifier: GPL-2.0-or-later */
/* binary_copy.h - copy one file into a folder, named by its build ID, in pieces */
#ifndef DAEMON_RECORD_BINARY_COPY_H
#define DAEMON_RECORD_BINARY_COPY_H

#include <stdbool.h>
#include <stdint.h>
#include "libutil/error.h"

struct binary_copy {
	int from, to;			/* @from is the caller's */
	uint64_t size, done;		/* bytes; @size also after the copy ended */
	char *new_path, *path;
};

/*
 * -EEXIST: the folder has a copy. -EFBIG, -ENOSPC (the disk must keep room for samples), or another
 * failure, explained in @e. @fd must stay open, and its offset unused, until the copy ends.
 */
int binary_copy_begin(struct binary_copy *c, int fd, const char *dir, const char *build_id,
		      struct op_error *e);
/* Copy a few megabytes. After a failure, or when done, the copy has ended. */
int binary_copy_step(struct binary_copy *c, bool *ret_done, struct op_error *e);
void binary_copy_abort(struct binary_copy *c);

/* Remove what a killed daemon left incomplete in @dir. */
void binary_copy_remove_leftover(const char *dir);

#endif
