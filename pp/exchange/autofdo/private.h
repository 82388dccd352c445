/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private.h - between the files that bring samples to source positions */
#ifndef PP_EXCHANGE_AUTOFDO_PRIVATE_H
#define PP_EXCHANGE_AUTOFDO_PRIVATE_H

#include "pp/exchange/autofdo/call_site.h"
#include "pp/exchange/autofdo/sample_pgo.h"

/* A file with code, wherever it was mapped. */
struct pgo_image {
	char *path, *debug_path, *looked;	/* debug_path NULL: of no use */
	struct object_file file;
	bool is_open;
	uint64_t *addresses;			/* as linked; sorted, each once */
	size_t nr, room;
	uint64_t *counts;			/* samples of each address */
	struct source_positions *positions;	/* or NULL */
};

struct pgo_place {
	uint64_t address;		/* as linked; 0: not known */
	enum call_kind call;		/* of callers */
	uint64_t target;		/* of direct calls */
};

struct pgo_work {
	const struct profile *profile;
	const struct pgo_options *options;
	struct pgo_samples *samples;
	bool *is_used;			/* images with samples */
	bool *is_caller;		/* places that called others */
	uint32_t *image_of;		/* of the profile's image: index into samples->images, or
					 * PROFILE_NONE */
	struct pgo_place *places;
	uint64_t *own, *whole;		/* samples of each node */
};

/* The image of a place, or NULL: it has no debug information. */
struct pgo_image *pgo_image_of(const struct pgo_work *w, uint32_t place);

/* The index of @address, or SIZE_MAX; and its frames, 0 if there are none. */
size_t pgo_index(const struct pgo_image *image, uint64_t address);
size_t pgo_frames(const struct pgo_image *image, uint64_t address,
		  const struct source_frame **ret);

void pgo_count_samples(struct pgo_work *w);
void pgo_count_calls(struct pgo_work *w);

#endif
