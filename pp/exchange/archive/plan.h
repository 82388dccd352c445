/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - list the files of an archive and their paths in it: doc/exchange.md [OA-1]..[OA-4]
 *
 * Nothing is copied here. Files of a session have a folder and a path below it, in which no link
 * is followed, because another user may own the folder.
 */
#ifndef PP_EXCHANGE_ARCHIVE_PLAN_H
#define PP_EXCHANGE_ARCHIVE_PLAN_H

#include <stddef.h>
#include "libutil/build_id.h"
#include "libutil/error.h"
#include "pp/exchange/archive/options.h"
#include "pp/select/notices.h"

enum archive_kind {
	ARCHIVE_BINARY,		/* an ELF file, or a compressed kernel module */
	ARCHIVE_DEBUG,		/* an ELF file */
	ARCHIVE_SAMPLES,
	ARCHIVE_SESSION,	/* its other files: stats, log, abi, JIT objects */
};

struct archive_item {
	enum archive_kind kind;
	char *folder;		/* of the source; NULL: @source is a complete path */
	char *source;		/* below @folder */
	char *path;		/* in the archive, relative, without "." and ".." */
	char build_id[BUILD_ID_TEXT];
};

struct archive_plan {
	struct archive_item *items;
	size_t nr, room;
};

/*
 * Debug files are fetched from a server if one is configured, unless files are only listed or the
 * archive is like the original's.
 * -ENOENT: no session, no samples, or no match; -EINVAL: a session has no valid name for an
 * archive. The reason is in @e; @notices names missing files. *ret is the caller's to free.
 */
int archive_plan_make(const struct archive_options *options, const char *session_dir,
		      struct archive_plan *ret, struct notices *notices, struct op_error *e);
void archive_plan_free(struct archive_plan *plan);

/* Add an item. @folder (or NULL) and @source are copied, @path is taken over. */
struct archive_item *archive_plan_add(struct archive_plan *plan, enum archive_kind kind,
				      const char *folder, const char *source, char *path);

/* The complete path of the source, for messages. Malloc'd. */
char *archive_item_source(const struct archive_item *item);

#endif
