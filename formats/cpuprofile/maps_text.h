/* SPDX-License-Identifier: GPL-2.0-or-later */
/* maps_text.h - read and write the mappings after a CPU profile, as lines of /proc/PID/maps */
#ifndef FORMATS_CPUPROFILE_MAPS_TEXT_H
#define FORMATS_CPUPROFILE_MAPS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "formats/format.h"

#define MAPS_LINE_MAX	65536		/* bytes; longer ones are ignored [GC-12] */

struct maps_text;

/*
 * Read the mappings in @text. Mappings of code become images of @p at once, others when an address
 * in them is looked up. Unknown lines are ignored. Sets p->main_image [GC-13]. -EPROTO: see
 * format_warn_or_fail().
 */
int maps_text_read(const char *text, size_t size, const struct format_read_options *options,
		   struct profile *p, struct maps_text **ret, struct op_error *e);
/* The start of the text at the end of some bytes: behind the last one that no text has. */
const char *maps_text_start(const char *begin, const char *end);

/* Bytes that are no text before the first known line, or all of the first line. [GC-8] */
size_t maps_text_junk(const char *text, size_t size);
void maps_text_free(struct maps_text *m);	/* NULL is fine */

/* The image of @p that is mapped at @address, or PROFILE_NONE. */
uint32_t maps_text_image(struct maps_text *m, uint64_t address);

/* Is @text nothing but complete lines of these kinds, as gperftools demands? [GC-21] */
bool maps_text_is_canonical(const char *text);

/* Write lines for the images of @p that have addresses; @wanted: which ones, NULL: all. [GC-22] */
void maps_text_write(const struct profile *p, const bool *wanted, FILE *out);

/* Does the path look like a shared library to the tools that read such lines? [GC-13] */
bool maps_is_library(const char *path);

#endif
