/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debug.h - source lines of JIT code as debug information, DWARF 4 [JT-45] */
#ifndef DAEMON_JIT_DEBUG_H
#define DAEMON_JIT_DEBUG_H

#include "daemon/jit/layout.h"

struct jit_debug {
	struct strbuf abbrev, info, line;	/* contents of .debug_abbrev and so on */
};

/* For all symbols with known lines; empty if there are none. */
void jit_debug_make(const struct jit_layout *layout, struct jit_debug *ret);
void jit_debug_free(struct jit_debug *d);

#endif
