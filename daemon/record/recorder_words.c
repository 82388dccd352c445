// SPDX-License-Identifier: GPL-2.0-or-later
/* recorder_words.c - what becomes of what the decoder found in the words */
#include "daemon/record/ibs.h"
#include "daemon/record/recorder_private.h"


static void module_range(void *context, bool loaded, uint64_t start, uint64_t size,
			 const char *name)
{
	struct recorder *r = context;

	kernel_module_range(r->kernel, loaded, start, size, name);
}

static void module_loaded(void *context)
{
	struct recorder *r = context;

	kernel_read_modules(r->kernel);
	kernel_capture_due(r->kernel);
}

static void samples(void *context, const struct trans_state *state, bool changed,
		    const uint64_t *pcs, const uint32_t *counters, size_t nr)
{
	struct recorder *r = context;

	attribute_samples(r->attribution, state, changed, pcs, counters, nr);
}

static void stack(void *context, const struct trans_state *leaf, const struct trans_frame *frames,
		  size_t nr, uint32_t counter, unsigned int end)
{
	struct recorder *r = context;

	if (r->config.frame_pointers_only)
		end &= ~OP_STACK_FRAME_POINTERS;
	attribute_stack(r->attribution, leaf, frames, nr, counter, end);
}

/* Its file is told as it is resolved: unwind_push_file(). */
static void want_table(void *context, op_word cookie)
{
	struct recorder *r = context;

	if (!r->unwind_push)
		return;
	(void)cookie_image(r->cookies, cookie);
	unwind_push_want(r->unwind_push, cookie);
}

/* One that the CPU took, and could not say where, is received all the same. [EB-77] */
static void ibs(void *context, const struct trans_state *state, enum op_code code,
		const op_word *w)
{
	struct derived_event derived[EXT_EVENTS_MAX];
	struct recorder *r = context;
	int nr;

	if (!r->config.ext) {		/* nobody asked for any */
		stats_lost(&r->stats, state->cpu, LOST_STREAM, 1);
		return;
	}
	nr = ext_derive(r->config.ext, state, code, w, derived);
	if (nr == EXT_INVALID) {
		stats_lost(&r->stats, state->cpu, LOST_INVALID_PC, 1);
		return;
	}
	for (int i = 0; i < nr; i++)
		derived[i].event += r->config.nr_counters;
	attribute_extended(r->attribution, state, true, w[0], derived, nr);
}

const struct trans_ops recorder_ops = {
	.samples = samples,
	.module_range = module_range,
	.module_loaded = module_loaded,
	.ibs = ibs,
	.stack = stack,
	.want_table = want_table,
};
