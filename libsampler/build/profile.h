/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h - collect samples in a struct profile, for all ready builders
 *
 * Equal samples are one with a count, so memory depends on the number of distinct samples and not
 * on how long sampling takes; it is bounded, too. Rules: doc/sampler.md, from [SM-60] on.
 */
#ifndef LIBSAMPLER_BUILD_PROFILE_H
#define LIBSAMPLER_BUILD_PROFILE_H

#include "formats/profile/profile.h"
#include "libsampler/oprofsampler.h"
#include "libutil/error.h"

#define BUILD_NODES_MAX		(1u << 20)	/* places in stacks [SM-62] */
#define BUILD_PAST_MAX		(1u << 16)	/* samples that may still get a label [SM-63] */

/* Samples that are not in the profile. */
struct build_losses {
	uint64_t status[SAMPLER_NR_STATUS];	/* without frames: BLOCKED and after */
	uint64_t no_frames;			/* without frames, but with another status */
	uint64_t no_room;
	uint64_t past_cut;		/* metadata for samples that are no longer kept */
};

struct build_profile;

/* At most @nodes_max places in stacks. */
struct build_profile *build_profile_new(uint32_t nodes_max);
void build_profile_free(struct build_profile *b);		/* NULL is fine */

void build_profile_sample(struct build_profile *b, const struct sampler_sample *sample);
void build_profile_past(struct build_profile *b, const struct sampler_metadata *item,
			uint64_t from_ns, uint64_t to_ns);
/* Whether the last sample found no room. */
bool build_profile_is_full(const struct build_profile *b);

/* All samples so far, with event, times and comments. More may be added afterwards. */
struct profile *build_profile_get(struct build_profile *b,
				  const struct sampler_summary *summary);
/* How the stack of each of its samples ended: enum sampler_status. */
const unsigned char *build_profile_ends(const struct build_profile *b);
const struct build_losses *build_profile_losses(const struct build_profile *b);

/* Tell the library's user, who may not ask, @why, shortened to what fits. */
void build_error(const struct op_error *why, struct sampler_error *e);

/* The labels of a sample besides metadata, which cannot have these names. */
#define BUILD_PID	"pid"
#define BUILD_TID	"tid"
#define BUILD_COMM	"comm"

/* --- images.c: modules as images of a profile --- */
struct build_images;
struct build_images *build_images_new(struct profile *p);
void build_images_free(struct build_images *i);
/* The place of @frame; @back: 1 for a caller. */
uint32_t build_images_place(struct build_images *i, const struct sampler_frame *frame,
			    unsigned int back);

/* --- comms.c: names of threads --- */
struct build_comms;
struct build_comms *build_comms_new(void);
void build_comms_free(struct build_comms *c);
/* Valid until the next call. */
const char *build_comms_find(struct build_comms *c, pid_t tid, uint64_t now_ns);

#endif
