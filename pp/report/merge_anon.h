/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge_anon.h - add up anonymous memory of all processes and ranges
 *
 * Both differ in each run, so rows of anonymous memory are matched with another profile by name
 * alone: "[vdso]", "anon"; code made at run time by its symbols [DS-1].
 */
#ifndef PP_REPORT_MERGE_ANON_H
#define PP_REPORT_MERGE_ANON_H

#include <stddef.h>
#include "pp/report/symbols.h"
#include "pp/select/images.h"

/* The images of these rows; must live as long as the rows. */
struct anon_images {
	struct report_image **images;
	size_t nr, room;
};

/* Move rows of anonymous memory to images in *ret and add up those of one name. */
void merge_anon(struct row_list *rows, struct anon_images *ret);
void anon_images_free(struct anon_images *images);

#endif
