/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge_pass.h - make rows in one pass over sorted samples and sorted symbols
 */
#ifndef PP_REPORT_MERGE_PASS_H
#define PP_REPORT_MERGE_PASS_H

#include <stdbool.h>
#include "pp/binary/binary.h"
#include "pp/binary/demangle_name.h"
#include "pp/report/inlined.h"
#include "pp/report/symbols.h"
#include "pp/select/samples.h"
#include "pp/select/spec.h"

struct populate_options {
	bool compat;			/* as the original: no rows outside symbols, no .dynsym */
	enum demangle_style demangle;
	bool inlines;			/* rows for inlined functions: inlined.h */
	bool lines;			/* look up source lines */
	bool details;			/* keep each address's samples */
	bool code;			/* keep each row's bytes */
	bool keep_binaries;		/* for callgraph.h: leave them open in the population */
	bool keep_all;			/* filter later: call graphs need every row */
	bool long_names;
	bool merge_unnamed;		/* functions without a name: by section [SY-18] */
	const char *root;		/* "" if none */
	const char *cache_dir;		/* of lines and inlined functions, or NULL */
	struct spec_list include;	/* symbols; empty: all */
	struct spec_list exclude;
	FILE *print_symbols;		/* --verbose=symbols, or NULL */
};

/*
 * Add the rows of @image on behalf of @app. @samples are sorted, and inlined_prepare() was called
 * with their places if they shall have rows of inlined functions. @binary caches names, so all rows
 * made with it must end up in one list.
 */
void populate_symbols(struct binary *binary, const struct sample_list *samples,
		      const struct report_image *image, const struct report_image *app,
		      const struct populate_options *options, struct row_list *rows);

/*
 * The row of a binary that a place belongs to: the index of its symbol (the first of its name if
 * these are merged), or an id for its section or the whole image; ROW_NONE if such samples have no
 * row (in compatibility mode).
 */
#define ROW_NONE UINT64_MAX
uint64_t row_id_of_place(const struct binary *binary, uint64_t place, bool compat);

/*
 * The same, then the rows of the functions inlined at @place, which was passed to
 * inlined_prepare(), outermost first. Returns how many.
 */
#define ROW_IDS_MAX (1 + INLINED_MAX)
size_t row_ids_of_place(const struct binary *binary, uint64_t place, uint64_t ret[ROW_IDS_MAX]);

/* The place of a sample's key. */
uint64_t row_place(const struct binary *binary, uint64_t key);

/* Add a row of that id, with counts of 0. */
struct symbol_row *row_make(struct binary *binary, const struct report_image *image,
			    const struct report_image *app, const struct populate_options *options,
			    struct row_list *rows, uint64_t id);

/* Is it the row of a function, not of a section or a whole image? */
bool row_is_function(const struct symbol_row *row);

/* Is it one with a name of its own? */
bool row_is_named(const struct binary *binary, const struct symbol_row *row);
bool row_is_inlined(const struct symbol_row *row);

/* The place of the row's vma; false if it is in no section. */
bool row_start(const struct binary *binary, const struct symbol_row *row, uint64_t *ret);

/*
 * Do --include-symbols and --exclude-symbols select the row, by either name, and that of an inlined
 * function by the name without the mark, too?
 */
bool row_is_wanted(const struct populate_options *options, const struct symbol_row *row);

#endif
