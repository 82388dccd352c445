/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format_stacks.h - trees of call chains as text, one chain a line, and comma separated values */
#ifndef PP_FORMAT_STACKS_H
#define PP_FORMAT_STACKS_H

#include <stdio.h>
#include "pp/format_text.h"
#include "pp/stack_report.h"

void format_stacks(const struct stack_report *r, const struct text_options *options, FILE *out);
void format_folded(const struct stack_report *r, FILE *out);
void format_csv_stacks(const struct stack_report *r, const struct arrangement *a,
		       const struct text_options *options, FILE *out);

#endif
