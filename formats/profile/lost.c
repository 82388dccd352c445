// SPDX-License-Identifier: GPL-2.0-or-later
/* lost.c - samples that were due but could not be taken, as a frame of their own */
#include <inttypes.h>
#include <stdlib.h>

#include "formats/profile/profile.h"
#include "libutil/xalloc.h"

#define PAGE		UINT64_C(4096)
#define USER_END	(UINT64_C(1) << 56)	/* kernels are above */

/*
 * A page where nothing is mapped, the first one as a rule: formats without names show only where
 * code ran, and address 0 ends a file of some of them.
 */
static uint32_t add_image(struct profile *p)
{
	struct profile_image image = { .path = profile_string(p, "[lost]"), .kind = PROFILE_ANON };
	uint64_t end = PAGE;
	bool is_free = true;

	for (uint32_t i = 0; i < p->nr_images; i++) {
		uint64_t limit = p->images[i].limit;

		if (p->images[i].path == image.path && p->images[i].kind == image.kind)
			return i;
		is_free &= p->images[i].start >= 2 * PAGE || limit <= PAGE;
		if (limit > end && limit < USER_END)
			end = limit;
	}
	image.start = is_free ? PAGE : (end + PAGE - 1) & ~(PAGE - 1);
	image.limit = image.start + PAGE;
	return profile_add_image(p, &image);
}

void profile_add_lost(struct profile *p, uint32_t event, uint64_t lost, uint64_t due)
{
	const uint32_t name = profile_string(p, "[lost]");
	const struct profile_function function = { .name = name, .system_name = name };
	const struct profile_line line = { .function = profile_function(p, &function) };
	uint32_t image, place;
	char *text;

	if (!lost)
		return;
	image = add_image(p);
	place = profile_place(p, image, p->images[image].start, &line, 1);
	profile_add_sample(p, profile_node(p, PROFILE_NONE, place), 0)[event] =
		lost > INT64_MAX ? INT64_MAX : (int64_t)lost;
	text = xasprintf("lost %" PRIu64 " of %" PRIu64 " samples, which are the frame [lost]",
			 lost, due);
	profile_comment(p, text);
	free(text);
}
