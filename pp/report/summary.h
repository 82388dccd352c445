/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary.h - samples per application and, below it, per binary image */
#ifndef PP_REPORT_SUMMARY_H
#define PP_REPORT_SUMMARY_H

#include <stddef.h>
#include <stdint.h>
#include "pp/select/arrange.h"
#include "pp/select/notices.h"

struct summary_row {
	const struct report_image *image;
	uint64_t *counts;		/* per class */
	struct summary_row *parts;	/* the application's images, if more than itself */
	size_t nr_parts;
};

struct summary {
	struct summary_row *rows;	/* sorted by samples of the first class */
	size_t nr;
	size_t nr_classes;
	uint64_t *totals;		/* per class */
	size_t nr_failed;		/* sample files that could not be read */
	uint64_t *storage;
	struct summary_row *parts;
};

void summary_make(const struct arrangement *a, bool reverse, struct summary *ret,
		  struct notices *notices);
void summary_free(struct summary *s);

/* Drop applications below @percent in every class (@first_class_only: in the first). */
void summary_threshold(struct summary *s, double percent, bool first_class_only);

#endif
