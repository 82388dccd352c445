// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * relocate.c - relocate call frame information of code that was made at run time
 *
 * LLVM registers an object as the compiler wrote it, but with the addresses at which its sections
 * are. A debugger applies the relocations, and so does this, as far as such sections have any.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "unwind/elf.h"

struct relocation {
	unsigned int bytes;		/* 4 or 8; 0: unknown */
	bool relative;			/* to where it is */
};

static struct relocation relocation_of(uint16_t machine, uint64_t type)
{
	if (machine == EM_X86_64)
		switch (type) {
		case R_X86_64_64:
			return (struct relocation){ 8, false };
		case R_X86_64_PC64:
			return (struct relocation){ 8, true };
		case R_X86_64_32:
			return (struct relocation){ 4, false };
		case R_X86_64_PC32:
			return (struct relocation){ 4, true };
		}
	if (machine == EM_AARCH64)
		switch (type) {
		case R_AARCH64_ABS64:
			return (struct relocation){ 8, false };
		case R_AARCH64_PREL64:
			return (struct relocation){ 8, true };
		case R_AARCH64_ABS32:
			return (struct relocation){ 4, false };
		case R_AARCH64_PREL32:
			return (struct relocation){ 4, true };
		}
	return (struct relocation){ 0, false };
}

/* The address of symbol @n of @table. */
static bool symbol_address(const struct elf_file *f, const struct elf_section *sections, size_t nr,
			   const struct elf_section *table, uint64_t n, uint64_t *ret)
{
	uint16_t section;
	Elf64_Sym symbol;

	if (n >= table->size / sizeof(symbol) ||
	    elf_file_read(f, table->offset + n * sizeof(symbol), &symbol, sizeof(symbol)))
		return false;
	section = elf_file_u16(f, &symbol.st_shndx);
	if (section == SHN_UNDEF || section >= nr)
		return false;
	*ret = sections[section].addr + elf_file_u64(f, &symbol.st_value);
	return true;
}

static void apply(const struct unwind_elf *elf, const Elf64_Rela *r, uint64_t symbol,
		  uint64_t vaddr, uint8_t *bytes, size_t len)
{
	const struct elf_file *f = &elf->file;
	uint64_t at = elf_file_u64(f, &r->r_offset), value;
	struct relocation how = relocation_of(f->machine,
					      ELF64_R_TYPE(elf_file_u64(f, &r->r_info)));

	if (!how.bytes || at > len || how.bytes > len - at)
		return;
	value = symbol + elf_file_u64(f, &r->r_addend) - (how.relative ? vaddr + at : 0);
	/* the byte order is this machine's: unwind_elf_open_made() */
	if (how.bytes == 4)
		memcpy(bytes + at, &(uint32_t){ (uint32_t)value }, sizeof(uint32_t));
	else
		memcpy(bytes + at, &value, sizeof(value));
}

int unwind_elf_relocate(const struct unwind_elf *elf, const struct unwind_section *section,
			uint8_t *bytes, size_t len)
{
	const struct elf_file *f = &elf->file;
	struct elf_section *sections;
	Elf64_Rela relocation;
	uint64_t symbol;
	size_t nr;
	int err;

	if (!section->relocations || !f->is_64)
		return 0;
	err = elf_file_sections(f, UNWIND_SECTIONS_MAX, &sections, &nr);
	if (err)
		return err;
	for (size_t i = 0; i < section->relocations && section->symbols < nr; i++) {
		err = elf_file_read(f, section->relocations_offset + i * sizeof(relocation),
				    &relocation, sizeof(relocation));
		if (err)
			break;
		if (symbol_address(f, sections, nr, &sections[section->symbols],
				   ELF64_R_SYM(elf_file_u64(f, &relocation.r_info)), &symbol))
			apply(elf, &relocation, symbol, section->vaddr, bytes, len);
	}
	free(sections);
	return err;
}
