/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build.h - a binary's call frame information in, an unwind table out
 *
 * From .eh_frame, or .debug_frame where there is no .eh_frame, of 64-bit x86 and ARM binaries.
 * The binary may be anybody's and may change while it is read: time and memory are bounded by
 * its size and @limit, and what does not make sense is left out and counted. [UT-40]...[UT-49]
 */
#ifndef UNWIND_BUILD_H
#define UNWIND_BUILD_H

#include <stddef.h>
#include <stdint.h>
#include "unwind/table.h"

/* What became of a binary's call frame information. */
struct unwind_counts {
	uint64_t functions;	/* whose rows are in the table (FDEs) */
	uint64_t discarded;	/* FDEs of code that the linker threw away, or of no code */
	uint64_t skipped;	/* FDEs that could not be read */
	uint64_t cut;		/* FDEs whose end lay in the next one */
	uint64_t bytes;		/* of code in the table */
	uint64_t bytes_none;	/* of these, without a rule: no rule can hold what is said */
	uint64_t bytes_plt;	/* of procedure linkage tables, with FDEs or without */
	uint64_t rows, rules;
};

/*
 * The table of the ELF file open at @fd, which keeps its position. *ret is the caller's to
 * free() and has passed op_unwind_check(). @ret_counts may be NULL.
 * -ENOEXEC no ELF file of a program or library, -ENOTSUP of a machine without tables,
 * -ENODATA no call frame information in it, -EPROTONOSUPPORT it is compressed, -EPROTO it makes
 * no sense, -EFBIG the table would be larger than @limit bytes, or the file is beyond [UT-2];
 * -ENOMEM, and those of pread().
 */
int unwind_build_fd(int fd, size_t limit, struct op_unwind_table **ret, size_t *ret_len,
		    struct unwind_counts *ret_counts);

/* The same for an ELF image in memory, as the vdso is at getauxval(AT_SYSINFO_EHDR). */
int unwind_build_image(const void *image, size_t len, size_t limit, struct op_unwind_table **ret,
		       size_t *ret_len, struct unwind_counts *ret_counts);

/* Why there is no table, in a few words, for an error of these two. */
const char *unwind_refusal(int err);

#endif
