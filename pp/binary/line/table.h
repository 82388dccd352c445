/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - from addresses in a binary to source lines, and to the functions inlined there
 *
 * What an earlier report has decoded comes from the line cache, so the debug information is not
 * even opened if nothing is missing. Addresses are as linked in the file that has the debug
 * information; line_tables_section() says where a section begins.
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
 * may be NULL. -ENODATA: there is no debug information. Other -errno: @e says why.
 */
int line_tables_open(const char *path, const char *build_id, const char *cache_dir,
		     struct line_tables **ret, struct op_error *e);

/* Keeps what was decoded in the cache. NULL is fine. */
void line_tables_close(struct line_tables *t);

/* Where a section lies: only relocatable files need to be asked, they are laid out first. */
bool line_tables_section(struct line_tables *t, const char *name, uint64_t *ret);

/*
 * The lines of @nr sorted addresses; file NULL where none is known. With @inlines
 * line_tables_frames() then knows these addresses too. Texts live as long as @t.
 */
void line_tables_find(struct line_tables *t, const uint64_t *addresses, size_t nr, bool inlines,
		      struct line_place *ret);

/* Whether something of the debug information was damaged; what it would have said is missing. */
bool line_tables_are_damaged(const struct line_tables *t);

/*
 * Functions at @address, innermost first, the last one is no inlined one; up to @room of them
 * are stored, the number there are is returned. 0: not known.
 */
size_t line_tables_frames(struct line_tables *t, uint64_t address, struct inline_span *frames,
			  size_t room);

#endif
