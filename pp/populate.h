/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * populate.h - binary images and their sample files become rows
 */
#ifndef POPULATE_H
#define POPULATE_H

#include <stdbool.h>
#include "binary.h"
#include "find_image.h"
#include "invert.h"
#include "notices.h"
#include "samples.h"
#include "spec.h"
#include "symbols.h"

struct populate_options {
	bool compat;			/* as the original: nothing without symbol, no .dynsym */
	bool demangle;
	bool lines;			/* look up source lines */
	bool long_names;
	const char *root;		/* "" if none */
	struct spec_list include;	/* symbols; empty: all */
	struct spec_list exclude;
	FILE *print_symbols;		/* --verbose=symbols, or NULL */
};

/* Make the rows of all images. What could not be read or found is told in @notices. */
void populate(const struct inversion *inversion, const struct populate_options *options,
	      struct finder *finder, struct row_list *rows, struct notices *notices);

/* One image of it, for other walks over an inversion. *ret may have no symbols; close it. */
void populate_open_image(const struct inverted_image *inverted,
			 const struct populate_options *options, struct finder *finder,
			 struct binary *ret, struct notices *notices);

/* Has the file changed since? By build-id if the session has it, else by time [FI-5]. */
void populate_check_age(const struct image *image, const struct sample_file *file,
			const struct sample_header *header, struct notices *notices);

/*
 * The heart of it: one pass over the sorted @samples beside the symbols of @binary.
 * Exported for tests.
 */
void populate_symbols(const struct binary *binary, const struct sample_list *samples,
		      const struct image *image, const struct image *app,
		      const struct populate_options *options, struct row_list *rows);

#endif
