/* SPDX-License-Identifier: GPL-2.0-or-later */
/* maps_text.h - lines of /proc/PID/maps, as profiles carry them: images at addresses */
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
 * The mappings in @text. Those of code become images of @p at once, any other when an address in
 * it is asked for. Lines that are not understood are ignored. Sets p->main_image [GC-13].
 * -EPROTO: see format_doubt().
 */
int maps_text_read(const char *text, size_t size, const struct format_read_options *options,
		   struct profile *p, struct maps_text **ret, struct op_error *e);
void maps_text_free(struct maps_text *m);	/* NULL is fine */

/* The image of @p that has @address mapped, or PROFILE_NONE. */
uint32_t maps_text_image(struct maps_text *m, uint64_t address);

/* Is it just lines of these kinds, whole ones, as gperftools checks its files? [GC-21] */
bool maps_text_is_canonical(const char *text);

/* A line for each image of @p that has addresses [GC-22]; @wanted: only of some, or NULL. */
void maps_text_write(const struct profile *p, const bool *wanted, FILE *out);

/* Does the path name a shared library, as the tools that read such lines tell it? [GC-13] */
bool maps_is_library(const char *path);

#endif
