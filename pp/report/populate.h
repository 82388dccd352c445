/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * populate.h - binary images and their sample files become rows
 *
 * Images are worked on by several threads, each image by one; the rows come out in the order of
 * the inversion however the threads ran.
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
	size_t first_row, nr_rows;	/* of the list, before rows of several boots are added up */
	uint64_t samples;		/* of all its rows and classes */
	size_t nr_failed;
	bool is_file;			/* these as in the binary, also when that is closed */
	enum symbols_from from;
	char *looked_in;
};

struct population {
	struct populated_image *images;	/* of the inversion, in its order */
	size_t nr;
	size_t nr_failed;		/* sample files that could not be read */
};

/* Make the rows of all images. What could not be read or found is told in @notices. */
void populate(const struct inversion *inversion, const struct populate_options *options,
	      struct finder *finder, struct row_list *rows, struct population *ret,
	      struct notices *notices);
void population_free(struct population *population);

/* One image of it, for other walks over an inversion. *ret may have no symbols; close it. */
void populate_open_image(const struct inverted_image *inverted,
			 const struct populate_options *options, struct finder *finder,
			 struct binary *ret, struct notices *notices);

/* Has the file changed since? By build-id if the session has it, else by time [FI-5]. */
void populate_check_age(const struct report_image *image, const struct sample_file *file,
			const struct sample_header *header, struct notices *notices);

#endif
