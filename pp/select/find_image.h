/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * find_image.h - find the binaries of sample files on this machine
 *
 * Order: in the archive; below the root (--root); at the path itself; by name in the
 * folders of --image-path, kernel modules there as NAME.ko, where '_', '-' and ',' are the same.
 * Rules: doc/pp-spec.md [FI-1]..[FI-7].
 */
#ifndef PP_SELECT_FIND_IMAGE_H
#define PP_SELECT_FIND_IMAGE_H

#include <stddef.h>
#include "libutil/error.h"
#include "pp/select/images.h"
#include "pp/select/notices.h"

struct finder;

/*
 * @root and @archive may be NULL. @only_root: nothing outside of it is used, as by the original.
 * @paths are @nr folders that are listed recursively, once, when the first image needs it.
 * -ENOTDIR: one of them is not a folder; @e names it.
 */
int finder_new(const char *root, bool only_root, const char *archive, const char *const *paths,
	       size_t nr, struct finder **ret, struct op_error *e);
void finder_free(struct finder *finder);

/*
 * Set @image->found and @image->found_by_search, once per image. An image that is found more than
 * once gets no file, and a notice.
 */
void find_image(struct finder *finder, struct report_image *image, struct notices *notices);

#endif
