/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - make a session, which every tool can read, from a profile of another tool
 *
 * Sample files, a stack store, build-ids and the names of functions. Rules: doc/export.md [IM-n].
 */
#ifndef PP_EXCHANGE_IMPORT_SESSION_H
#define PP_EXCHANGE_IMPORT_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "formats/profile/profile.h"
#include "libutil/error.h"
#include "pp/select/notices.h"

struct import_session_options {
	const char *session_dir;	/* created if it is missing */
	const char *name;		/* SESSION_CURRENT, or as in opcontrol --save=NAME */
	const char *origin;		/* its format: "cpuprofile", or NULL */
	const char *file;		/* its name, for people, or NULL */
	/*
	 * The original profile, to be kept [IM-8], or NULL. Freed and set to NULL once it is
	 * written, because a large one and its stacks need not be in memory together. @salvaged: it
	 * was read so.
	 */
	unsigned char **bytes;
	size_t size;
	bool salvaged;
};

struct import_session_sums {
	uint64_t samples;		/* sum of all sample files' counts */
	uint64_t files;			/* sample files created */
	uint64_t stacks;		/* distinct ones with samples */
};

/*
 * Create the session completely, or not at all. -EEXIST: it exists. -EINVAL: invalid name. -ERANGE:
 * the numbers do not fit even when scaled [IM-4]. Other -errno: a file could not be written. The
 * reason is in @e; @notices names what was omitted or changed.
 */
int import_session(const struct profile *p, const struct import_session_options *options,
		   struct import_session_sums *ret, struct notices *notices, struct op_error *e);

#endif
