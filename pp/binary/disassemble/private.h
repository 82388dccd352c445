/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private.h - shared by the parts of the disassembler: opening, output, names of addresses */
#ifndef PP_BINARY_DISASSEMBLE_PRIVATE_H
#define PP_BINARY_DISASSEMBLE_PRIVATE_H

#include "libutil/strbuf.h"
#include "pp/binary/disassemble/bfd.h"
#include "pp/binary/disassemble/disassemble.h"

#include <dis-asm.h>	/* that of binutils 2.39 or later; after bfd.h */

/* All symbols of an image that can name an address: its own, and entries of its PLT. */
struct address_names {
	asymbol **symbols;	/* by address, the preferred ones first */
	size_t nr;
	asymbol **dynamic;	/* storage */
	asymbol *synthetic;
	arelent **slots;	/* dynamic relocations, by address; storage too */
	size_t nr_slots;
	bool is_relocatable;
};

#define ZEROES_SKIPPED		8	/* so many zero bytes are not decoded */
#define ZEROES_SKIPPED_AT_END	3
#define LONGEST_INSTRUCTION	32	/* bytes read past the end of the requested range */

struct disassembler {
	const struct disassemble_options *options;
	const struct binary *binary;
	const char *path;
	struct bfd_file image_file, debug_file;
	bfd *image;			/* of image_file */
	disassembler_ftype decode;
	struct disassemble_info info;
	struct address_names names;
	asection *section;		/* the current one */
	int digits;			/* of an address in the section */
	struct strbuf line;
	struct strbuf error;		/* libopcodes' last message */
};

/* The symbols of @image or, if it has no symbol table, of its debug file (NULL: none). */
void address_names_make(const struct bfd_file *image, const struct bfd_file *debug,
			struct address_names *ret);
void address_names_free(struct address_names *names);

/*
 * The symbol by which objdump names @vma, or NULL; with @require_section only one of @section.
 * *ret_at is its index.
 */
asymbol *address_name_find(const struct address_names *names, uint64_t vma,
			   const asection *section, bool require_section, size_t *ret_at);

/* The symbol whose address the dynamic linker writes to @vma, or NULL. */
asymbol *address_name_slot(const struct address_names *names, uint64_t vma);

/* The next symbol of @section after index @at that begins later, or NULL. */
asymbol *address_name_next(const struct address_names *names, size_t at, const asection *section);

/* Append "<name+0x12>" for @vma. */
void address_name_add(struct strbuf *out, asymbol *symbol, const asection *section, uint64_t vma,
		      bool demangle);

/*
 * The same for a function of @b that has no symbol for libbfd to find: by call frame information,
 * or of Go. False: there is none.
 */
bool address_name_add_own(struct strbuf *out, const struct binary *b, uint64_t vma);

#endif
