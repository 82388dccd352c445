/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listing.h - source lines between instructions, as objdump -S puts them
 *
 * Before an instruction of another line come the lines up to that one, from five before it
 * or from where this file was left.
 */
#ifndef PP_ANNOTATE_LISTING_H
#define PP_ANNOTATE_LISTING_H

#include <stdint.h>
#include "pp/annotate/options.h"
#include "pp/binary/line/binary.h"
#include "pp/select/notices.h"

struct listing;

/* NULL: @b has no debug information; why is told in @notices. @b is @path and stays open. */
struct listing *listing_open(const struct binary *b, const char *path,
			     const struct annotate_options *options, const char *cache_dir,
			     struct notices *notices);
void listing_close(struct listing *l);		/* NULL is fine */

/* Another symbol: nothing has been shown yet. */
void listing_restart(struct listing *l);

/* Lines before the instruction at @offset in @section, each given to @put, without newlines. */
void listing_before(struct listing *l, const char *section, uint64_t offset,
		    void (*put)(void *context, const char *text), void *context);

#endif
