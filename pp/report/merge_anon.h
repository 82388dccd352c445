/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge_anon.h - anonymous memory without processes and ranges
 *
 * Both are other ones in each run, so what is to be found again in another profile goes by its name
 * alone: "[vdso]", "anon"; code made at run time by its symbols [DS-1].
 */
#ifndef PP_REPORT_MERGE_ANON_H
#define PP_REPORT_MERGE_ANON_H

#include <stddef.h>
#include "pp/report/symbols.h"
#include "pp/select/images.h"

/* Images that rows have then; to be kept as long as the rows. */
struct anon_images {
	struct report_image **images;
	size_t nr, room;
};

/* Rows of anonymous memory become rows of *ret's images; those of one name are added up. */
void merge_anon(struct row_list *rows, struct anon_images *ret);
void anon_images_free(struct anon_images *images);

#endif
