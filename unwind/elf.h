/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf.h - the parts of an ELF file that its unwind table needs
 *
 * Read with pread() and checked: the file may be hostile, truncated, or change meanwhile.
 */
#ifndef UNWIND_ELF_H
#define UNWIND_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/elf_file.h"

struct unwind_segment {
	uint64_t vaddr, offset, size;	/* of the part in the file */
	bool executable;
};

enum unwind_form { UNWIND_PLAIN, UNWIND_COMPRESSED, UNWIND_ZDEBUG };

struct unwind_section {
	uint64_t vaddr, offset, size;	/* in the file; size 0: missing */
	enum unwind_form form;		/* compressed by SHF_COMPRESSED or as .zdebug_frame */
	bool to_end;			/* @size is a bound: it ends at an entry of length 0 */
	/* only of images of code made at run time */
	uint64_t relocations_offset;
	size_t relocations;		/* number of them (Elf64_Rela) */
	uint32_t symbols;		/* index of their symbol table's section */
};

#define UNWIND_SECTIONS_MAX	65536
#define UNWIND_PLTS	4		/* .plt, .plt.got, .plt.sec, .iplt */

struct unwind_elf {
	struct elf_file file;		/* of a machine with op_unwind_registers() */
	struct unwind_segment *segments;
	size_t nr_segments, last;	/* last: of the last lookup */
	struct unwind_section eh_frame, debug_frame;
	struct unwind_section plt[UNWIND_PLTS];
	size_t nr_plts;
	bool has_interpreter;		/* a dynamically linked program */
	bool is_go;
};

/*
 * -ENOEXEC, -ENOTSUP, -EPROTO as unwind_build_fd(), -ENOMEM, -errno of pread(). Closing it leaves
 * the descriptor open.
 */
int unwind_elf_open(const struct elf_file *file, struct unwind_elf *ret);
/* The same for an image of code made at run time: it may have sections only, which are read. */
int unwind_elf_open_made(const struct elf_file *file, struct unwind_elf *ret);
void unwind_elf_close(struct unwind_elf *elf);

/*
 * The contents of a section, decompressed and malloc'd. -EFBIG: past @limit. -EPROTO: malformed
 * compressed data. -EPROTONOSUPPORT: unknown compression.
 */
int unwind_elf_section(const struct unwind_elf *elf, const struct unwind_section *section,
		       size_t limit, uint8_t **ret, size_t *ret_len);

/* Relocate the contents, at @bytes, of a section of an image of code made at run time. */
int unwind_elf_relocate(const struct unwind_elf *elf, const struct unwind_section *section,
			uint8_t *bytes, size_t len);

/* The offset in the file of the code at @vaddr; false: its @len bytes are not code in the file. */
bool unwind_elf_offset(struct unwind_elf *elf, uint64_t vaddr, uint64_t len, uint64_t *ret);

#endif
