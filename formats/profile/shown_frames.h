/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shown_frames.h - places as lists of functions, for formats that know only functions
 *
 * An inlined function is a frame of its own. Code without a known function is one function for each
 * image, named after the image in brackets: "[libc.so.6]". Rules: doc/formats.md [PF-8].
 */
#ifndef FORMATS_PROFILE_SHOWN_FRAMES_H
#define FORMATS_PROFILE_SHOWN_FRAMES_H

#include <stddef.h>
#include <stdint.h>
#include "formats/profile/profile.h"

struct shown_function {
	const char *name;
	uint32_t file;		/* string of the profile */
	uint32_t start_line;
	uint32_t image;		/* or PROFILE_NONE */
};

struct shown_frame {
	uint32_t function;	/* index */
	uint32_t line;		/* 0: unknown */
};

struct shown_frames {
	struct shown_function *functions;
	uint32_t nr_functions;
	uint32_t unknown;	/* the function of samples without a stack: "[unknown]" */
	struct shown_frame *frames;
	uint32_t *first;	/* index in frames of each place, and the end; innermost first */
	char **bracketed;	/* names in brackets, one for each image and "[unknown]" */
	uint32_t nr_bracketed;
};

/* The frames of all places of @p, at least one for each place. */
void shown_frames_make(const struct profile *p, struct shown_frames *ret);
void shown_frames_free(struct shown_frames *s);

#endif
