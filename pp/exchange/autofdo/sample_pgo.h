/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_pgo.h - a profile as compilers take it back: LLVM's sample profile, gcc's auto-profile
 *
 * Both are made of where samples are in the source (tree.h) and so need the binaries with their
 * debug information. Rules: doc/sample-pgo.md [SG-n].
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
	struct pgo_image *images;	/* what the tree's texts lie in */
	size_t nr_images;
};

struct pgo_options {
	const struct collection *collection;	/* where images are found; NULL: at their path */
	struct notices *notices;
	uint32_t event;
	uint32_t (*discriminator)(uint32_t raw);
	bool nest_indirect;	/* what is called indirectly stands nested at the call too [SG-8] */
};

/*
 * The samples of options->event by source position. Images without debug information are told of in
 * options->notices. -EINVAL: there is none at all with samples; @e says what to do.
 */
int pgo_samples_read(const struct profile *p, const struct pgo_options *options,
		     struct pgo_samples *ret, struct op_error *e);
void pgo_samples_free(struct pgo_samples *s);

#endif
