/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch_debug.h - a stage before symbols are read: fetch debug files [SY-17]
 *
 * Only of images with a share of the samples that lack what the report needs and have no debug
 * file here, and only if a server is configured. pp/binary/debug_file.h finds them afterwards.
 */
#ifndef PP_REPORT_FETCH_DEBUG_H
#define PP_REPORT_FETCH_DEBUG_H

#include <stdbool.h>
#include "pp/binary/debug_server.h"
#include "pp/select/collect.h"
#include "pp/select/find_image.h"
#include "pp/select/invert.h"
#include "pp/select/notices.h"

/*
 * @root as in binary_options. @lines: source lines are needed, not only symbols. @notices names
 * files that could not be fetched.
 */
void fetch_debug_files(const struct inversion *inversion, const char *root, bool lines,
		       struct finder *finder, struct notices *notices);

/* The debug files for a report of all files of @c together, which need not be arranged. */
void fetch_debug_of_all(const struct collection *c, bool lines, struct notices *notices);

#endif
