/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi.h - the entries of an .eh_frame or .debug_frame section, one after the other
 */
#ifndef UNWIND_CFI_H
#define UNWIND_CFI_H

#include "unwind/program.h"

struct unwind_cfi {
	const uint8_t *bytes;
	size_t size;
	uint64_t vaddr;			/* of the section */
	bool debug_frame;
	bool to_end;			/* @size is only a bound: ends with a zero length */
	uint16_t machine;
};

/* A function (FDE). */
struct unwind_fde {
	uint64_t begin, end;		/* addresses as linked; begin == end: of no code */
	const struct unwind_cie *cie;	/* until the callback returns */
	struct unwind_bytes program;
	uint64_t program_vaddr;
};

/* Not 0: the walk ends with it. */
typedef int (*unwind_fde_callback)(void *context, const struct unwind_fde *fde);

/*
 * Every function in turn; those that make no sense are counted in *skipped. Time is bounded by
 * the section's size: each byte is looked at once, CIEs are short and kept.
 */
int unwind_cfi_walk(const struct unwind_cfi *cfi, unwind_fde_callback callback, void *context,
		    uint64_t *skipped);

#endif
