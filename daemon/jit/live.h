/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h - which block was announced last at an address, while a dump is read
 *
 * Unloading and moving name code by its address only.
 */
#ifndef DAEMON_JIT_LIVE_H
#define DAEMON_JIT_LIVE_H

#include "daemon/jit/code.h"

struct jit_live {
	size_t *slots;		/* index of a block + 1 */
	size_t nr_slots, nr;
};

void jit_live_free(struct jit_live *l);
/* @c's last block is what lies at its start from now on. */
void jit_live_put(struct jit_live *l, const struct jit_code *c);
/*
 * A record says at @p, in @len bytes, how @block's code is named, with a NUL, and mostly what its
 * bytes are: add it and put it. False: it was dropped, jit_code_add().
 */
bool jit_live_announce(struct jit_live *l, struct jit_code *c, struct jit_block *block,
		       const unsigned char *p, size_t len);
/* The block that starts at @start, or NULL. */
struct jit_block *jit_live_find(const struct jit_live *l, const struct jit_code *c, uint64_t start);

#endif
