/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h - samples collected in a struct profile: what all ready builders begin with
 *
 * Equal samples are one with a count, so memory goes by how different samples are and not by how
 * long sampling takes; it is bounded all the same. Rules: doc/sampler.md [SM-60]..
 */
#ifndef LIBSAMPLER_BUILD_PROFILE_H
#define LIBSAMPLER_BUILD_PROFILE_H

#include "formats/profile/profile.h"
#include "libsampler/sampler.h"

#define BUILD_NODES_MAX		(1u << 20)	/* places in stacks that are kept [SM-62] */
#define BUILD_PAST_MAX		(1u << 16)	/* samples that may still get a label [SM-63] */

/* Samples that are not in the profile. */
struct build_losses {
	uint64_t status[SAMPLER_NR_STATUS];	/* without any frame: BLOCKED, GONE, FAILED */
	uint64_t no_frames;			/* nor with another status */
	uint64_t no_room;
	uint64_t past_cut;		/* metadata that came for samples no longer at hand */
};

struct build_profile;

/* At most @nodes_max places in stacks. */
struct build_profile *build_profile_new(uint32_t nodes_max);
void build_profile_free(struct build_profile *b);		/* NULL is fine */

void build_profile_sample(struct build_profile *b, const struct sampler_sample *sample);
void build_profile_past(struct build_profile *b, const struct sampler_metadata *item,
			uint64_t from_ns, uint64_t to_ns);
/* No room for a sample like the last. */
bool build_profile_is_full(const struct build_profile *b);

/* All so far: event, times and comments filled in. It may be added to and asked for again. */
struct profile *build_profile_get(struct build_profile *b,
					const struct sampler_summary *summary);
/* How the stack of each of its samples ended: enum sampler_status. */
const unsigned char *build_profile_ends(const struct build_profile *b);
const struct build_losses *build_profile_losses(const struct build_profile *b);

/* What a sample is labeled with besides metadata: those names are taken. */
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
