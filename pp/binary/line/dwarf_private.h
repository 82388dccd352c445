/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwarf_private.h - between the two halves of line_dwarf: line tables, and inlined functions
 */
#ifndef PP_BINARY_LINE_DWARF_PRIVATE_H
#define PP_BINARY_LINE_DWARF_PRIVATE_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "pp/binary/line/dwarf.h"

struct line_dwarf {
	char *path;
	int fd;
	Elf *own_elf;		/* to be closed */
	Elf *elf;		/* whose sections lie where addresses say */
	Dwfl *dwfl;		/* of a relocatable file, else NULL */
	Dwfl_Module *module;
	Dwarf *dwarf;
	size_t rows_open, units_open;	/* that libdw holds in memory */
	/* paths of the unit at hand: a hash table by the pointer */
	const char *folder;		/* libdw's, or NULL */
	struct line_path {
		const char *given;	/* NULL: a free slot */
		char *whole;		/* or NULL: as given */
	} *paths;
	size_t nr_paths, nr_path_slots;
};

/* The unit's entry, and its folder for line_dwarf_path(). */
bool line_dwarf_unit(struct line_dwarf *d, uint64_t unit, Dwarf_Die *ret);

/*
 * A relative path lies below the unit's folder. The text lives until the next unit; one pointer
 * gives one pointer.
 */
const char *line_dwarf_path(struct line_dwarf *d, const char *given);
void line_paths_forget(struct line_dwarf *d);

#endif
