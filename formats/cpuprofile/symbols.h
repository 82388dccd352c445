/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols.h - names in the file itself: of Java, and of google-pprof --raw */
#ifndef FORMATS_CPUPROFILE_SYMBOLS_H
#define FORMATS_CPUPROFILE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/profile/profile.h"

struct cpuprofile_symbols {
	struct cpuprofile_symbol {
		uint64_t address;
		uint32_t first_line, nr_lines;	/* in @lines, innermost first */
	} *symbols;				/* by address */
	struct profile_line *lines;
	size_t nr_symbols, room_symbols, nr_lines, room_lines;
};

/* Read lines "0xID name (file:line)" of the text of a Java profile; ignore others. [GC-16] */
void cpuprofile_java_symbols(struct profile *p, const char *text, size_t size,
			     struct cpuprofile_symbols *ret);

/*
 * Read the text before a symbolized profile [GC-17]: "--- symbol", "binary=PATH", "0xADDRESS name",
 * ..., "---", "--- profile". Returns its size; 0 if @bytes do not begin so, and leaves @ret alone.
 */
size_t cpuprofile_symbol_section(struct profile *p, const unsigned char *bytes, size_t size,
				 struct cpuprofile_symbols *ret, uint32_t *ret_binary);
bool cpuprofile_is_symbolized(const unsigned char *bytes, size_t size);

/* The symbol of @address, or NULL. */
const struct cpuprofile_symbol *cpuprofile_symbol_find(const struct cpuprofile_symbols *symbols,
						       uint64_t address);
void cpuprofile_symbols_free(struct cpuprofile_symbols *symbols);

#endif
