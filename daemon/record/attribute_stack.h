/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attribute_stack.h - a stack's place in the stack store, and which arcs it counts for
 *
 * The rules are numbered as in doc/event-buffer.md; attribute.h has those for samples.
 * [EB-75] callers ([EB-40]) are not samples, and a stack counts only if its sample is recorded;
 * [EB-78] with --call-arcs each two neighbors in a stack are an arc, counted under the leaf's event
 *         in a {cg} file of the caller's image, which is filed as a sample of the caller would be
 *         [EB-73]; arcs from user mode into the kernel too. There is none if one end has no known
 *         place, nor from another image into a build that is not the first of its path [SS-61].
 *         Otherwise reports make the arcs from the stack store (pp/select/stack_arcs.c);
 * [EB-79] with --image= arcs are always counted in {cg} files, and left out unless both ends are
 *         recorded [EB-74], because the stack store does not have which frames were asked for;
 * [EB-80] the whole stack goes into the session's stack store, separated as --separate says, with
 *         callers at their calls: one less than where they return to. An incomplete one without
 *         its outermost frames begins with the process's program [ST-15]. The store holds at most
 *         256 MB, because its index is kept in memory and anybody can make up new stacks. Then
 *         stacks that it has are still counted, and others are stacks_lost;
 * [EB-81] the stack of an extended sample is filed for every event that is derived from it, with
 *         its weight [EB-77], and counted once.
 */
#ifndef DAEMON_RECORD_ATTRIBUTE_STACK_H
#define DAEMON_RECORD_ATTRIBUTE_STACK_H

#include "daemon/record/attribute.h"
#include "daemon/record/comms.h"
#include "daemon/record/stacks.h"

struct stack_attribution;

/* @comms is used with separate.thread only. Of @stacks, by kind, NULL is left out. */
struct stack_attribution *stack_attribution_new(const struct attribution_config *config,
						struct comms *comms,
						struct stacks *const stacks[NR_STACKS]);
void stack_attribution_free(struct stack_attribution *a);

void stack_attribution_forget_images(struct stack_attribution *a);	/* image.h, likewise */

/* The stack() of trans_ops; the leaf is passed to attribute_samples() first. */
void attribute_stack(void *stack_attribution, const struct trans_state *leaf,
		     const struct trans_frame *frames, size_t nr, uint32_t counter,
		     unsigned int end);

/* The same for an extended sample, which was passed to attribute_extended() with @derived. */
void attribute_extended_stack(struct stack_attribution *a, const struct trans_state *leaf,
			      const struct trans_frame *frames, size_t nr,
			      const struct derived_event *derived, size_t nr_derived,
			      unsigned int end);

/* The place of a recorded sample. */
struct sample_place {
	struct image *image;		/* NULL: in @map */
	const struct anon_map *map;
	uint64_t key;
};

/*
 * Add @count samples that have no stack to the history, as stacks of one frame. Nothing is done
 * without a history.
 */
void attribute_single(struct stack_attribution *a, const struct trans_state *state,
		      const struct sample_place *at, uint32_t counter, uint64_t count);

/* Samples that the history could not keep, since the start. */
uint64_t stack_attribution_not_kept(const struct stack_attribution *a);

#endif
