/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel_elf.h - write an ELF file that looks like a kernel image, or not quite */
#ifndef KERNEL_ELF_H
#define KERNEL_ELF_H

#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define KERNEL_TEXT	0xffffffff81000000	/* its .text, of KERNEL_TEXT_SIZE bytes */
#define KERNEL_TEXT_SIZE 0x1000

struct kernel_elf {
	const char *symbols[3];		/* names, at KERNEL_TEXT + value */
	uint64_t values[3];
	bool interpreter;		/* as programs have */
};

static inline void kernel_elf_section(Elf *elf, const char *names, const char *name, uint32_t type,
				      void *bytes, size_t size, uint64_t address, uint64_t entsize)
{
	Elf_Scn *section = elf_newscn(elf);
	Elf_Data *data = elf_newdata(section);
	GElf_Shdr header;
	uint32_t at = 1;

	while (strcmp(names + at, name))
		at += strlen(names + at) + 1;
	data->d_buf = bytes;
	data->d_size = size;
	data->d_align = 8;
	data->d_type = type == SHT_SYMTAB ? ELF_T_SYM : ELF_T_BYTE;
	gelf_getshdr(section, &header);
	header.sh_name = at;
	header.sh_type = type;
	header.sh_addr = address;
	header.sh_entsize = entsize;
	header.sh_link = type == SHT_SYMTAB ? 3 : 0;
	gelf_update_shdr(section, &header);
}

static inline void kernel_elf_headers(Elf *elf, bool interpreter)
{
	GElf_Ehdr header;
	GElf_Phdr program;

	gelf_newehdr(elf, ELFCLASS64);
	gelf_getehdr(elf, &header);
	header.e_type = interpreter ? ET_DYN : ET_EXEC;
	header.e_machine = EM_X86_64;
	header.e_version = EV_CURRENT;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_shstrndx = 4;
	gelf_update_ehdr(elf, &header);
	gelf_newphdr(elf, 1);
	gelf_getphdr(elf, 0, &program);
	program.p_type = interpreter ? PT_INTERP : PT_LOAD;
	gelf_update_phdr(elf, 0, &program);
}

/* False if it could not be written. */
static inline bool kernel_elf_write(const char *path, const struct kernel_elf *k)
{
	static char names[] = "\0.text\0.symtab\0.strtab\0.shstrtab", text[KERNEL_TEXT_SIZE];
	char strings[200] = "";
	Elf64_Sym symbols[4] = { { 0 } };
	size_t nr = 1, len = 1;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	bool written;
	Elf *elf;

	for (; nr < 4 && k->symbols[nr - 1]; nr++) {
		symbols[nr].st_name = len;
		symbols[nr].st_value = KERNEL_TEXT + k->values[nr - 1];
		strcpy(strings + len, k->symbols[nr - 1]);
		len += strlen(k->symbols[nr - 1]) + 1;
	}
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	if (!elf)
		return false;
	kernel_elf_headers(elf, k->interpreter);
	kernel_elf_section(elf, names, ".text", SHT_PROGBITS, text, sizeof(text), KERNEL_TEXT, 0);
	kernel_elf_section(elf, names, ".symtab", SHT_SYMTAB, symbols, nr * sizeof(symbols[0]), 0,
			   sizeof(symbols[0]));
	kernel_elf_section(elf, names, ".strtab", SHT_STRTAB, strings, len, 0, 0);
	kernel_elf_section(elf, names, ".shstrtab", SHT_STRTAB, names, sizeof(names), 0, 0);
	written = elf_update(elf, ELF_C_WRITE) > 0;
	elf_end(elf);
	close(fd);
	return written;
}

#endif
