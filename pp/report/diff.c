/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diff.c - match rows in rounds, each less strict than the last */
#include "pp/report/diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/file.h"
#include "libutil/xalloc.h"

static bool is_separated_by_task(const struct arrangement *a)
{
	return a->axis == AXIS_TGID || a->axis == AXIS_TID;
}

/* The original compares as many processes, threads or CPUs, whichever they are. */
static bool are_comparable(const struct arrangement *a, const struct arrangement *b)
{
	return a->nr_classes == b->nr_classes &&
	       ((is_separated_by_task(a) && is_separated_by_task(b)) ||
		(a->axis == AXIS_CPU && b->axis == AXIS_CPU));
}

int diff_check(const struct arrangement *first, const struct arrangement *second, bool compat,
	       struct op_error *e)
{
	bool same = first->nr_classes == second->nr_classes;

	if (compat && are_comparable(first, second))
		return 0;
	for (size_t i = 0; same && i < first->nr_classes; i++)
		same = !strcmp(first->classes[i].title, second->classes[i].title);
	if (same)
		return 0;
	return op_error_set(e, -EINVAL, "the columns of the two profiles differ (%zu, first %s; "
			    "and %zu, first %s); choose the same event in both", first->nr_classes,
			    first->classes[0].title, second->nr_classes,
			    second->classes[0].title);
}

/* What must be equal in a round. */
enum match { MATCH_ALL, MATCH_IMAGE, MATCH_BASE_NAME, NR_MATCHES };

static enum match round_of_sort;	/* qsort() has no argument for its callback */

static int compare_rows(const struct symbol_row *a, const struct symbol_row *b, enum match match)
{
	int order = strcmp(a->name, b->name);

	/* the row of an image without symbols has the name of the image */
	if (match == MATCH_BASE_NAME && !strcmp(a->name, a->image->name) &&
	    !strcmp(b->name, b->image->name))
		order = 0;
	if (!order)
		order = match == MATCH_BASE_NAME
			? strcmp(image_common_name(a->image), image_common_name(b->image))
			: strcmp(a->image->name, b->image->name);
	if (!order && match == MATCH_ALL)
		order = strcmp(a->app->name, b->app->name);
	return order;
}

static int compare_pointers(const void *a, const void *b)
{
	const struct symbol_row *x = *(struct symbol_row *const *)a;
	const struct symbol_row *y = *(struct symbol_row *const *)b;
	int order = compare_rows(x, y, round_of_sort);

	return order ? order : x->serial < y->serial ? -1 : x->serial > y->serial;
}

/* The rows without a partner, sorted; malloc'd. */
static struct symbol_row **list_unmatched(const struct row_list *list, enum match match,
					  size_t *ret_nr)
{
	struct symbol_row **rows = xcalloc(list->nr + 1, sizeof(*rows));
	size_t nr = 0;

	for (size_t i = 0; i < list->nr; i++)
		if (!list->rows[i]->diff)
			rows[nr++] = list->rows[i];
	round_of_sort = match;
	qsort(rows, nr, sizeof(*rows), compare_pointers);
	*ret_nr = nr;
	return rows;
}

static double share(const struct row_list *list, const struct symbol_row *row, size_t class)
{
	return list->totals[class] ? 100.0 * row->counts[class] / list->totals[class] : 0;
}

/* Of a column without samples in the first profile the original says that nothing changed. */
static double change(double first, double second, bool compat)
{
	if (first == second || (!first && compat))
		return 0;
	return first ? (second - first) / first * 100 : INFINITY;
}

static struct row_diff *new_diff(size_t nr_classes)
{
	return xcalloc(1, sizeof(struct row_diff) + nr_classes * sizeof(double));
}

static void set_pair(const struct row_list *first, struct symbol_row *a,
		     const struct row_list *second, struct symbol_row *b, bool compat)
{
	struct row_diff *diff = new_diff(second->nr_classes);

	diff->in_first = diff->in_second = true;
	for (size_t c = 0; c < second->nr_classes; c++)
		diff->change[c] = change(share(first, a, c), share(second, b, c), compat);
	diff->points = share(second, b, 0) - share(first, a, 0);
	diff->partner = a;
	b->diff = diff;
	a->diff = new_diff(0);		/* marks it as matched; it is not shown */
}

static void match_round(struct row_list *first, struct row_list *second, enum match match,
			bool compat)
{
	size_t nr_a, nr_b, i = 0, j = 0;
	struct symbol_row **a = list_unmatched(first, match, &nr_a);
	struct symbol_row **b = list_unmatched(second, match, &nr_b);

	while (i < nr_a && j < nr_b) {
		int order = compare_rows(a[i], b[j], match);

		if (order < 0)
			i++;
		else if (order > 0)
			j++;
		else
			set_pair(first, a[i++], second, b[j++], compat);
	}
	free(a);
	free(b);
}

static void set_lone(const struct row_list *list, struct symbol_row *row, bool is_first)
{
	struct row_diff *diff = new_diff(list->nr_classes);

	diff->in_first = is_first;
	diff->in_second = !is_first;
	for (size_t c = 0; c < list->nr_classes; c++)
		diff->change[c] = is_first ? -INFINITY : INFINITY;
	diff->points = is_first ? -share(list, row, 0) : share(list, row, 0);
	row->diff = diff;
}

void diff_rows(struct row_list *first, struct row_list *second, bool compat)
{
	size_t kept = 0;

	for (int match = MATCH_ALL; match < (compat ? MATCH_IMAGE : NR_MATCHES); match++)
		match_round(first, second, match, compat);
	for (size_t i = 0; i < second->nr; i++)
		if (!second->rows[i]->diff)
			set_lone(second, second->rows[i], false);
	for (size_t i = 0; i < first->nr; i++) {
		struct symbol_row *row = first->rows[i];

		if (row->diff) {
			first->rows[kept++] = row;
			continue;
		}
		set_lone(first, row, true);
		rows_move(second, row);
	}
	first->nr = kept;
}

void diff_threshold(struct row_list *rows, double percent, bool first_class_only)
{
	size_t kept = 0, nr_classes = first_class_only ? 1 : rows->nr_classes;

	for (size_t i = 0; i < rows->nr; i++) {
		bool keep = false;

		for (size_t c = 0; c < nr_classes; c++)
			keep |= fabs(rows->rows[i]->diff->change[c]) >= percent;
		if (keep)
			rows->rows[kept++] = rows->rows[i];
		else
			rows_free_one(rows, i);
	}
	rows->nr = kept;
}
