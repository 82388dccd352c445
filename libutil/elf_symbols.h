/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf_symbols.h - find a few symbols of an untrusted ELF file of 64 bits by their names */
#ifndef LIBUTIL_ELF_SYMBOLS_H
#define LIBUTIL_ELF_SYMBOLS_H

#include "libutil/elf_file.h"

struct elf_symbol {
	uint64_t value, size;		/* value 0: not found, or undefined */
};

/*
 * Look the @nr symbols @names up in the table of symbols @table of the file's @nr_sections, and
 * set @ret. The table is read only if its strings contain the first name.
 */
void elf_symbols_find(const struct elf_file *f, const struct elf_section *sections,
		      size_t nr_sections, const struct elf_section *table,
		      const char *const *names, size_t nr, struct elf_symbol *ret);

#endif
