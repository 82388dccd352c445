/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go_elf.h - an ELF file with code and a table of Go's functions, of any word size and byte order
 *
 * Sections: .text of 0x100 bytes at 0x401000 and offset 0x1000, the table, the sections' names.
 */
#ifndef TESTS_GO_ELF_H
#define TESTS_GO_ELF_H

#include <elf.h>
#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define GO_TEXT		0x401000
#define GO_TEXT_SIZE	0x100
#define GO_PLACE	0x1000
#define GO_TABLE	0x402000	/* its address */

struct go_elf {
	bool is_64, is_big;
	const char *section;		/* of the table */
	bool is_marked;			/* there is a section .go.buildinfo */
	unsigned char file[0x8000];
	size_t len;
};

static inline void go_elf_put(struct go_elf *g, uint64_t value, unsigned int size)
{
	for (unsigned int i = 0; i < size && g->len < sizeof(g->file); i++)
		g->file[g->len++] = value >> 8 * (g->is_big ? size - 1 - i : i);
}

static inline void go_elf_word(struct go_elf *g, uint64_t value)
{
	go_elf_put(g, value, g->is_64 ? 8 : 4);
}

static inline void go_elf_section(struct go_elf *g, uint32_t name, uint32_t type, uint64_t flags,
				  uint64_t addr, uint64_t offset, uint64_t size)
{
	go_elf_put(g, name, 4);
	go_elf_put(g, type, 4);
	go_elf_word(g, flags);
	go_elf_word(g, addr);
	go_elf_word(g, offset);
	go_elf_word(g, size);
	go_elf_put(g, 0, 4);
	go_elf_put(g, 0, 4);
	go_elf_word(g, 1);
	go_elf_word(g, 0);
}

/* Make g->file of @table; it must fit. */
static inline void go_elf_make(struct go_elf *g, const void *table, size_t size)
{
	uint64_t table_at = GO_PLACE + GO_TEXT_SIZE, names_at = table_at + size;
	char names[128] = "\0.text\0.shstrtab\0.go.buildinfo";
	size_t names_size = 32 + strlen(strcpy(names + 32, g->section)) + 1;
	uint64_t sections_at = (names_at + names_size + 7) / 8 * 8;

	memset(g->file, 0, sizeof(g->file));
	g->len = EI_NIDENT;
	memcpy(g->file, "\177ELF", 4);
	g->file[EI_CLASS] = g->is_64 ? ELFCLASS64 : ELFCLASS32;
	g->file[EI_DATA] = g->is_big ? ELFDATA2MSB : ELFDATA2LSB;
	g->file[EI_VERSION] = EV_CURRENT;
	go_elf_put(g, ET_EXEC, 2);
	go_elf_put(g, g->is_64 ? EM_X86_64 : EM_386, 2);
	go_elf_put(g, EV_CURRENT, 4);
	go_elf_word(g, GO_TEXT);
	go_elf_word(g, 0);
	go_elf_word(g, sections_at);
	go_elf_put(g, 0, 4);
	go_elf_put(g, g->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr), 2);
	go_elf_put(g, 0, 4);
	go_elf_put(g, g->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), 2);
	go_elf_put(g, 5, 2);
	go_elf_put(g, 3, 2);
	memcpy(g->file + table_at, table, size);
	memcpy(g->file + names_at, names, names_size);
	g->len = sections_at;
	go_elf_section(g, 0, SHT_NULL, 0, 0, 0, 0);
	go_elf_section(g, 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, GO_TEXT, GO_PLACE,
		       GO_TEXT_SIZE);
	go_elf_section(g, 32, SHT_PROGBITS, SHF_ALLOC, GO_TABLE, table_at, size);
	go_elf_section(g, 7, SHT_STRTAB, 0, 0, names_at, names_size);
	go_elf_section(g, g->is_marked ? 17 : 0, SHT_PROGBITS, 0, 0, 0, 0);
}

static inline bool go_elf_write(const struct go_elf *g, const char *path)
{
	FILE *f = fopen(path, "w");
	bool ok = f && fwrite(g->file, 1, g->len, f) == g->len;

	return f && !fclose(f) && ok;
}

#endif
