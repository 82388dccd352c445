/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - source lines and inlined functions of addresses in a binary
 *
 * Tables that an earlier report has decoded come from the line cache; if it has all of them, the
 * debug information is not opened. Addresses are as linked in the file that has the debug
 * information; line_tables_section() gives those of its sections.
 */
#ifndef PP_BINARY_LINE_TABLE_H
#define PP_BINARY_LINE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"
#include "pp/binary/line/record.h"

struct line_tables;

/*
 * Of @path, which has the debug information and @build_id (hex digits; "": not cached). @cache_dir
 * may be NULL. Tables are cached for this file alone, as it is now. -ENODATA: there is no debug
 * information. Other -errno: the reason is in @e.
 */
int line_tables_open(const char *path, const char *build_id, const char *cache_dir,
		     struct line_tables **ret, struct op_error *e);

/* Writes newly decoded tables to the cache. NULL is fine. */
void line_tables_close(struct line_tables *t);

/* The address of a section. Needed only for relocatable files, which are laid out first. */
bool line_tables_section(struct line_tables *t, const char *name, uint64_t *ret);

/*
 * The lines of @nr sorted addresses; file NULL: unknown. With @inlines these addresses can be
 * passed to line_tables_frames(). Texts live as long as @t. @ret may be NULL: no lines are read,
 * nor those of calls.
 */
void line_tables_find(struct line_tables *t, const uint64_t *addresses, size_t nr, bool inlines,
		      struct line_place *ret);

/* Whether some debug information was damaged, so that lines are missing. */
bool line_tables_are_damaged(const struct line_tables *t);

/*
 * Functions at @address, innermost first; the last one is not inlined. Stores at most @room and
 * returns the number of all; 0: unknown.
 */
size_t line_tables_frames(struct line_tables *t, uint64_t address, struct inline_span *frames,
			  size_t room);

#endif
