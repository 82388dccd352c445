/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * imported.h - stats/imported: details of a profile that an imported session cannot hold otherwise
 *
 * It has the mappings of images and the names of events, so that opexport can restore the profile
 * that opimport read. Rules: doc/export.md [IM-7].
 */
#ifndef PP_EXCHANGE_IMPORTED_H
#define PP_EXCHANGE_IMPORTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "formats/profile/profile.h"
#include "libutil/error.h"

#define IMPORTED_FILE "imported"	/* below stats/ */
#define IMPORTED_PROFILE "profile"	/* below stats/: the original profile [IM-8] */

enum {
	IMPORTED_NOWHERE = 100,		/* no image: keys are addresses */
	IMPORTED_NAMES,			/* only functions: keys are made up */
};

struct imported_image {
	unsigned int kind;		/* enum profile_image_kind, or one of the above */
	uint64_t start, limit, offset;	/* as struct profile_image */
	char *path;			/* in the session: absolute */
	char *original;			/* in the profile */
	char *build_id;			/* in the profile, or "" */
};

struct imported_event {
	char *event;			/* in the session */
	uint64_t count, unit_mask;
	char *name, *unit;		/* in the profile */
	uint64_t period;		/* in the profile; 0: amounts */
};

struct imported {
	struct imported_image *images;
	struct imported_event *events;
	size_t nr_images, images_room, nr_events, events_room;
	bool has_apps;			/* samples were labelled with their application */
	char *format;			/* of the original profile; NULL: not kept */
	bool salvaged;			/* it was read only in part */
	uint64_t samples;		/* in all sample files made from it */
};

void imported_add_image(struct imported *i, const struct imported_image *image);	/* copied */
void imported_add_event(struct imported *i, const struct imported_event *event);
/* The session's event, or NULL. */
const struct imported_event *imported_event(const struct imported *i, const char *event,
					    uint64_t count, uint64_t unit_mask);

int imported_write(const char *stats_dir, const struct imported *i);
/* -ENOENT: not an imported session. -EPROTO: "FILE:LINE: why". *ret is the caller's to free. */
int imported_read(const char *stats_dir, struct imported *ret, struct op_error *e);
void imported_free(struct imported *i);		/* all zero is fine */

#endif
