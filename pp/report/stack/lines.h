/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines.h - the lines of a tree of stacks, in either order */
#ifndef PP_REPORT_STACK_LINES_H
#define PP_REPORT_STACK_LINES_H

#include "pp/report/stack/report.h"

/* Make the lines whose share is @threshold percent or more. */
void stack_callers_make(struct stack_report *r, const struct stack_list *stacks, double threshold);
void stack_callees_make(struct stack_report *r, const struct stack_list *stacks, double threshold);

/* Append a line. Its counts, all 0, are returned: valid until the next call. */
uint64_t *stack_line_add(struct stack_report *r, uint32_t depth, uint32_t symbol);

/* Is the share of @counts @threshold percent or more in any class? */
bool stack_is_above(const struct stack_report *r, const uint64_t *counts, double threshold);

/* Order of two functions side by side: by samples of the first class that differs, then by name. */
int stack_compare(const struct stack_report *r, uint32_t symbol_a, const uint64_t *counts_a,
		  uint32_t symbol_b, const uint64_t *counts_b);

#endif
