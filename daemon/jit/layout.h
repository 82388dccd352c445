/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout.h - turn overlapping blocks into symbols that do not overlap
 *
 * New code reuses the memory of old code, and samples of both have the same addresses. So each
 * address is given to one block: doc/jit.md [JT-30] ff.
 */
#ifndef DAEMON_JIT_LAYOUT_H
#define DAEMON_JIT_LAYOUT_H

#include "daemon/jit/code.h"

#define JIT_NAMES_MAX	(128u << 20)	/* bytes of all names together */

struct jit_symbol {
	uint64_t start, end;		/* addresses, end excluded */
	size_t name;			/* in jit_layout.names */
	const unsigned char *code;	/* end - start bytes, or NULL */
	const struct jit_block *block;	/* that it is part of */
};

struct jit_layout {
	const struct jit_code *from;	/* owns the blocks, must outlive this */
	struct jit_symbol *symbols;	/* by address */
	size_t nr, room;
	struct strbuf names;		/* NUL terminated each */
	size_t dropped;			/* symbols without room for their names */
};

/* Also sets the deaths of @c's blocks that were overwritten. Free with jit_layout_free(). */
void jit_layout_make(struct jit_code *c, struct jit_layout *ret);
void jit_layout_free(struct jit_layout *layout);

#endif
