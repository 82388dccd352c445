/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * populate.h - make rows from binary images and their sample files
 *
 * Several threads work, each on one image at a time; the rows are in the order of the inversion in
 * any case.
 */
#ifndef PP_REPORT_POPULATE_H
#define PP_REPORT_POPULATE_H

#include "pp/report/merge_pass.h"
#include "pp/select/find_image.h"
#include "pp/select/invert.h"
#include "pp/select/notices.h"

struct populated_image {
	const struct inverted_image *inverted;
	struct binary binary;		/* closed unless keep_binaries */
	struct sample_list *app_samples;	/* with keep_binaries: of each application */
	size_t first_row, nr_rows;	/* in the list, before rows of several boots are added up */
	uint64_t samples;		/* of all its rows and classes */
	uint64_t unnamed;		/* of these, in rows that are not functions with a name */
	size_t nr_failed;
	bool is_file;			/* these three: of the binary, which may be closed */
	enum symbols_from from;
	char *looked_in;
};

struct population {
	struct populated_image *images;	/* of the inversion, in its order */
	size_t nr;
	size_t nr_failed;		/* sample files that could not be read */
};

/* Make the rows of all images. @notices names files that cannot be read or found. */
void populate(const struct inversion *inversion, const struct populate_options *options,
	      struct finder *finder, struct row_list *rows, struct population *ret,
	      struct notices *notices);
void population_free(struct population *population);

/* Open one image, for other walks over an inversion. Close *ret, which may have no symbols. */
void populate_open_image(const struct inverted_image *inverted,
			 const struct populate_options *options, struct finder *finder,
			 struct binary *ret, struct notices *notices);

/* Add a notice if the file has changed: by build ID if the session has it, else by time [FI-5]. */
void populate_check_age(const struct report_image *image, const struct sample_file *file,
			const struct sample_header *header, struct notices *notices);

#endif
