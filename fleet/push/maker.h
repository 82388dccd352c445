/* SPDX-License-Identifier: GPL-2.0-or-later */
/* maker.h - read a slice with its symbols, and make the parts for a target */
#ifndef FLEET_PUSH_MAKER_H
#define FLEET_PUSH_MAKER_H

#include "fleet/push/target.h"

struct push_source {			/* where slices and binaries are */
	const char *session_dir;
	const char *root;		/* --root, or NULL */
};

/* A slice, as push_spool_next() finds it. */
struct push_job {
	uint64_t segment, segment_ns;
	int64_t begin_ns, end_ns;
	uint64_t last_was_sent;		/* not 0: all parts of the slice that was asked for last */
};

/*
 * In a child process: confine it, and write the parts of the slice to @out. It has no credentials,
 * and parses what other users wrote.
 */
void push_make(const struct push_source *source, const struct push_rules *rules,
	       const struct push_target *target, const struct push_job *job, int out);

#endif
