/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image_ids.h - which build of each image was profiled: stats/images
 *
 * One line per image: build ID in hex (or "-"), a blank, the path as in the sample file's name with
 * '\', newline and blanks escaped as \ooo. Appended once for each image and build.
 */
#ifndef LIBDB_SESSION_IMAGE_IDS_H
#define LIBDB_SESSION_IMAGE_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

int image_ids_append(const char *stats_dir, const char *path, const char *build_id);

struct image_ids;
int image_ids_read(const char *stats_dir, struct image_ids **ret);	/* -ENOENT: no such file */
/* Parse @text (malloc'd, ends in a NUL); on success *ret owns it. -EPROTO. */
int image_ids_parse(char *text, size_t len, const char *name, struct image_ids **ret,
		    struct op_error *e);
/* The last build ID recorded for @path, or NULL. */
const char *image_ids_find(const struct image_ids *ids, const char *path);
void image_ids_free(struct image_ids *ids);

/*
 * In place of the build ID of a file that has none and is not the one at its path, as in another
 * mount namespace: nothing of it is ever filed under that one. [SS-62]
 */
#define IMAGE_APART_TEXT	41	/* with the NUL */
void image_apart_id(uint64_t dev, uint64_t ino, char ret[IMAGE_APART_TEXT]);
bool image_id_is_apart(const char *build_id);

#endif
