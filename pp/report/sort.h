/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sort.h - the order of rows: --sort= and --reverse-sort [RP-7] */
#ifndef PP_REPORT_SORT_H
#define PP_REPORT_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include "libutil/error.h"
#include "pp/report/symbols.h"

enum sort_key {
	SORT_SAMPLE,		/* descending, by the first class */
	SORT_IMAGE,
	SORT_APP_NAME,
	SORT_SYMBOL,
	SORT_DEBUG,
	SORT_VMA,
	SORT_DIFF,		/* larger change first, of compared profiles; only if it is named */
	NR_SORT_KEYS
};

struct sort_order {
	enum sort_key keys[NR_SORT_KEYS];	/* most important first */
	size_t nr_keys;
	bool reverse, long_names;
};

/*
 * "image,symbol" becomes these keys, followed by the others in the order above. NULL: the default.
 * *ret_has_vma: vma is in @list. 0 or -EINVAL.
 */
int sort_order_parse(const char *list, struct sort_order *ret, bool *ret_has_vma,
		     struct op_error *e);
void sort_rows(struct row_list *rows, const struct sort_order *order);

#endif
