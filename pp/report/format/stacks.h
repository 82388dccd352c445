/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stacks.h - trees of call stacks as text, as one line for each stack, and as CSV */
#ifndef PP_REPORT_FORMAT_STACKS_H
#define PP_REPORT_FORMAT_STACKS_H

#include <stdio.h>
#include "pp/report/format/text.h"
#include "pp/report/stack/report.h"

void format_stacks(const struct stack_report *r, const struct text_options *options, FILE *out);
void format_folded(const struct stack_report *r, FILE *out);
void format_csv_stacks(const struct stack_report *r, const struct arrangement *a,
		       const struct text_options *options, FILE *out);

#endif
