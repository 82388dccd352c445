/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols.h - the functions of a program, by where they are in its file */
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
	struct symbol {
		uint64_t address;
		uint64_t offset, size;	/* in the file; size 0: no function */
		const char *name;
	} *symbol;
	size_t nr;
};

/* For programs that were just built: nothing is doubted. */
#define SYMBOLS_READ(s, bits) do {								\
	const Elf##bits##_Ehdr *header = (const Elf##bits##_Ehdr *)(s)->file;			\
	const Elf##bits##_Phdr *p = (const Elf##bits##_Phdr *)((s)->file + header->e_phoff);	\
	const Elf##bits##_Shdr *section =							\
		(const Elf##bits##_Shdr *)((s)->file + header->e_shoff);			\
	for (int i = 0; i < header->e_shnum; i++) {						\
		const Elf##bits##_Sym *sym =							\
			(const Elf##bits##_Sym *)((s)->file + section[i].sh_offset);		\
		size_t nr = section[i].sh_size / sizeof(*sym);					\
		const char *names;								\
												\
		if (section[i].sh_type != SHT_SYMTAB)						\
			continue;								\
		names = (s)->file + section[section[i].sh_link].sh_offset;			\
		(s)->symbol = calloc(nr, sizeof(*(s)->symbol));					\
		for (size_t n = 0; n < nr; n++) {						\
			struct symbol *at = &(s)->symbol[(s)->nr++];				\
												\
			at->name = names + sym[n].st_name;					\
			at->address = sym[n].st_value;						\
			for (int k = 0; k < header->e_phnum; k++) {				\
				if (ELF##bits##_ST_TYPE(sym[n].st_info) != STT_FUNC ||		\
				    p[k].p_type != PT_LOAD || at->address < p[k].p_vaddr ||	\
				    at->address >= p[k].p_vaddr + p[k].p_filesz)		\
					continue;						\
				at->offset = at->address - p[k].p_vaddr + p[k].p_offset;	\
				at->size = sym[n].st_size;					\
			}									\
		}										\
	}											\
} while (0)

static inline void symbols_read(struct symbols *s, const char *path)
{
	CHECK(!file_read_all(path, (size_t)1 << 26, &s->file, &s->size), "cannot read %s", path);
	if (s->file[EI_CLASS] == ELFCLASS64)
		SYMBOLS_READ(s, 64);
	else
		SYMBOLS_READ(s, 32);
	CHECK(s->nr, "%s has no symbols", path);
}

static inline void symbols_free(struct symbols *s)
{
	free(s->symbol);
	free(s->file);
}

/* The function at @offset of the file, or NULL. */
static inline const char *symbol_at(const struct symbols *s, uint64_t offset)
{
	for (size_t i = 0; i < s->nr; i++)
		if (offset - s->symbol[i].offset < s->symbol[i].size)
			return s->symbol[i].name;
	return NULL;
}

#endif
