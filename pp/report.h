/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.h - the stages one after the other: what opreport does, without its process */
#ifndef PP_REPORT_H
#define PP_REPORT_H

#include <stdio.h>
#include "libutil/error.h"
#include "pp/report/options.h"
#include "pp/select/notices.h"

struct report;

/*
 * Read what @options asks for from @session_dir and compute the report. Notices are all there
 * when it returns. -ENOENT: no session, no samples or nothing that matches; @e says which.
 * Other -errno: what could not be read.
 */
int report_make(const struct report_options *options, const char *session_dir, struct report **ret,
		struct notices *notices, struct op_error *e);
void report_print(const struct report *report, FILE *out);
void report_free(struct report *report);

#endif
