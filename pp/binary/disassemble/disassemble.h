/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disassemble.h - instructions of parts of a binary, as the lines objdump -d would print
 *
 * In this process and with libopcodes: only what is asked for is read and decoded.
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
	DISASSEMBLY_FILE,		/* which file; a section begins: parts of the heading */
	DISASSEMBLY_SYMBOL,		/* "0000000000001745 <sieve>:" */
	DISASSEMBLY_BLANK,		/* before a symbol */
	DISASSEMBLY_INSTRUCTION,
	DISASSEMBLY_OTHER,		/* "..." for zeroes, line numbers */
};

/* Whoever gets the lines. @text ends without a newline; @vma is the address it stands at or before.
 */
struct disassembly_reader {
	void (*line)(void *context, enum disassembly_line kind, uint64_t vma, const char *text);
	/* before each instruction; may be NULL */
	void (*before)(void *context, uint64_t vma, const char *section, uint64_t offset);
	/* whether to decode what the symbol line just given begins; NULL: always */
	bool (*wants)(void *context, uint64_t vma);
	void *context;
};

struct disassembler;

/*
 * For @b, opened from a file and open until disassembler_close(). @image_only: names from the
 * image, not from its debug file. -ENOTSUP: libopcodes does not know the machine; -EINVAL: it does
 * not know options->target; @e says so.
 */
int disassembler_open(const struct binary *b, const struct disassemble_options *options,
		      bool image_only, struct disassembler **ret, struct op_error *e);
void disassembler_close(struct disassembler *d);	/* NULL is fine */

/*
 * Lines for addresses from @low to before @high, in @section, or in all sections of code that have
 * some (NULL). In relocatable files all sections begin at 0.
 */
void disassemble(struct disassembler *d, const char *section, uint64_t low, uint64_t high,
		 const struct disassembly_reader *reader);

/* Only the heading of the first section of code: what the original shows without symbols. */
void disassemble_heading(struct disassembler *d, const struct disassembly_reader *reader);

#endif
