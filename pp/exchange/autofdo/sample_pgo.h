/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_pgo.h - profiles for compilers: LLVM's sample profile, gcc's auto-profile
 *
 * Both have counts by source position (tree.h), so the binaries with their debug information are
 * needed. Rules: doc/sample-pgo.md [SG-n].
 */
#ifndef PP_EXCHANGE_AUTOFDO_SAMPLE_PGO_H
#define PP_EXCHANGE_AUTOFDO_SAMPLE_PGO_H

#include "formats/profile/profile.h"
#include "libutil/error.h"
#include "pp/exchange/autofdo/tree.h"
#include "pp/select/collect.h"
#include "pp/select/notices.h"

struct pgo_samples {
	struct pgo_tree tree;
	struct pgo_image *images;	/* own the tree's texts */
	size_t nr_images;
};

struct pgo_options {
	const struct collection *collection;	/* has the images' files; NULL: use their paths */
	struct notices *notices;
	uint32_t event;
	uint32_t (*discriminator)(uint32_t raw);
	bool nest_indirect;	/* also nest indirectly called functions at the call [SG-8] */
};

/*
 * The samples of options->event by source position. options->notices names images without debug
 * information. -EINVAL: all of them; @e advises what to do.
 */
int pgo_samples_read(const struct profile *p, const struct pgo_options *options,
		     struct pgo_samples *ret, struct op_error *e);
void pgo_samples_free(struct pgo_samples *s);

#endif
