/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made.h - names of code made at run time, from what the program itself writes or announces
 *
 * perf's maps and dumps, and GDB's interface for compilers at run time. [SM-47]
 */
#ifndef LIBSAMPLER_BUILD_MADE_H
#define LIBSAMPLER_BUILD_MADE_H

#include "daemon/jit/layout.h"
#include "formats/profile/profile.h"

struct build_made {
	struct jit_code code;
	struct jit_layout layout;
	char *dump;			/* the blocks' code is in it */
};

/* [sampling thread] Of this process, now; ret->layout.nr is 0 if nothing is known. */
void build_made_read(struct build_made *ret);
void build_made_free(struct build_made *m);
/* Name the places of @p that are in no file and have no name yet. */
void build_made_name(const struct build_made *m, struct profile *p);

/* [sampling thread] In the text of /proc/self/maps, while made code is sampled. */
void build_made_look_for_dump(const char *maps);

/* --- gdb_jit.c --- */
/* Add what is registered by __jit_debug_register_code(). */
void build_made_registered(struct jit_code *c);

#endif
