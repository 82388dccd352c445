// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * metadata_past.c - labels for samples that are already taken [SM-53]
 *
 * The sampling thread passes them to the builders, so they come after the samples they are for.
 */
#include <errno.h>
#include <stdlib.h>
#include "libsampler/profiler.h"

struct past {
	struct sampling_job job;
	struct sampler_metadata item;
	uint64_t from_ns, to_ns;
};

static void pass_to_builder(struct sampler_profiler *p, void *context)
{
	struct past *past = context;

	if (!p->builder_ops.metadata_past || !p->has_begun || past->from_ns < p->summary.start_ns)
		return;
	p->builder_ops.metadata_past(p->builder, &past->item, past->from_ns, past->to_ns);
}

static void run(struct sampling_job *job)
{
	struct past *past = container_of(job, struct past, job);

	profiler_each_running(pass_to_builder, past);
	free(past);
}

int sampler_metadata_apply_past(const struct sampler_metadata *item, uint64_t from_ns,
				uint64_t to_ns)
{
	struct past *past;
	int err;

	if (from_ns > to_ns || to_ns > sampling_clock->now())
		return -EINVAL;
	past = calloc(1, sizeof(*past));
	if (!past)
		return -ENOMEM;
	past->item = *item;
	past->item.name = metadata_name(item->name);
	past->from_ns = from_ns;
	past->to_ns = to_ns;
	past->job.run = run;
	err = past->item.name ? 0 : -ENOSPC;

	sampling_lock();
	if (!err && profiler_any_running()) {
		sampling_queue(&past->job, 0);
		past = NULL;
	}
	sampling_unlock();
	free(past);
	return err;
}
