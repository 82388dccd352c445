/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build_ids.h - the build IDs of files that /proc/PID/maps lists
 *
 * Records have them, /proc has not. A path and an inode do not identify a build: both may have been
 * reused when somebody looks at the file later. So the build ID is read at once, from the mapping.
 */
#ifndef DAEMON_COLLECT_PERF_BUILD_IDS_H
#define DAEMON_COLLECT_PERF_BUILD_IDS_H

#include <stdint.h>
#include "libutil/build_id.h"

struct perf_build_ids;

struct perf_build_ids *perf_build_ids_new(void);
void perf_build_ids_free(struct perf_build_ids *b);	/* NULL is fine */

/* A file, as a line of /proc/PID/maps has it. */
struct perf_mapped_file {
	const char *proc;		/* "/proc" */
	uint32_t tgid;
	uint64_t inode;
	int handle;			/* O_PATH descriptor, or negative */
};

/* Like a record, it has the one or the other. */
struct perf_build {
	struct build_id id;		/* len 0: none */
	uint64_t generation;		/* of the inode; 0: unknown */
};

/*
 * Closes the handle. All is 0 if the file is not mapped any more, may not be read without waiting,
 * or if too many were read since perf_build_ids_tick().
 */
void perf_build_ids_find(struct perf_build_ids *b, const struct perf_mapped_file *file,
			 struct perf_build *ret);

/* Allow further reads. */
void perf_build_ids_tick(struct perf_build_ids *b);

#endif
