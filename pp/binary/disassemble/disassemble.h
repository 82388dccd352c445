/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disassemble.h - instructions of parts of a binary, in the lines that objdump -d prints
 *
 * Uses libopcodes and runs no other program: only the requested parts are read and decoded.
 */
#ifndef PP_BINARY_DISASSEMBLE_DISASSEMBLE_H
#define PP_BINARY_DISASSEMBLE_DISASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"
#include "pp/binary/binary.h"
#include "pp/binary/disassemble/options.h"

enum disassembly_line {
	DISASSEMBLY_FILE,		/* headings of the file and of a section */
	DISASSEMBLY_SYMBOL,		/* "0000000000001745 <sieve>:" */
	DISASSEMBLY_BLANK,		/* before a symbol */
	DISASSEMBLY_INSTRUCTION,
	DISASSEMBLY_OTHER,		/* "..." for zeroes, line numbers */
};

/* Receives the lines. @text has no newline; @vma is its address, or that of the next line. */
struct disassembly_reader {
	void (*line)(void *context, enum disassembly_line kind, uint64_t vma, const char *text);
	/* called before each instruction; may be NULL */
	void (*before)(void *context, uint64_t vma, const char *section, uint64_t offset);
	/* whether to decode the code after the last symbol line; NULL: always */
	bool (*wants)(void *context, uint64_t vma);
	void *context;
};

struct disassembler;

/*
 * For @b, opened from a file and open until disassembler_close(). @image_only: take names from the
 * image, not from its debug file. -ENOTSUP: libopcodes does not support the machine; -EINVAL: nor
 * options->target. The reason is in @e.
 */
int disassembler_open(const struct binary *b, const struct disassemble_options *options,
		      bool image_only, struct disassembler **ret, struct op_error *e);
void disassembler_close(struct disassembler *d);	/* NULL is fine */

/*
 * Print lines for addresses [@low, @high) in @section, or with NULL in all sections of code. In
 * relocatable files all sections begin at 0.
 */
void disassemble(struct disassembler *d, const char *section, uint64_t low, uint64_t high,
		 const struct disassembly_reader *reader);

/* Only the heading of the first section of code, which the original shows without symbols. */
void disassemble_heading(struct disassembler *d, const struct disassembly_reader *reader);

#endif
