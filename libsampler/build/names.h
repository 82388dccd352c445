/* SPDX-License-Identifier: GPL-2.0-or-later */
/* names.h - names of functions, for formats without addresses */
#ifndef LIBSAMPLER_BUILD_NAMES_H
#define LIBSAMPLER_BUILD_NAMES_H

#include <gelf.h>
#include "formats/profile/profile.h"

/*
 * A copy of @p with a function at each place: its symbol, or "[FILE+0xOFFSET]" without one. [SM-65]
 */
struct profile *build_names(const struct profile *p);

/* --- symbols.c: a file's functions --- */

/* Call @add for each symbol in the symbol tables of @type; @name may be NULL. */
void build_symbols_visit(Elf *elf, uint32_t type,
			 void (*add)(void *context, const GElf_Sym *sym, const char *name),
			 void *context);

struct build_symbols;
/* NULL: not available. @build_id: only of that build; "" any. */
struct build_symbols *build_symbols_open(const char *path, const char *build_id);
void build_symbols_free(struct build_symbols *s);
/* The function at @offset of the file, or NULL. */
const char *build_symbols_find(const struct build_symbols *s, uint64_t offset);

#endif
