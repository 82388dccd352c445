/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.h - run the stages of opreport, compute and print a report */
#ifndef PP_REPORT_H
#define PP_REPORT_H

#include <stdio.h>
#include "libutil/error.h"
#include "pp/report/options.h"
#include "pp/select/notices.h"

struct report;

/*
 * Read the samples that @options select from @session_dir and compute the report. @notices must
 * live as long as it. -ENOENT: no session, no samples, or none that match; @e says which. Other
 * -errno: a read error. Then *ret is NULL, or has the header, which the original prints before it
 * fails.
 */
int report_make(const struct report_options *options, const char *session_dir, struct report **ret,
		struct notices *notices, struct op_error *e);
void report_print(const struct report *report, FILE *out);
void report_free(struct report *report);

#endif
