/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_dwarf_private.h - between the two halves of line_dwarf: line tables, and inlined functions
 */
#ifndef LINE_DWARF_PRIVATE_H
#define LINE_DWARF_PRIVATE_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "line_dwarf.h"

struct line_dwarf {
	char *path;
	int fd;
	Elf *own_elf;		/* to be closed */
	Elf *elf;		/* whose sections lie where addresses say */
	Dwfl *dwfl;		/* of a relocatable file, else NULL */
	Dwfl_Module *module;
	Dwarf *dwarf;
	size_t rows_open, units_open;	/* that libdw holds in memory */
};

#endif
