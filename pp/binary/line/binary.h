/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * binary.h - the source lines of places in a binary image
 *
 * Knows which file has the debug information of an opened binary, the image itself or its separate
 * debug file, and where the image's sections lie in that file's addresses.
 */
#ifndef PP_BINARY_LINE_BINARY_H
#define PP_BINARY_LINE_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "pp/binary/binary.h"
#include "pp/binary/line/record.h"

struct line_options {
	bool compat;		/* as the original: a file's name at least, from the symbol table */
	bool inlines;		/* what is inlined counts for the line it was called from */
	bool frames;		/* line_binary_frames() is to know the places looked up */
	const char *root;	/* as in binary_options */
	const char *cache_dir;	/* or NULL */
};

struct line_binary;

/*
 * For @b, which is @path and stays open. -ENODATA: there is no debug information, @e says where it
 * was looked for. Other -errno: what is there cannot be read, @e says why.
 */
int line_binary_open(const struct binary *b, const char *path, const struct line_options *options,
		     struct line_binary **ret, struct op_error *e);
void line_binary_close(struct line_binary *l);		/* NULL is fine */

/* The lines of @nr sorted places (file NULL: not known). Texts live as long as @l. */
void line_binary_find(struct line_binary *l, const uint64_t *places, size_t nr,
		      struct line_place *ret);

/*
 * Functions at @place, one of those that line_binary_find() was asked for with options.frames,
 * innermost first, as line_tables_frames().
 */
size_t line_binary_frames(struct line_binary *l, uint64_t place, struct inline_span *frames,
			  size_t room);

/* What is wrong with the debug information as far as it was needed, or NULL; the caller's. */
char *line_binary_complaint(const struct line_binary *l);

#endif
