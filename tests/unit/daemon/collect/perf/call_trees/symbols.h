/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols.h - the functions of a 64-bit program, by where they are in its file */
#ifndef TESTS_UNIT_DAEMON_COLLECT_PERF_STACKS_SYMBOLS_H
#define TESTS_UNIT_DAEMON_COLLECT_PERF_STACKS_SYMBOLS_H

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/file.h"
#include "tests/tap.h"

struct symbols {
	char *file;
	size_t size;
	const Elf64_Ehdr *header;
	const Elf64_Sym *symbol;
	size_t nr;
	const char *names;
};

/* For programs that were just built: nothing is doubted. */
static inline void symbols_read(struct symbols *s, const char *path)
{
	const Elf64_Shdr *section;

	CHECK(!file_read_all(path, (size_t)1 << 26, &s->file, &s->size), "cannot read %s", path);
	s->header = (const Elf64_Ehdr *)s->file;
	section = (const Elf64_Shdr *)(s->file + s->header->e_shoff);
	for (int i = 0; i < s->header->e_shnum; i++) {
		if (section[i].sh_type != SHT_SYMTAB)
			continue;
		s->symbol = (const Elf64_Sym *)(s->file + section[i].sh_offset);
		s->nr = section[i].sh_size / sizeof(Elf64_Sym);
		s->names = s->file + section[section[i].sh_link].sh_offset;
	}
	CHECK(s->nr, "%s has no symbols", path);
}

static inline uint64_t address_of_offset(const struct symbols *s, uint64_t offset)
{
	const Elf64_Phdr *p = (const Elf64_Phdr *)(s->file + s->header->e_phoff);

	for (int i = 0; i < s->header->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && offset >= p[i].p_offset &&
		    offset < p[i].p_offset + p[i].p_filesz)
			return offset - p[i].p_offset + p[i].p_vaddr;
	return 0;
}

/* The function at @offset of the file, or NULL. */
static inline const char *symbol_at(const struct symbols *s, uint64_t offset)
{
	uint64_t address = address_of_offset(s, offset);

	for (size_t i = 0; i < s->nr; i++)
		if (ELF64_ST_TYPE(s->symbol[i].st_info) == STT_FUNC &&
		    address >= s->symbol[i].st_value &&
		    address < s->symbol[i].st_value + s->symbol[i].st_size)
			return s->names + s->symbol[i].st_name;
	return NULL;
}

#endif
