/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h - the block announced last at each address, while a dump is read
 *
 * Unload and move records refer to code only by its address.
 */
#ifndef DAEMON_JIT_LIVE_H
#define DAEMON_JIT_LIVE_H

#include "daemon/jit/code.h"
#include "libutil/table.h"

struct jit_live {			/* all 0: empty */
	struct hash_table by_start;	/* indices of blocks */
};

void jit_live_free(struct jit_live *l);
/* From now on @c's last block is the one at its start. */
void jit_live_put(struct jit_live *l, const struct jit_code *c);
/*
 * Add @block, whose name with a NUL and mostly its code are in the @len bytes at @p, and put it.
 * False: it was dropped, see jit_code_add().
 */
bool jit_live_announce(struct jit_live *l, struct jit_code *c, struct jit_block *block,
		       const unsigned char *p, size_t len);
/* The block that starts at @start, or NULL. */
struct jit_block *jit_live_find(const struct jit_live *l, const struct jit_code *c, uint64_t start);

#endif
