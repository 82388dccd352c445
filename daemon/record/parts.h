/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parts.h - the parts of the session (libdb/session/parts.h) as the daemon keeps them [SS-60]
 *
 * A part is asked for when a sample is placed, which only touches memory, and gets its number
 * and its line in the index when its first sample file is made, which may fail and be tried again.
 */
#ifndef DAEMON_RECORD_PARTS_H
#define DAEMON_RECORD_PARTS_H

#include <stdint.h>
#include "libutil/error.h"
#include "libutil/strbuf.h"

struct part;
struct parts;

struct parts *parts_new(void);
void parts_free(struct parts *all);	/* NULL is fine */

/* From now on parts lie below @stats_dir. Voids every struct part. */
void parts_set_session(struct parts *all, const char *stats_dir);

/*
 * The part for a build (hex) and a control group's path, "" where samples are not kept apart by
 * it; not both. NULL: the session has SESSION_PARTS_MAX others, which is told once.
 */
struct part *parts_get(struct parts *all, const char *build_id, const char *cgroup);

/* Have it in the index. Only then does it have a folder. */
int part_make(struct part *part, struct op_error *e);
/* Add its folder, without a slash at the end; of one that is not made some name. */
void part_add_path(const struct part *part, struct strbuf *path);

/* What could not be kept apart, in this session; "": nothing. */
const char *parts_trouble(const struct parts *all);

#endif
