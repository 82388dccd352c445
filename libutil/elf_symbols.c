// SPDX-License-Identifier: GPL-2.0-or-later
/* elf_symbols.c - look symbols up by name in one pass over a table */
#include "libutil/elf_symbols.h"

#include <elf.h>
#include <stdlib.h>

#define BYTES_MAX	(UINT64_C(256) << 20)	/* of a table's strings, and of its symbols */

static void take_symbol(const struct elf_file *f, const Elf64_Sym *s, const char *name,
			const char *const *names, size_t nr, struct elf_symbol *ret)
{
	for (size_t i = 0; i < nr; i++)
		if (!ret[i].value && !strcmp(name, names[i]))
			ret[i] = (struct elf_symbol){ elf_file_u64(f, &s->st_value),
						      elf_file_u64(f, &s->st_size) };
}

static void find_in(const struct elf_file *f, const struct elf_section *table,
		    const char *strings, size_t strings_size, const char *const *names, size_t nr,
		    struct elf_symbol *ret)
{
	size_t nr_symbols = table->size / sizeof(Elf64_Sym);
	Elf64_Sym *symbols;

	if (!nr_symbols || table->size > BYTES_MAX ||
	    elf_file_alloc(f, table->offset, nr_symbols * sizeof(*symbols), &symbols))
		return;
	for (size_t i = 0; i < nr_symbols; i++) {
		uint32_t name = elf_file_u32(f, &symbols[i].st_name);

		if (name < strings_size && elf_file_u16(f, &symbols[i].st_shndx) != SHN_UNDEF)
			take_symbol(f, &symbols[i], strings + name, names, nr, ret);
	}
	free(symbols);
}

void elf_symbols_find(const struct elf_file *f, const struct elf_section *sections,
		      size_t nr_sections, const struct elf_section *table,
		      const char *const *names, size_t nr, struct elf_symbol *ret)
{
	const struct elf_section *s;
	char *strings;

	memset(ret, 0, nr * sizeof(*ret));
	if (!f->is_64 || table->link >= nr_sections)
		return;
	s = &sections[table->link];
	if (!s->size || s->size > BYTES_MAX || elf_file_alloc(f, s->offset, s->size, &strings))
		return;
	strings[s->size - 1] = '\0';
	if (memmem(strings, s->size, names[0], strlen(names[0]) + 1))
		find_in(f, table, strings, s->size, names, nr, ret);
	free(strings);
}
