/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_name.h - names of functions in the debug information
 *
 * The linker's name, if the debug information has it. Compilers leave it out for functions that
 * have no code of their own: these are named as in the source, with their scopes.
 */
#ifndef PP_BINARY_LINE_DWARF_NAME_H
#define PP_BINARY_LINE_DWARF_NAME_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include "libutil/table.h"

/* What is known of a file so far. Entries are identified by their addresses in libdw's memory. */
struct dwarf_names {			/* all 0: nothing */
	struct dwarf_name {
		const void *entry;	/* of the function that is inlined or copied */
		const char *text;	/* or NULL: no name */
		char *made;		/* the same, if it was made here */
	} *names;
	size_t nr, room;
	struct hash_table by_entry;	/* of names */
	struct dwarf_scope {
		const void *entry;
		void **children;	/* entries */
		size_t nr;
	} *scopes;
	size_t nr_scopes, scopes_room;
	struct hash_table by_scope;	/* of scopes */
	size_t nr_children;		/* of all scopes */
};

/* Forget all, before the file is closed. Leaves it empty and usable. */
void dwarf_names_free(struct dwarf_names *n);

/*
 * The name of the function that the entry describes, or of which it is a copy; NULL: unknown. It
 * lives until dwarf_names_free().
 */
const char *dwarf_name(struct dwarf_names *n, const Dwarf_Die *die);

/* The same without scopes; the text is libdw's. */
const char *dwarf_plain_name(const Dwarf_Die *die);

/* Move to the next entry of the same level. Damaged entries may point backwards: stop there. */
bool dwarf_next_sibling(Dwarf_Die *die);

#endif
