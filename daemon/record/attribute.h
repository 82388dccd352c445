/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attribute.h - which sample file a sample belongs to, or why it is lost
 *
 * The rules are numbered as in doc/event-buffer.md; attribute_stack.h has those for stacks.
 * [EB-70] a user sample of a file counts for that image, under its file offset;
 * [EB-71] a sample of anonymous memory counts for its mapping, under pc - start of the mapping,
 *         which is looked up again for every sample outside the last one;
 * [EB-72] a kernel sample counts for the kernel image that its pc lies in;
 * [EB-73] it is filed under the application if the separation says so (anonymous memory always),
 *         otherwise, or if the application is not known, under the image itself;
 * [EB-74] with --image= an image is recorded if it or its application was named; anonymous memory
 *         if its application was;
 * [EB-76] a sample of a counter that is not in use is lost to a malformed stream; a sample in a
 *         mode that was not requested for its event is filtered out;
 * [EB-77] an extended sample is filed once for every event that is derived from it, with that
 *         event's weight, and is one sample in the statistics.
 */
#ifndef DAEMON_RECORD_ATTRIBUTE_H
#define DAEMON_RECORD_ATTRIBUTE_H

#include "daemon/record/anon.h"
#include "daemon/record/cookie.h"
#include "daemon/record/kernel.h"
#include "daemon/record/sfile.h"

struct separation {
	bool lib, kernel, thread, cpu, cgroup;
};

struct attribution_config {
	struct separation separate;
	const struct sfile_event *events;	/* as in sfile_config */
	unsigned int nr_counters;	/* of @events, from the first, that words name */
	struct images *images;
	struct cookies *cookies;
	struct kernel *kernel;
	struct anons *anons;
	struct comms *comms;		/* lists the tasks that have samples; or NULL */
	struct cgroups *cgroups;	/* used with separate.cgroup only */
	struct jit_processes *jit;	/* notified of samples in anonymous memory */
	struct sfiles *sfiles;
	struct stats *stats;
	bool call_arcs;			/* count arcs in {cg} files */
};

struct attribution;

struct attribution *attribution_new(const struct attribution_config *config);
void attribution_free(struct attribution *a);

/* Let @single add samples that have no stack to the history. NULL: there is none. */
struct stack_attribution;
void attribution_keep_history(struct attribution *a, struct stack_attribution *single);

void attribution_forget_images(struct attribution *a);	/* image.h: it has pointers to them */

/* The samples() of trans_ops. */
void attribute_samples(void *attribution, const struct trans_state *state, bool changed,
		       const uint64_t *pcs, const uint32_t *counters, size_t nr);

/* An event derived from an extended sample: its index in events, behind the counters. */
struct derived_event {
	uint32_t event, weight;
};

/*
 * The same for one extended sample at @pc, whose place follows from @state as that of any other;
 * @changed is true if it is not known whether @state changed. If @nr is 0, no requested event can
 * be derived from the sample, and it is filtered out.
 */
void attribute_extended(struct attribution *a, const struct trans_state *state, bool changed,
			uint64_t pc, const struct derived_event *derived, size_t nr);

#endif
