/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge_pass.h - the heart of a report: one pass over sorted samples beside sorted symbols
 */
#ifndef PP_REPORT_MERGE_PASS_H
#define PP_REPORT_MERGE_PASS_H

#include <stdbool.h>
#include "pp/binary/binary.h"
#include "pp/binary/demangle_name.h"
#include "pp/report/symbols.h"
#include "pp/select/samples.h"
#include "pp/select/spec.h"

struct populate_options {
	bool compat;			/* as the original: nothing without symbol, no .dynsym */
	enum demangle_style demangle;
	bool lines;			/* look up source lines */
	bool details;			/* keep each address's samples */
	bool code;			/* keep each row's bytes */
	bool keep_binaries;		/* for callgraph.h: they stay open in the population */
	bool keep_all;			/* filter later: call graphs need every row */
	bool long_names;
	const char *root;		/* "" if none */
	const char *cache_dir;		/* of line tables, or NULL */
	struct spec_list include;	/* symbols; empty: all */
	struct spec_list exclude;
	void (*progress)(size_t done, size_t total);	/* of images; or NULL */
	FILE *print_symbols;		/* --verbose=symbols, or NULL */
};

/* Add the rows of @image on behalf of @app. @samples are sorted. Names are kept in @binary, for
 * lists that are appended to the same one in the end. */
void populate_symbols(struct binary *binary, const struct sample_list *samples,
		      const struct report_image *image, const struct report_image *app,
		      const struct populate_options *options, struct row_list *rows);

/*
 * Which row of a binary a place belongs to: the index of its symbol, or a number of its section or
 * of the whole image; ROW_NONE if such samples have no row (in compatibility mode).
 */
#define ROW_NONE UINT64_MAX
uint64_t row_id_of_place(const struct binary *binary, uint64_t place, bool compat);

/* A new row of that id, with counts of 0. */
struct symbol_row *row_make(struct binary *binary, const struct report_image *image,
			    const struct report_image *app, const struct populate_options *options,
			    struct row_list *rows, uint64_t id);

/* Is the row a symbol's, not a section's or a whole image's? */
bool row_is_symbol(const struct symbol_row *row);

/* The place that is the row's vma; false: it is in no section. */
bool row_start(const struct binary *binary, const struct symbol_row *row, uint64_t *ret);

/* Are rows of this symbol asked for, by either name? */
bool row_is_wanted(const struct populate_options *options, const struct symbol_row *row);

#endif
