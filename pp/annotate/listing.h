/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listing.h - source lines between instructions, as in objdump -S
 *
 * When the line changes, the lines up to the new one are printed before the instruction, starting
 * five lines before it or after the last line printed of this file.
 */
#ifndef PP_ANNOTATE_LISTING_H
#define PP_ANNOTATE_LISTING_H

#include <stdint.h>
#include "pp/annotate/options.h"
#include "pp/binary/line/binary.h"
#include "pp/select/notices.h"

struct listing;

/* NULL: no debug information, with the reason in @notices. @b is @path and stays open. */
struct listing *listing_open(const struct binary *b, const char *path,
			     const struct annotate_options *options, const char *cache_dir,
			     struct notices *notices);
void listing_close(struct listing *l);		/* NULL is fine */

/* Begin another symbol: no line has been shown yet. */
void listing_restart(struct listing *l);

/* Pass the lines before the instruction at @offset in @section to @put, without newlines. */
void listing_before(struct listing *l, const char *section, uint64_t offset,
		    void (*put)(void *context, const char *text), void *context);

#endif
