/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parts.h - the parts of the session (libdb/session/parts.h) that the daemon adds to [SS-60]
 *
 * A part is looked up when a sample is attributed, which only touches memory. It gets its number
 * and its line in the index when its first sample file is created, which may fail and be retried.
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

/* From now on parts lie below @stats_dir. Frees every struct part. */
void parts_set_session(struct parts *all, const char *stats_dir);

/*
 * The part for a build (hex) and the path of a control group; "" if samples are not separated by
 * it, but not both. NULL: the session has SESSION_PARTS_MAX others, which is logged once.
 */
struct part *parts_get(struct parts *all, const char *build_id, const char *cgroup);

/* Add it to the index, unless it is there. */
int part_make(struct part *part, struct op_error *e);
/* Append the path of its folder to @path; of some folder if it is not in the index. */
void part_add_path(const struct part *part, struct strbuf *path);

/* Why samples of this session are not separated, or "". */
const char *parts_trouble(const struct parts *all);

#endif
