/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns.h - the columns of symbol lists and call graphs, and of tables in general */
#ifndef PP_REPORT_FORMAT_COLUMNS_H
#define PP_REPORT_FORMAT_COLUMNS_H

#include "pp/report/format/text.h"

/* Append @text as a column of @width, 32 at most; a longer text is followed by one blank. */
void column_text(struct strbuf *line, const char *text, size_t width);

/* Fill up the column that began when @line was @start long. */
void column_end(struct strbuf *line, size_t start, size_t width);

struct columns {
	const struct text_options *options;
	size_t nr_classes;
	bool images;		/* "image name": a row's image is not its application */
};

void columns_init(struct columns *c, const struct row_list *rows,
		  const struct text_options *options);
void columns_titles(const struct columns *c, FILE *out);

/*
 * Append the columns of numbers: @counts, their share of @totals; @sums are running totals that
 * @counts are added to. @diff may be NULL.
 */
void columns_address(const struct columns *c, uint64_t vma, struct strbuf *line);
void columns_counts(const struct columns *c, const uint64_t *counts, const uint64_t *totals,
		    uint64_t *sums, const struct row_diff *diff, struct strbuf *line);

/* Append the ratios of @counts. */
void columns_ratios(const struct columns *c, const uint64_t *counts, struct strbuf *line);

/* Append a row's location and names. */
void columns_line(const struct columns *c, const char *location, struct strbuf *line);
void columns_names(const struct columns *c, const struct symbol_row *row, struct strbuf *line);

#endif
