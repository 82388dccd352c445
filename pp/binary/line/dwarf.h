/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf.h - line tables and inlined functions from DWARF, one compilation unit at a time
 *
 * Only the units that are asked for are decoded. Besides dwarf_name.c no other file uses libdw.
 */
#ifndef PP_BINARY_LINE_DWARF_H
#define PP_BINARY_LINE_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include "libutil/error.h"
#include "pp/binary/line/record.h"

struct line_dwarf;

/*
 * Open the debug information of @path, a program, a library, a debug file, or a relocatable file
 * such as a kernel module. -ENODATA: it has none. Other -errno: the reason is in @e.
 */
int line_dwarf_open(const char *path, struct line_dwarf **ret, struct op_error *e);
void line_dwarf_close(struct line_dwarf *d);		/* NULL is fine */

const struct stat *line_dwarf_file(const struct line_dwarf *d);	/* as it was opened */

/* The address of a section. Relocatable files are laid out by libdwfl. */
bool line_dwarf_section(const struct line_dwarf *d, const char *name, uint64_t *ret);

/* LINE_UNITS of the file, from .debug_aranges and from the units that are missing there. */
int line_dwarf_units(struct line_dwarf *d, struct line_record *ret);

/* LINE_ROWS of a unit. -EBADMSG: its line table is damaged. */
int line_dwarf_rows(struct line_dwarf *d, uint64_t unit, struct line_record *ret);

enum inline_detail {
	INLINE_NAMES,			/* only the functions */
	INLINE_CALLS,			/* call_file and call_line, too */
	INLINE_POSITIONS,		/* call_line, start_line and call_discriminator */
};

/*
 * Append to @spans (malloc'd, *nr of them) those of the functions in @unit that contain one of the
 * sorted @addresses. Paths live until the next unit, names until the next line_dwarf_rows(), with
 * INLINE_NAMES until the next call. Of a unit with too many spans, which no compiler makes, some
 * are missing.
 */
void line_dwarf_inlines(struct line_dwarf *d, uint64_t unit, enum inline_detail detail,
			const uint64_t *addresses, size_t nr_addresses,
			struct inline_span **spans, size_t *nr);

struct line_position {
	uint32_t line;			/* 0: unknown */
	uint32_t discriminator;
};

/* The positions of @nr addresses in @unit. False: the unit is damaged, *ret is untouched. */
bool line_dwarf_positions(struct line_dwarf *d, uint64_t unit, const uint64_t *addresses, size_t nr,
			  struct line_position *ret);

#endif
