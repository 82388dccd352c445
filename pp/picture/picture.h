/* SPDX-License-Identifier: GPL-2.0-or-later */
/* picture.h - make pictures: opreport --flamegraph and --html */
#ifndef PP_PICTURE_PICTURE_H
#define PP_PICTURE_PICTURE_H

#include "libutil/error.h"
#include "pp/report/options.h"
#include "pp/select/notices.h"

/*
 * Read the selected samples from @session_dir and write the files named in @options, each complete
 * or not at all. Errors as report_make(), and -errno with @e set if a file could not be written.
 */
int picture_make(const struct report_options *options, const char *session_dir,
		 struct notices *notices, struct op_error *e);

/*
 * The page of --html, for opserve: *ret is malloc'd. The file named in @options is not written.
 * Errors as above.
 */
int picture_page(const struct report_options *options, const char *session_dir, char **ret,
		 size_t *ret_len, struct notices *notices, struct op_error *e);

#endif
