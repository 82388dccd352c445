/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attribute.h - which sample file a sample belongs to, or why it is lost
 *
 * The rules, numbered as in doc/event-buffer.md:
 * [EB-70] a user sample of a file counts for that image, under its file offset;
 * [EB-71] one of anonymous memory for its mapping, under pc - start of the mapping; looked up
 *         again for every sample that lies outside the last one's;
 * [EB-72] a kernel sample for the kernel image its pc lies in;
 * [EB-73] it is filed under the application when that is separated (anonymous memory always),
 *         else, or when the application is not known, under the image itself;
 * [EB-74] with --image= an image is kept when it or its application was named; anonymous memory
 *         when its application was;
 * [EB-75] callers of a sample (after OP_TRACE_BEGIN) are counted, not filed.
 */
#ifndef ATTRIBUTE_H
#define ATTRIBUTE_H

#include "anon.h"
#include "cookie.h"
#include "kernel.h"
#include "sfile.h"

struct separation {
	bool lib, kernel, thread, cpu;
};

struct attribution_config {
	struct separation separate;
	bool no_kernel, no_user;	/* samples in that mode were not asked for: filtered out */
	unsigned int nr_events;		/* counters below this are known */
	struct images *images;
	struct cookies *cookies;
	struct kernel *kernel;
	struct anons *anons;
	struct sfiles *sfiles;
	struct stats *stats;
};

struct attribution;

struct attribution *attribution_new(const struct attribution_config *config);
void attribution_free(struct attribution *a);

/* The samples() of trans_ops. */
void attribute_samples(void *attribution, const struct trans_state *state, bool changed,
		       const uint64_t *pcs, const uint32_t *counters, size_t nr);

#endif
