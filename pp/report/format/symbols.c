/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols.c - the symbol list as text, with --details the addresses below each symbol */
#include "pp/report/format/columns.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/print_line.h"
#include "libutil/xalloc.h"

#define ROWS_AHEAD	16

/* Running totals (@sums) start again with each symbol, as the shares do. */
static void print_details(const struct columns *c, const struct row_list *rows,
			  const struct symbol_row *row, uint64_t *sums, struct strbuf *line,
			  FILE *out)
{
	const uint64_t *totals = c->options->global_percent ? rows->totals : row->counts;

	memset(sums, 0, rows->nr_classes * sizeof(*sums));
	for (size_t i = 0; i < row->nr_details; i++) {
		strbuf_add(line, "  ");
		columns_address(c, row->details[i].vma, line);
		columns_counts(c, row_detail_counts(rows, row, i), totals, sums, NULL, line);
		columns_ratios(c, row_detail_counts(rows, row, i), line);
		columns_line(c, row->details[i].line, line);
		/* the name's column is empty */
		while (line->len && line->text[line->len - 1] == ' ')
			strbuf_truncate(line, line->len - 1);
		print_line(line, out);
	}
}

void format_symbols(const struct row_list *rows, const struct text_options *options, FILE *out)
{
	/* of the symbols; of the addresses of one symbol */
	uint64_t *sums = xcalloc(2 * rows->nr_classes + 1, sizeof(*sums));
	struct strbuf line = STRBUF_INIT;
	struct columns c;

	columns_init(&c, rows, options);
	if (!options->no_header)
		columns_titles(&c, out);
	for (size_t i = 0; i < rows->nr; i++) {
		const struct symbol_row *row = rows->rows[i];

		/* sorted rows are scattered in memory */
		if (i + ROWS_AHEAD < rows->nr)
			__builtin_prefetch(rows->rows[i + ROWS_AHEAD]);
		if (i + ROWS_AHEAD / 2 < rows->nr)
			__builtin_prefetch(rows->rows[i + ROWS_AHEAD / 2]->shown);
		columns_address(&c, row->vma, &line);
		columns_counts(&c, row->counts, rows->totals, sums, row->diff, &line);
		columns_ratios(&c, row->counts, &line);
		columns_line(&c, row->line, &line);
		columns_names(&c, row, &line);
		format_colored_line(&line, format_color(row->counts, rows->totals,
							rows->nr_classes, options->color),
				    out);
		if (options->details)
			print_details(&c, rows, row, sums + rows->nr_classes, &line, out);
	}
	strbuf_free(&line);
	free(sums);
}
