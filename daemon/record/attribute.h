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
 * [EB-75] its callers ([EB-40]) are no samples, and a stack counts only where its sample is filed;
 * [EB-76] a sample of a counter that is not in use is one of a stream not understood, one in a
 *         mode that was not asked for with that event is left out;
 * [EB-77] an extended sample is filed once for every event derived from it, with that event's
 *         weight, and is one sample in the statistics;
 * [EB-78] each two neighbours of a stack are a call, counted under the leaf's event in a {cg} file
 *         below the caller's image, filed as a sample of the caller's would be [EB-73]; calls from
 *         user mode into the kernel too. Of one end that lies nowhere known there are none, nor of
 *         calls from another image into a build that is not the first of its path [SS-61];
 * [EB-79] with --image= a call is left out when either end is [EB-74];
 * [EB-80] the stack itself goes, whole, into the session's stack store under what --separate
 *         keeps apart, its callers at their calls: one less than where they return to.
 *         At most 256 MB of them: as its index is kept in memory, whoever makes up ever new stacks
 *         gets no more. Stacks seen before are still counted then, others are stacks_lost.
 */
#ifndef DAEMON_RECORD_ATTRIBUTE_H
#define DAEMON_RECORD_ATTRIBUTE_H

#include "daemon/record/anon.h"
#include "daemon/record/cookie.h"
#include "daemon/record/kernel.h"
#include "daemon/record/sfile.h"
#include "daemon/record/stacks.h"

struct separation {
	bool lib, kernel, thread, cpu, cgroup;
};

struct attribution_config {
	struct separation separate;
	const struct sfile_event *events;	/* as sfile_config's */
	unsigned int nr_counters;	/* of which words name these, from the first */
	struct images *images;
	struct cookies *cookies;
	struct kernel *kernel;
	struct anons *anons;
	struct cgroups *cgroups;	/* asked with separate.cgroup only */
	struct comms *comms;		/* asked with separate.thread only, of stacks */
	struct jit_processes *jit;	/* told of samples in anonymous memory */
	struct sfiles *sfiles;
	struct stacks *stacks;		/* NULL: no stacks are kept */
	struct stats *stats;
};

struct attribution;

struct attribution *attribution_new(const struct attribution_config *config);
void attribution_free(struct attribution *a);

/* The samples() of trans_ops. */
void attribute_samples(void *attribution, const struct trans_state *state, bool changed,
		       const uint64_t *pcs, const uint32_t *counters, size_t nr);

/* The stack() of trans_ops; samples() had the leaf before. */
void attribute_stack(void *attribution, const struct trans_state *leaf,
		     const struct trans_frame *frames, size_t nr, uint32_t counter,
		     unsigned int end);

/* One event derived from an extended sample: its index in events, behind the counters. */
struct derived_event {
	uint32_t event, weight;
};

/*
 * The same for one extended sample at @pc, whose place is told by @state as any other's;
 * @changed is true where that is not known. With @nr 0 it is filtered out: nothing that was
 * asked for can be derived from it.
 */
void attribute_extended(struct attribution *a, const struct trans_state *state, bool changed,
			uint64_t pc, const struct derived_event *derived, size_t nr);

#endif
