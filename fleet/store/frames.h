/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames.h - stacks of a profile as texts of the table stacks, and back
 *
 * A place of the profile is an image, an offset in its file and functions: those inlined there
 * first, each as a frame without an image.
 */
#ifndef FLEET_STORE_FRAMES_H
#define FLEET_STORE_FRAMES_H

#include "formats/profile/profile.h"
#include "libutil/strbuf.h"

#define STORE_FRAMES_MAX	4096	/* of a stack: the innermost ones are kept */

/* Of each frame: a text, ended by NUL, and for the last an offset. */
struct store_frames {
	struct strbuf functions, images;
	uint64_t offsets[STORE_FRAMES_MAX];
	size_t nr;
};

/* *ret is reused: initialize it once with STORE_FRAMES_INIT, and free it. */
#define STORE_FRAMES_INIT	{ .functions = STRBUF_INIT, .images = STRBUF_INIT }
void store_frames_of(const struct profile *p, uint32_t node, struct store_frames *ret);
void store_frames_free(struct store_frames *f);

/* The same for the same frames on any machine. */
uint64_t store_frames_hash(const struct store_frames *f);

/*
 * The node of a stack in @p: @functions and @images are separated by newlines, @offsets by blanks,
 * as many as there are. PROFILE_NONE: malformed.
 */
uint32_t store_frames_add(struct profile *p, char *functions, char *images, char *offsets);

#endif
