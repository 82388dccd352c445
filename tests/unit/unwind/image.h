/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h - made-up binaries with call frame information: one segment, all of it code
 */
#ifndef TESTS_UNIT_UNWIND_IMAGE_H
#define TESTS_UNIT_UNWIND_IMAGE_H

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TEXT		0x400000ull	/* address of the file's first byte; all of it is code */
#define CODE		0x1000		/* offset of the functions in the file */
#define PLT		0x3000		/* offset of the linkage table, if any */
#define MAX		(4 << 20)

static uint8_t *image;
static size_t image_size, frames_at, last_entry, plt_size;

static inline void put(const void *bytes, size_t n)
{
	if (image_size + n > MAX)
		abort();
	memcpy(image + image_size, bytes, n);
	image_size += n;
}

static inline void put32(uint32_t value)
{
	put(&value, sizeof(value));
}

static inline void new_image(void)
{
	free(image);
	image = calloc(1, MAX);
	plt_size = 0;
	image_size = frames_at = 0x4000;
}

static inline void end_entry(void)
{
	uint32_t len;

	while (image_size % 4)
		put("", 1);
	len = image_size - last_entry - 4;
	memcpy(image + last_entry, &len, sizeof(len));
}

/* A CIE for functions: absolute 8-byte addresses, CFA rsp + 8, return address below it. */
static inline size_t put_cie(const char *augmentation, const void *program, size_t n)
{
	size_t at = image_size;

	last_entry = at;
	put32(0);
	put32(0);
	put("\x01", 1);
	put(augmentation, strlen(augmentation) + 1);
	put("\x01\x78\x10", 3);			/* factors 1 and -8, return address 16 */
	if (augmentation[0] == 'z')
		put("\x01\x00", 2);		/* one byte for 'R': absolute */
	put("\x0c\x07\x08\x90\x01", 5);		/* def_cfa rsp 8, offset 16 at -8 */
	put(program, n);
	end_entry();
	return at;
}

static inline void put_fde(size_t cie, uint64_t begin, uint64_t size, const void *program, size_t n)
{
	last_entry = image_size;
	put32(0);
	put32(image_size - cie);
	begin += TEXT;
	put(&begin, 8);
	put(&size, 8);
	put("", 1);				/* length of augmentation data */
	put(program, n);
	end_entry();
}

#define NAME_DEBUG_FRAME	26	/* for the first section's sh_name */
#define NAME_ZDEBUG_FRAME	39

static inline Elf64_Ehdr *end_image(void)
{
	static const char names[] = "\0.eh_frame\0.shstrtab\0.plt\0.debug_frame\0.zdebug_frame";
	Elf64_Ehdr h = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN, .e_machine = EM_X86_64, .e_phoff = sizeof(h), .e_phnum = 1,
		.e_phentsize = sizeof(Elf64_Phdr), .e_shnum = 4, .e_shstrndx = 2,
		.e_shentsize = sizeof(Elf64_Shdr),
	};
	Elf64_Phdr p = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = TEXT };
	Elf64_Shdr s[4] = {
		[1] = { .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_addr = TEXT + frames_at,
			.sh_offset = frames_at, .sh_size = image_size - frames_at },
		[2] = { .sh_name = 11, .sh_type = SHT_STRTAB, .sh_offset = image_size,
			.sh_size = sizeof(names) },
		[3] = { .sh_name = 21, .sh_type = SHT_PROGBITS, .sh_flags = SHF_EXECINSTR,
			.sh_addr = TEXT + PLT, .sh_offset = PLT, .sh_size = plt_size },
	};

	put(names, sizeof(names));
	while (image_size % 8)
		put("", 1);
	h.e_shoff = image_size;
	put(s, sizeof(s));
	p.p_filesz = p.p_memsz = image_size;
	memcpy(image, &h, sizeof(h));
	memcpy(image + sizeof(h), &p, sizeof(p));
	return (Elf64_Ehdr *)image;
}

#endif
