/* SPDX-License-Identifier: GPL-2.0-or-later */
/* callgraph.c - a block for each function: callers, itself, callees */
#include "pp/report/format/columns.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/print_line.h"
#include "libutil/xalloc.h"

static const char dashes[] =
	"-------------------------------------------------------------------------------\n";

/* Running totals (@sums) start again with each list, as the shares do. */
static void print_arcs(const struct columns *c, const struct graph_arc *arcs, size_t nr,
		       const uint64_t *totals, uint64_t *sums, struct strbuf *line, FILE *out)
{
	memset(sums, 0, c->nr_classes * sizeof(*sums));
	for (size_t i = 0; i < nr; i++) {
		const struct symbol_row *row = arcs[i].row;

		strbuf_add(line, "  ");
		columns_address(c, row->vma, line);
		columns_counts(c, arcs[i].counts, totals, sums, NULL, line);
		columns_ratios(c, arcs[i].counts, line);
		columns_line(c, row->line, line);
		columns_names(c, row, line);
		if (arcs[i].is_self)
			strbuf_add(line, " [self]");
		print_line(line, out);
	}
}

void format_callgraph(const struct callgraph *graph, const struct row_list *rows,
		      const struct text_options *options, FILE *out)
{
	/* of the functions; of one list of arcs */
	uint64_t *sums = xcalloc(2 * rows->nr_classes + 1, sizeof(*sums));
	uint64_t *arc_sums = sums + rows->nr_classes;
	struct strbuf line = STRBUF_INIT;
	struct columns c;

	columns_init(&c, rows, options);
	if (!options->no_header)
		columns_titles(&c, out);
	if (graph->nr)
		fputs(dashes, out);
	for (size_t i = 0; i < graph->nr; i++) {
		const struct graph_node *node = &graph->nodes[i];
		bool global = options->global_percent;

		print_arcs(&c, node->callers, node->nr_callers,
			   global ? rows->totals : node->caller_totals, arc_sums, &line, out);
		columns_address(&c, node->row->vma, &line);
		columns_counts(&c, node->row->counts, rows->totals, sums, NULL, &line);
		columns_ratios(&c, node->row->counts, &line);
		columns_line(&c, node->row->line, &line);
		columns_names(&c, node->row, &line);
		format_colored_line(&line, format_color(node->row->counts, rows->totals,
							rows->nr_classes, options->color),
				    out);
		print_arcs(&c, node->callees, node->nr_callees,
			   global ? rows->totals : node->callee_totals, arc_sums, &line, out);
		fputs(dashes, out);
	}
	strbuf_free(&line);
	free(sums);
}
