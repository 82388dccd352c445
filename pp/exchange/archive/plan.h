/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - what belongs into an archive, and where: doc/exchange.md [OA-1]..[OA-4]
 *
 * Nothing is copied here. Sources of a session are given as a folder and a path below it which
 * is to be followed without links: the folder may be anybody's.
 */
#ifndef PP_EXCHANGE_ARCHIVE_PLAN_H
#define PP_EXCHANGE_ARCHIVE_PLAN_H

#include <stddef.h>
#include "libutil/build_id.h"
#include "libutil/error.h"
#include "pp/binary/debug_server.h"
#include "pp/exchange/archive/options.h"
#include "pp/select/notices.h"

enum archive_kind {
	ARCHIVE_BINARY,		/* an ELF file, or a packed kernel module */
	ARCHIVE_DEBUG,		/* an ELF file */
	ARCHIVE_SAMPLES,
	ARCHIVE_BESIDE,		/* of the session: stats, log, abi, code made at run time */
};

struct archive_item {
	enum archive_kind kind;
	char *folder;		/* of the source; NULL: @source is a path of its own */
	char *source;		/* below @folder */
	char *path;		/* in the archive, relative, without "." and ".." */
	char build_id[BUILD_ID_TEXT];
};

struct archive_plan {
	struct archive_item *items;
	size_t nr, room;
};

/*
 * @fetch, or NULL: debug files are asked for of a server, if one is configured.
 * -ENOENT: no session, no samples or nothing that matches, -EINVAL: a session that cannot be
 * named in an archive; @e says which. What is missing is told in @notices. *ret is the
 * caller's to free.
 */
int archive_plan_make(const struct archive_options *options, const char *session_dir,
		      debug_server_progress fetch, struct archive_plan *ret,
		      struct notices *notices, struct op_error *e);
void archive_plan_free(struct archive_plan *plan);

/* @folder, or NULL, and @source are copied; @path is taken over. */
struct archive_item *archive_plan_add(struct archive_plan *plan, enum archive_kind kind,
				      const char *folder, const char *source, char *path);

/* The path that is read, for people. Malloc'd. */
char *archive_item_source(const struct archive_item *item);

#endif
