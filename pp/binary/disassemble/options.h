/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - the options of objdump that the disassembler supports */
#ifndef PP_BINARY_DISASSEMBLE_OPTIONS_H
#define PP_BINARY_DISASSEMBLE_OPTIONS_H

#include <stdbool.h>
#include "libutil/error.h"

struct disassemble_options {
	char *target;		/* -M: "intel", "att,suffix", ...; libopcodes' own words, or NULL */
	bool demangle;		/* -C */
	bool line_numbers;	/* -l */
	bool show_bytes;	/* --show-raw-insn */
	bool show_zeroes;	/* -z */
};

/*
 * Parse @text, words separated by blanks. -EINVAL with @e set: an unsupported word. *ret is the
 * caller's to free.
 */
int disassemble_options_parse(const char *text, struct disassemble_options *ret,
			      struct op_error *e);
void disassemble_options_free(struct disassemble_options *o);

#endif
