/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build.h - build the unwind table of a binary from its call frame information
 *
 * From .eh_frame, or .debug_frame without it, of x86 and 64-bit ARM binaries. The binary is
 * untrusted and may change while it is read: time and memory are bounded by its size and @limit,
 * and malformed entries are skipped and counted. [UT-40] to [UT-49]
 */
#ifndef UNWIND_BUILD_H
#define UNWIND_BUILD_H

#include <stddef.h>
#include <stdint.h>
#include "unwind/table.h"

struct unwind_counts {
	uint64_t functions;	/* in the table (FDEs) */
	uint64_t discarded;	/* FDEs of code that the linker discarded, or of empty code */
	uint64_t skipped;	/* malformed FDEs */
	uint64_t cut;		/* FDEs that end inside the next one */
	uint64_t bytes;		/* of code in the table */
	uint64_t bytes_none;	/* of these, without a rule: rules cannot express the FDE */
	uint64_t bytes_plt;	/* of procedure linkage tables, with or without FDEs */
	uint64_t rows, rules;
};

/*
 * The table of the ELF file open at @fd, whose position does not change. *ret is malloc'd and has
 * passed op_unwind_check(). @ret_counts may be NULL.
 * -ENOEXEC: not a program or library. -ENOTSUP: unsupported machine. -ENODATA: no call frame
 * information. -EPROTONOSUPPORT: unknown compression. -EPROTO: malformed. -EFBIG: the table would
 * exceed @limit bytes, or the file [UT-2]. -ENOMEM, and errors of pread().
 */
int unwind_build_fd(int fd, size_t limit, struct op_unwind_table **ret, size_t *ret_len,
		    struct unwind_counts *ret_counts);

/* The same for an ELF image in memory, such as the vdso. */
int unwind_build_image(const void *image, size_t len, size_t limit, struct op_unwind_table **ret,
		       size_t *ret_len, struct unwind_counts *ret_counts);

/*
 * The table of the code that a process registered, by a copy of it (libutil/opener/registered.h).
 * @window: a number of unwind_window(). Malformed images are skipped.
 */
int unwind_build_copy(const void *copy, size_t len, uint32_t window, size_t limit,
		      struct op_unwind_table **ret, size_t *ret_len,
		      struct unwind_counts *ret_counts);
int unwind_build_copy_fd(int fd, uint32_t window, size_t limit, struct op_unwind_table **ret,
			 size_t *ret_len, struct unwind_counts *ret_counts);

/*
 * Code that a process made has a table for each 4 GiB of its addresses, whose offsets are the lower
 * 32 bits of an address. The number of those of @address; it is not 0.
 */
static inline uint32_t unwind_window(uint64_t address)
{
	return (uint32_t)(address >> 32) + 1;
}

/* The reason in a few words, for an error of these two. */
const char *unwind_refusal(int err);

#endif
