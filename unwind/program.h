/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.h - run the programs of call frame information
 *
 * One pass over a program's bytes: no jumps, so no loops.
 */
#ifndef UNWIND_PROGRAM_H
#define UNWIND_PROGRAM_H

#include "unwind/state.h"

/* The common part of several functions. */
struct unwind_cie {
	uint64_t code_factor;
	int64_t data_factor;
	uint16_t machine;
	uint8_t encoding;		/* of addresses */
	bool augmented;			/* FDEs have augmentation data, with its length */
	bool signal;			/* a signal frame: its caller was interrupted */
	struct unwind_state initial;
};

/* @state is valid from @vaddr on; called for rising addresses. */
typedef void (*unwind_emit)(void *context, uint64_t vaddr, const struct unwind_state *state);

/* Run a CIE's own program, which must not advance. False: malformed. */
bool unwind_program_initial(struct unwind_bytes program, struct unwind_cie *cie);

/*
 * Run the program of the function from @begin to @end; its bytes are at @vaddr, for addresses
 * relative to their place. False: malformed from *ret_stopped on; rows before that are emitted.
 */
bool unwind_program_run(struct unwind_bytes program, uint64_t vaddr, const struct unwind_cie *cie,
			uint64_t begin, uint64_t end, unwind_emit emit, void *context,
			uint64_t *ret_stopped);

#endif
