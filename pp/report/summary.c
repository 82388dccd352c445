/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary.c - add up sample files; opens no binary */
#include "pp/report/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"
#include "pp/select/samples.h"

static int compare_images(const struct report_image *a, const struct report_image *b)
{
	int order = a == b ? 0 : strcmp(a->name, b->name);

	return order || a == b ? order : a < b ? -1 : 1;
}

/* By application, then image. */
static int compare_files(const void *a, const void *b)
{
	const struct arranged_file *x = *(const struct arranged_file *const *)a;
	const struct arranged_file *y = *(const struct arranged_file *const *)b;
	int order = compare_images(x->app, y->app);

	return order ? order : compare_images(x->image, y->image);
}

static int compare_rows(const void *a, const void *b)
{
	const struct summary_row *x = a, *y = b;

	if (x->counts[0] != y->counts[0])
		return x->counts[0] > y->counts[0] ? -1 : 1;
	return compare_images(x->image, y->image);
}

static int compare_rows_reverse(const void *a, const void *b)
{
	return -compare_rows(a, b);
}

static bool is_empty(const struct summary_row *row, size_t nr_classes)
{
	for (size_t c = 0; c < nr_classes; c++)
		if (row->counts[c])
			return false;
	return true;
}

static size_t drop_empty(struct summary_row *rows, size_t nr, size_t nr_classes)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		if (!is_empty(&rows[i], nr_classes))
			rows[kept++] = rows[i];
	return kept;
}

static void add_file(struct summary *s, struct summary_row *app, struct summary_row *part,
		     const struct arranged_file *file, struct notices *notices)
{
	struct sample_header header;
	uint64_t count;
	int err = samples_count_file(file, &header, &count, notices);

	s->nr_failed += err && err != -ENODATA;
	if (err)
		return;
	app->counts[file->class] += count;
	part->counts[file->class] += count;
	s->totals[file->class] += count;
}

/* @files are sorted by application, then image. */
static void add_rows(struct summary *s, const struct arranged_file **files, size_t nr,
		     uint64_t *counts, struct notices *notices)
{
	struct summary_row *app = NULL, *part = NULL;
	size_t nr_parts = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!app || app->image != files[i]->app) {
			app = &s->rows[s->nr++];
			app->image = files[i]->app;
			app->counts = counts;
			app->parts = &s->parts[nr_parts];
			counts += s->nr_classes;
			part = NULL;
		}
		if (!part || part->image != files[i]->image) {
			part = &s->parts[nr_parts++];
			part->image = files[i]->image;
			part->counts = counts;
			counts += s->nr_classes;
			app->nr_parts++;
		}
		add_file(s, app, part, files[i], notices);
	}
}

void summary_make(const struct arrangement *a, bool reverse, struct summary *ret,
		  struct notices *notices)
{
	struct summary s = { .nr_classes = a->nr_classes };
	const struct arranged_file **files = xcalloc(a->nr_files + 1, sizeof(*files));
	int (*compare)(const void *, const void *) = reverse ? compare_rows_reverse : compare_rows;

	for (size_t i = 0; i < a->nr_files; i++)
		files[i] = &a->files[i];
	qsort(files, a->nr_files, sizeof(*files), compare_files);
	s.rows = xcalloc(a->nr_files + 1, sizeof(*s.rows));
	s.parts = xcalloc(a->nr_files + 1, sizeof(*s.parts));
	/* one array of counts: totals, and at most one application and one part per file */
	s.storage = xcalloc((2 * a->nr_files + 1) * (a->nr_classes + 1), sizeof(*s.storage));
	s.totals = s.storage;
	add_rows(&s, files, a->nr_files, s.storage + s.nr_classes, notices);
	free(files);
	s.nr = drop_empty(s.rows, s.nr, s.nr_classes);
	for (size_t i = 0; i < s.nr; i++) {
		struct summary_row *row = &s.rows[i];

		row->nr_parts = drop_empty(row->parts, row->nr_parts, s.nr_classes);
		qsort(row->parts, row->nr_parts, sizeof(*row->parts), compare);
		if (row->nr_parts == 1 && row->parts[0].image == row->image)
			row->nr_parts = 0;
	}
	qsort(s.rows, s.nr, sizeof(*s.rows), compare);
	*ret = s;
}

void summary_threshold(struct summary *s, double percent, bool first_class_only)
{
	size_t nr_classes = first_class_only && s->nr_classes ? 1 : s->nr_classes;
	size_t kept = 0;

	for (size_t i = 0; i < s->nr; i++) {
		bool keep = percent <= 0;

		for (size_t c = 0; c < nr_classes; c++)
			if (s->totals[c] &&
			    100.0 * s->rows[i].counts[c] / s->totals[c] >= percent)
				keep = true;
		if (keep)
			s->rows[kept++] = s->rows[i];
	}
	s->nr = kept;
}

void summary_free(struct summary *s)
{
	free(s->rows);
	free(s->parts);
	free(s->storage);
	*s = (struct summary){ 0 };
}
