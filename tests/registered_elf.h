/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registered_elf.h - programs that make code and register it by GDB's JIT interface
 *
 * The code is x86-64's. Its functions keep no frame pointers, and spoil the register, so that only
 * the call frame information of the registered image leads to their callers.
 */
#ifndef TESTS_REGISTERED_ELF_H
#define TESTS_REGISTERED_ELF_H

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The interface, by the names that debuggers look for. */
struct jit_entry {
	struct jit_entry *next, *previous;
	const void *image;
	uint64_t size;
};

struct jit_descriptor {
	uint32_t version, action;
	struct jit_entry *relevant, *first;
};

struct made_function {
	const char *name;
	uint64_t at, size;		/* in the text */
	uint8_t frame;			/* bytes that it takes from the stack, without rbp's */
};

enum made_frames {
	MADE_DEBUG_FRAME,		/* with addresses, as QEMU's */
	MADE_EH_FRAME,			/* in an object that is to be relocated, as LLVM's */
	MADE_NO_FRAMES,
};

struct made_bytes {
	unsigned char *bytes;
	size_t size;
};

static inline void made_put(struct made_bytes *b, const void *bytes, size_t n)
{
	memcpy(b->bytes + b->size, bytes, n);
	b->size += n;
}

static inline void made_put8(struct made_bytes *b, unsigned int value)
{
	b->bytes[b->size++] = (unsigned char)value;
}

static inline void made_put32(struct made_bytes *b, uint64_t value)
{
	made_put(b, &(uint32_t){ (uint32_t)value }, 4);
}

static inline void made_put64(struct made_bytes *b, uint64_t value)
{
	made_put(b, &value, 8);
}

/* push %rbp; sub $FRAME, %rsp; xor %ebp, %ebp; @inside; add $FRAME, %rsp; pop %rbp; ret */
static inline void made_code(struct made_bytes *b, uint8_t frame, const void *inside, size_t n)
{
	made_put(b, (unsigned char[]){ 0x55, 0x48, 0x83, 0xec, frame, 0x31, 0xed }, 7);
	made_put(b, inside, n);
	made_put(b, (unsigned char[]){ 0x48, 0x83, 0xc4, frame, 0x5d, 0xc3 }, 6);
}

/* Three functions, made_outer calls made_middle calls made_inner; the last counts edi down. */
#define MADE_FUNCTIONS	3

static inline size_t made_functions(unsigned char *to, struct made_function f[MADE_FUNCTIONS])
{
	static const char *const names[] = { "made_inner", "made_middle", "made_outer" };
	static const unsigned char loop[] = { 0x89, 0xf9, 0xff, 0xc9, 0x75, 0xfc };
	struct made_bytes b = { to, 0 };
	unsigned char call[5] = { 0xe8 };

	for (unsigned int i = 0; i < MADE_FUNCTIONS; i++) {
		int32_t back;

		while (b.size % 16)
			made_put8(&b, 0xcc);
		f[i] = (struct made_function){ names[i], b.size, 0, (uint8_t)(0x28 + 0x10 * i) };
		back = i ? (int32_t)f[i - 1].at - (int32_t)(b.size + 12) : 0;
		memcpy(call + 1, &back, sizeof(back));
		made_code(&b, f[i].frame, i ? call : loop, i ? sizeof(call) : sizeof(loop));
		f[i].size = b.size - f[i].at;
	}
	return b.size;
}

static inline void made_end_entry(struct made_bytes *b, size_t at)
{
	while (b->size % 4)
		made_put8(b, 0);	/* DW_CFA_nop */
	memcpy(b->bytes + at, &(uint32_t){ (uint32_t)(b->size - at - 4) }, 4);
}

static inline void made_put_cie(struct made_bytes *b, bool is_eh)
{
	size_t at = b->size;

	made_put32(b, 0);
	made_put32(b, is_eh ? 0 : UINT32_MAX);
	made_put(b, is_eh ? "\x01zR" : "\x01", is_eh ? 4 : 2);
	made_put(b, "\x01\x78\x10", 3);		/* factors 1 and -8, return address 16 */
	if (is_eh)
		made_put(b, "\x01\x1b", 2);	/* relative to where it is, 4 bytes */
	made_put(b, "\x0c\x07\x08\x90\x01", 5);	/* the CFA is rsp + 8, the address below it */
	made_end_entry(b, at);
}

/* Returns where its address is. */
static inline size_t made_put_fde(struct made_bytes *b, size_t cie, uint64_t text,
				  const struct made_function *f, bool is_eh)
{
	size_t at = b->size, address;

	made_put32(b, 0);
	made_put32(b, is_eh ? b->size - cie : cie);
	address = b->size;
	if (is_eh) {
		made_put32(b, 0);
		made_put32(b, f->size);
		made_put8(b, 0);
	} else {
		made_put64(b, text + f->at);
		made_put64(b, f->size);
	}
	made_put(b, "\x41\x0e\x10\x86\x02\x44\x0e", 7);
	made_put8(b, 16u + f->frame);
	made_put8(b, 0x02);
	made_put8(b, (unsigned int)f->size - 7);
	made_put(b, "\x0e\x10\x41\x0e\x08\xc6", 6);
	made_end_entry(b, at);
	return address;
}

enum { MADE_TEXT = 1, MADE_SYMTAB, MADE_STRTAB, MADE_NAMES, MADE_FRAMES, MADE_RELA, MADE_SECTIONS };

static const char made_names[] =
	"\0.text\0.symtab\0.strtab\0.names\0.debug_frame\0.eh_frame\0.rela";

/* An image for the functions @f, whose text is at the address @text; malloc'd. */
static inline struct made_bytes made_elf(const struct made_function *f, size_t nr, uint64_t text,
					 uint64_t text_size, enum made_frames frames)
{
	static const uint32_t name_at[MADE_SECTIONS] = { 0, 1, 7, 15, 23, 30, 53 };
	const bool is_rel = frames == MADE_EH_FRAME;
	struct made_bytes b = { calloc(1, 65536 + nr * 256), sizeof(Elf64_Ehdr) };
	Elf64_Shdr s[MADE_SECTIONS] = { 0 };
	Elf64_Ehdr head = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = is_rel ? ET_REL : ET_EXEC, .e_machine = EM_X86_64,
		.e_version = EV_CURRENT, .e_ehsize = sizeof(head), .e_shentsize = sizeof(*s),
		.e_shnum = MADE_SECTIONS, .e_shstrndx = MADE_NAMES,
	};
	size_t *addresses = calloc(nr, sizeof(*addresses));

	for (unsigned int i = 0; i < MADE_SECTIONS; i++)
		s[i].sh_name = name_at[i];
	s[MADE_TEXT].sh_type = SHT_NOBITS;
	s[MADE_TEXT].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	s[MADE_TEXT].sh_addr = text;
	s[MADE_TEXT].sh_size = text_size;
	s[MADE_STRTAB].sh_type = s[MADE_NAMES].sh_type = SHT_STRTAB;
	s[MADE_STRTAB].sh_offset = b.size;
	made_put8(&b, 0);
	for (size_t i = 0; i < nr; i++)
		made_put(&b, f[i].name, strlen(f[i].name) + 1);
	s[MADE_STRTAB].sh_size = b.size - s[MADE_STRTAB].sh_offset;
	s[MADE_NAMES].sh_offset = b.size;
	s[MADE_NAMES].sh_size = sizeof(made_names);
	made_put(&b, made_names, sizeof(made_names));
	while (b.size % 8)
		made_put8(&b, 0);
	s[MADE_SYMTAB].sh_type = SHT_SYMTAB;
	s[MADE_SYMTAB].sh_link = MADE_STRTAB;
	s[MADE_SYMTAB].sh_offset = b.size;
	made_put(&b, &(Elf64_Sym){ 0 }, sizeof(Elf64_Sym));
	for (size_t i = 0, name = 1; i < nr; name += strlen(f[i++].name) + 1)
		made_put(&b, &(Elf64_Sym){ .st_name = (uint32_t)name, .st_shndx = MADE_TEXT,
			 .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_size = f[i].size,
			 .st_value = f[i].at + (is_rel ? 0 : text) }, sizeof(Elf64_Sym));
	s[MADE_SYMTAB].sh_size = b.size - s[MADE_SYMTAB].sh_offset;
	if (frames != MADE_NO_FRAMES) {
		struct made_bytes contents = { b.bytes + b.size, 0 };

		s[MADE_FRAMES].sh_type = SHT_PROGBITS;
		s[MADE_FRAMES].sh_name += is_rel ? 13 : 0;
		s[MADE_FRAMES].sh_offset = b.size;
		made_put_cie(&contents, is_rel);
		for (size_t i = 0; i < nr; i++)
			addresses[i] = made_put_fde(&contents, 0, text, &f[i], is_rel);
		s[MADE_FRAMES].sh_size = contents.size;
		b.size += contents.size;
		while (b.size % 8)
			made_put8(&b, 0);
	}
	if (is_rel) {
		s[MADE_RELA].sh_type = SHT_RELA;
		s[MADE_RELA].sh_link = MADE_SYMTAB;
		s[MADE_RELA].sh_info = MADE_FRAMES;
		s[MADE_RELA].sh_offset = b.size;
		for (size_t i = 0; i < nr; i++)
			made_put(&b, &(Elf64_Rela){ addresses[i],
				 ELF64_R_INFO(i + 1, R_X86_64_PC32), 0 }, sizeof(Elf64_Rela));
		s[MADE_RELA].sh_size = b.size - s[MADE_RELA].sh_offset;
	}
	head.e_shoff = b.size;
	made_put(&b, s, sizeof(s));
	memcpy(b.bytes, &head, sizeof(head));
	free(addresses);
	return b;
}

#endif
