/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row_lines.h - source lines of rows and of their details: --debug-info */
#ifndef PP_REPORT_ROW_LINES_H
#define PP_REPORT_ROW_LINES_H

#include "pp/binary/binary.h"
#include "pp/report/merge_pass.h"
#include "pp/report/symbols.h"
#include "pp/select/notices.h"

/*
 * Set the lines of @nr rows of @b, which was read from @path. Without debug information there are
 * none; damaged debug information is a notice. Threads may work on different images, but not in
 * compatibility mode.
 */
void row_lines_set(const struct binary *b, const char *path,
		   const struct populate_options *options, struct symbol_row *const *rows,
		   size_t nr, struct notices *notices);

#endif
