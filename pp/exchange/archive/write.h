/* SPDX-License-Identifier: GPL-2.0-or-later */
/* write.h - copy a plan's files into a new folder, and say what they are [OA-5]..[OA-8] */
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
 * Make @dir, which may be there if it is empty, with all files and then the manifest. A file that
 * cannot be read is left out, with a notice. @replace: what is in @dir stays, but for files of the
 * same name. -ENOTEMPTY; other -errno: @dir cannot be written to, and is incomplete if it was
 * begun: there is no manifest then. @e says so.
 */
int archive_write(const struct archive_plan *plan, const char *dir, bool replace,
		  void (*progress)(size_t done, size_t total), struct archive_size *ret,
		  struct notices *notices, struct op_error *e);

#endif
