/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree.h - profiles into a picture's tree, one after the other */
#ifndef PP_PICTURE_TREE_H
#define PP_PICTURE_TREE_H

#include "pp/picture/data.h"
#include "pp/report/stack/report.h"
#include "pp/report/symbols.h"
#include "pp/select/arrange.h"

/* How many classes a picture of @a has: control groups are processes there, not columns. */
size_t picture_nr_classes(const struct arrangement *a);

/* Titles of the classes, once. */
void picture_titles(struct picture *p, const struct arrangement *a);

/* Whole stacks of @a's profile, which is number @profile. @stacks are sorted by context. */
void picture_add_stacks(struct picture *p, size_t profile, const struct arrangement *a,
			const struct stack_report *report, struct stack_list *stacks);

/* A session without stacks: the application, the image if that is another one, the function. */
void picture_add_rows(struct picture *p, size_t profile, const struct arrangement *a,
		      const struct row_list *rows);

/* What the sample files hold, stacks or not: @totals per class of @a. */
void picture_add_samples(struct picture *p, size_t profile, const struct arrangement *a,
			 const uint64_t *totals);

#endif
