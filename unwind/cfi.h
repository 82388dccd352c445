/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cfi.h - read the entries of an .eh_frame or .debug_frame section */
#ifndef UNWIND_CFI_H
#define UNWIND_CFI_H

#include "unwind/program.h"

struct unwind_cfi {
	const uint8_t *bytes;
	size_t size;
	uint64_t vaddr;			/* of the section */
	bool debug_frame;
	bool to_end;			/* @size is a bound: it ends at an entry of length 0 */
	uint16_t machine;
	bool is_32;			/* addresses have 4 bytes */
};

/* A function (FDE). */
struct unwind_fde {
	uint64_t begin, end;		/* linked addresses; begin == end: no code */
	const struct unwind_cie *cie;	/* valid until the callback returns */
	struct unwind_bytes program;
	uint64_t program_vaddr;
};

/* A result other than 0 ends the walk and is returned. */
typedef int (*unwind_fde_callback)(void *context, const struct unwind_fde *fde);

/*
 * Call @callback for each function; malformed ones are counted in *skipped. Time is bounded by the
 * section's size: each byte is read once, and CIEs are short and cached.
 */
int unwind_cfi_walk(const struct unwind_cfi *cfi, unwind_fde_callback callback, void *context,
		    uint64_t *skipped);

#endif
