/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - a profile of another tool becomes a session that every tool reads
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
	const char *session_dir;	/* made if it is not there */
	const char *name;		/* SESSION_CURRENT, or as in opcontrol --save=NAME */
	const char *origin;		/* for stats/session: "cpuprofile", or NULL */
	/* what @p was read from, to be kept [IM-8]; NULL: not known. @salvaged: how it was read */
	const unsigned char *bytes;
	size_t size;
	bool salvaged;
};

struct import_session_sums {
	uint64_t samples;		/* sum of all sample files' counts */
	uint64_t files;			/* sample files made */
	uint64_t stacks;		/* different ones that have samples */
};

/*
 * Make the session, which must not be there yet: it is whole or not there at all.
 * -EEXIST: it is there. -EINVAL: a bad name. -ERANGE: the numbers do not fit even when scaled
 * [IM-4]. Other -errno: what could not be written. @e says which. What was left out or changed is
 * told in @notices.
 */
int import_session(const struct profile *p, const struct import_session_options *options,
		   struct import_session_sums *ret, struct notices *notices, struct op_error *e);

#endif
