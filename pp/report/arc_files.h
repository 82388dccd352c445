/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arc_files.h - read call-graph sample files into pairs of rows: the first half of callgraph.c */
#ifndef PP_REPORT_ARC_FILES_H
#define PP_REPORT_ARC_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "pp/report/populate.h"

struct raw_arc {
	struct symbol_row *caller, *callee;
	uint64_t count : 40, class : 24;	/* as in struct sample */
};

struct arc_list {
	struct raw_arc *arcs;
	size_t nr, room;
	bool has_calls;		/* some are not of inlined functions */
};

/* @notices names unreadable files and, in compatibility mode, ignored calls. */
void arc_files_read(const struct arrangement *a, struct population *population,
		    const struct populate_options *options, struct finder *finder,
		    struct row_list *rows, struct arc_list *ret, struct notices *notices);

#endif
