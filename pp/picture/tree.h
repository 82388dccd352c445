/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree.h - add profiles to a picture's tree */
#ifndef PP_PICTURE_TREE_H
#define PP_PICTURE_TREE_H

#include "pp/picture/data.h"
#include "pp/report/stack/report.h"
#include "pp/report/symbols.h"
#include "pp/select/arrange.h"

/* The number of classes in a picture of @a; control groups are processes there, not classes. */
size_t picture_nr_classes(const struct arrangement *a);

/* Set the titles of the classes. */
void picture_titles(struct picture *p, const struct arrangement *a);

/*
 * Add the stacks of @a's profile, which is number @profile. Sorts @stacks by context; their nodes
 * and classes are the picture's then.
 */
void picture_add_stacks(struct picture *p, size_t profile, const struct arrangement *a,
			const struct stack_report *report, struct stack_list *stacks);

/* Add rows as stacks of application, image (if it is another one) and function. */
void picture_add_rows(struct picture *p, size_t profile, const struct arrangement *a,
		      const struct row_list *rows);

/* Add the samples of the sample files, with and without stacks: @totals per class of @a. */
void picture_add_samples(struct picture *p, size_t profile, const struct arrangement *a,
			 const uint64_t *totals);

#endif
