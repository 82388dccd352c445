/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * invert.h - the same sample files per binary image, so that each is opened once
 *
 * With --separate=library the C library is a dependent image of nearly every application: the
 * arrangement has it once per application, the inversion once, with its applications below it.
 */
#ifndef PP_SELECT_INVERT_H
#define PP_SELECT_INVERT_H

#include <stddef.h>
#include <stdio.h>
#include "pp/select/arrange.h"

struct inverted_app {
	struct report_image *app;
	const struct arranged_file **files;	/* @nr of them, by class */
	size_t nr;
};

struct inverted_image {
	struct report_image *image;
	const struct report_session *session;	/* of kernels: each boot has another layout */
	struct inverted_app *apps;		/* by name */
	size_t nr_apps;
};

struct inversion {
	struct inverted_image *images;		/* by name */
	size_t nr_images;
	struct inverted_app *apps;		/* storage */
	const struct arranged_file **files;	/* storage */
};

void invert_arrangement(const struct arrangement *a, struct inversion *ret);
void inversion_free(struct inversion *inversion);
void inversion_print(const struct inversion *inversion, FILE *out);

#endif
