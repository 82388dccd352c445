/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parts.h - samples separated by what a sample file's name has no field for: stats/parts
 *
 *	SD/samples/NAME/stats/parts/index	a line per part, the first is part 0
 *	SD/samples/NAME/stats/parts/N/...	its sample files, as below SD/samples/NAME
 *
 * By the control group of the process, and by the build of the image that the samples lie in.
 * Samples outside of parts are of no or any control group, and of the build that stats/images has
 * for the path. Rules: doc/session.md, from [SS-60] on.
 */
#ifndef LIBDB_SESSION_PARTS_H
#define LIBDB_SESSION_PARTS_H

#include <stddef.h>
#include "libutil/error.h"

#define SESSION_PARTS_MAX 4096

struct session_part {
	char *build_id;			/* lower-case hex; "": any */
	char *cgroup;			/* path in the hierarchy; "": any */
};

struct session_parts {
	struct session_part *parts;
	size_t nr, room;
};

/* -ENOENT: the session has no parts. -EPROTO: "FILE:LINE: why". Failures leave *ret unchanged. */
int session_parts_read(const char *stats_dir, struct session_parts *ret, struct op_error *e);
/* Parse @text, overwriting it; @name is the file's. */
int session_parts_parse(char *text, size_t len, const char *name, struct session_parts *ret,
			struct op_error *e);
void session_parts_free(struct session_parts *parts);

/*
 * The number of the part for these two. A new one is added to @parts and to the index.
 * -ENOSPC: SESSION_PARTS_MAX is reached, or the disk is full. -EINVAL: both are "".
 */
int session_parts_get(const char *stats_dir, struct session_parts *parts, const char *build_id,
		      const char *cgroup, size_t *ret_number);

/* The folder of part @number's sample files. Malloc'd. */
char *session_part_path(const char *stats_dir, size_t number);

#endif
