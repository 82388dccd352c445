/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf.h - what of an ELF file is needed for its unwind table
 *
 * Read with pread() and checked: the file may be hostile, cut short or change meanwhile.
 */
#ifndef UNWIND_ELF_H
#define UNWIND_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/elf_file.h"

struct unwind_segment {
	uint64_t vaddr, offset, size;	/* as far as the file has it */
	bool executable;
};

enum unwind_form { UNWIND_PLAIN, UNWIND_COMPRESSED, UNWIND_ZDEBUG };

struct unwind_section {
	uint64_t vaddr, offset, size;	/* as in the file; size 0: there is none */
	enum unwind_form form;		/* as SHF_COMPRESSED says; .zdebug_frame */
	bool to_end;			/* size is only a bound: it ends with a zero length */
};

#define UNWIND_PLTS	4		/* .plt, .plt.got, .plt.sec, .iplt */

struct unwind_elf {
	struct elf_file file;		/* its machine: OP_UNWIND_X86_64 or OP_UNWIND_ARM64 */
	struct unwind_segment *segments;
	size_t nr_segments, last;	/* last: the one that was asked for last */
	struct unwind_section eh_frame, debug_frame;
	struct unwind_section plt[UNWIND_PLTS];
	size_t nr_plts;
	bool has_interpreter;		/* a program that is linked dynamically */
	bool is_go;
};

/*
 * -ENOEXEC, -ENOTSUP, -EPROTO as of unwind_build_fd(), -ENOMEM, -errno of pread().
 * Closing it leaves the descriptor open.
 */
int unwind_elf_open(const struct elf_file *file, struct unwind_elf *ret);
void unwind_elf_close(struct unwind_elf *elf);

/*
 * Malloc'd contents of a section, decompressed. -EFBIG past @limit; -EPROTO, -EPROTONOSUPPORT:
 * compressed as nothing can be, or in a way not known.
 */
int unwind_elf_section(const struct unwind_elf *elf, const struct unwind_section *section,
		       size_t limit, uint8_t **ret, size_t *ret_len);

/* Where in the file the code at @vaddr lies; false if @len bytes of it are not code in the file. */
bool unwind_elf_offset(struct unwind_elf *elf, uint64_t vaddr, uint64_t len, uint64_t *ret);

#endif
