/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * binary.h - the source lines of places in a binary image
 *
 * Finds the file with the debug information of an opened binary, the image itself or its separate
 * debug file, and maps places in the image's sections to that file's addresses.
 */
#ifndef PP_BINARY_LINE_BINARY_H
#define PP_BINARY_LINE_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "pp/binary/binary.h"
#include "pp/binary/line/record.h"

struct line_options {
	bool compat;		/* as the original: if there is no line, a file's symbol */
	bool inlines;		/* credit inlined code to the line of the outermost call */
	bool frames;		/* line_binary_frames() will be called for the places looked up */
	const char *root;	/* as in binary_options */
	const char *cache_dir;	/* or NULL */
};

struct line_binary;

/*
 * For @b, which is @path and stays open. -ENODATA: there is no debug information; @e names the
 * places where it was looked for. Other -errno: it cannot be read; the reason is in @e.
 */
int line_binary_open(const struct binary *b, const char *path, const struct line_options *options,
		     struct line_binary **ret, struct op_error *e);
void line_binary_close(struct line_binary *l);		/* NULL is fine */

/*
 * The lines of @nr sorted places (file NULL: unknown). Texts live as long as @l. @ret may be NULL,
 * which prepares line_binary_frames() without reading lines.
 */
void line_binary_find(struct line_binary *l, const uint64_t *places, size_t nr,
		      struct line_place *ret);

/*
 * Functions at @place, innermost first, as line_tables_frames(), but low and high are places.
 * @place was passed to line_binary_find() before, with options.frames. Texts live until the next
 * call of that.
 */
size_t line_binary_frames(struct line_binary *l, uint64_t place, struct inline_span *frames,
			  size_t room);

/* What was wrong with the debug information that was needed, or NULL; the caller's to free. */
char *line_binary_complaint(const struct line_binary *l);

#endif
