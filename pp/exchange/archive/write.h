/* SPDX-License-Identifier: GPL-2.0-or-later */
/* write.h - copy a plan's files into a new folder, and write the manifest [OA-5]..[OA-8] */
#ifndef PP_EXCHANGE_ARCHIVE_WRITE_H
#define PP_EXCHANGE_ARCHIVE_WRITE_H

#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"
#include "pp/exchange/archive/plan.h"
#include "pp/select/notices.h"

#define ARCHIVE_MANIFEST "manifest.sha256"

struct archive_size {
	size_t files;		/* without the manifest */
	uint64_t bytes;
};

/*
 * Create @dir, or use it if it is empty, and write all files and then the manifest. A file that
 * cannot be read is skipped with a notice. @replace: @dir need not be empty; files of the same name
 * are replaced. -ENOTEMPTY; other -errno: @dir cannot be written to, and what was written is
 * removed again, unless @replace: then it has no manifest. The reason is in @e. So does a signal
 * that interrupts it, and ends the process afterwards.
 */
int archive_write(const struct archive_plan *plan, const char *dir, bool replace,
		  struct archive_size *ret, struct notices *notices, struct op_error *e);

#endif
