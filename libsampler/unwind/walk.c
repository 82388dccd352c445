// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * walk.c - find the frames in the copy of a stack with several unwinders
 *
 * At each frame the first unwinder for its kind of code continues; if it cannot, the next one does.
 * Unwinders that the program added come first, then call frame information, then frame pointers.
 * [SM-43]
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libsampler/copy/copy.h"
#include "libsampler/copy/registers.h"
#include "libsampler/unwind/module.h"
#include "libsampler/unwind/unwinders.h"

#define NR_BUILT_IN	2

struct unwinder {
	struct walk_unwinder of;
	size_t state_room;
	bool is_skipped;		/* in this walk, for lack of memory for its state */
};

struct walker {
	/* tried from the last to the first */
	struct unwinder unwinders[NR_BUILT_IN + WALK_UNWINDERS_MAX];
	size_t nr;
	bool has_guessed;		/* in this walk: callers may be missing */
};

static void put(struct walker *w, const struct sampler_unwinder_ops *ops, void *context)
{
	w->unwinders[w->nr++] = (struct unwinder){ .of = { .ops = ops, .context = context } };
}

int walker_new(struct walker **ret)
{
	struct walker *w = calloc(1, sizeof(*w));
	void *dwarf;
	int err;

	if (!w)
		return -ENOMEM;
	err = unwind_dwarf_new(&dwarf);
	if (err) {
		free(w);
		return err;
	}
	put(w, &unwind_frame_pointer, NULL);
	put(w, &unwind_dwarf, dwarf);
	*ret = w;
	return 0;
}

int walker_add(struct walker *w, const struct sampler_unwinder_ops *ops, void *context)
{
	if (w->nr == NR_BUILT_IN + WALK_UNWINDERS_MAX)
		return -ENOSPC;
	put(w, ops, context);
	return 0;
}

void walker_free(struct walker *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->nr; i++) {
		const struct walk_unwinder *u = &w->unwinders[i].of;

		if (u->ops->free)
			u->ops->free(u->context);
		free(u->state);
	}
	free(w);
}

IN_HANDLER static void capture(void *context)
{
	const struct walk_unwinder *u = context;

	u->ops->capture(u->context, u->state);
}

static bool make_state(struct unwinder *u)
{
	size_t size = u->of.ops->state_size ? u->of.ops->state_size(u->of.context) : 0;
	void *state;

	if (size <= u->state_room)
		return true;
	state = realloc(u->of.state, size);
	if (!state)
		return false;
	u->of.state = state;
	u->state_room = size;
	return true;
}

size_t walker_prepare(struct walker *w, struct copy_hook *hooks, size_t room)
{
	size_t nr = 0;

	for (size_t i = 0; i < w->nr; i++) {
		struct unwinder *u = &w->unwinders[i];

		u->is_skipped = !make_state(u);
		if (u->is_skipped || !u->of.ops->capture)
			continue;
		u->is_skipped = nr == room;
		if (!u->is_skipped)
			hooks[nr++] = (struct copy_hook){ capture, &u->of };
	}
	return nr;
}

static bool can_unwind(const struct unwinder *u, const struct sampler_frame *from)
{
	return !u->is_skipped &&
	       (!u->of.ops->can_unwind || u->of.ops->can_unwind(u->of.context, from));
}

/* Frame pointers were used for a function that may have none, because its rules are unknown. */
static bool is_guess(const struct unwinder *u, const struct sampler_frame *from)
{
	return u->of.ops == &unwind_frame_pointer &&
	       atomic_load(&module_of(from->module)->is_unread);
}

/* Find one or more frames with the first unwinder that can; none if it is UNRECOGNIZED to all. */
static enum sampler_unwound step(struct walker *w, struct sampler_registers *regs,
				 const struct sampler_stack *stack, struct sampler_frames *frames)
{
	size_t before = frames->nr;
	uintptr_t sp = regs->sp;

	for (size_t i = w->nr; i-- > 0;) {
		const struct unwinder *u = &w->unwinders[i];
		enum sampler_unwound how;

		if (!can_unwind(u, &frames->frames[before - 1]))
			continue;
		how = u->of.ops->unwind(u->of.context, u->of.state, regs, stack, frames);
		w->has_guessed |= is_guess(u, &frames->frames[before - 1]);
		if (how != SAMPLER_UNRECOGNIZED)
			return how;
		if (frames->nr == before)
			continue;
		/* a leaf function may have nothing on the stack */
		return regs->sp > sp || (regs->sp == sp && before == 1) ? how : SAMPLER_ABORTED;
	}
	return SAMPLER_ABORTED;
}

enum sampler_status walker_walk(struct walker *w, const struct stack_copy *copy,
				struct sampler_frames *frames)
{
	struct sampler_registers regs = copy->regs;
	enum sampler_unwound how = SAMPLER_UNRECOGNIZED;

	frames->nr = 0;
	w->has_guessed = false;
	if (copy->status >= SAMPLER_BLOCKED)
		return copy->status;
	if (!sampler_add_frame(frames, regs.pc))
		return SAMPLER_DEPTH;
	if (copy->status != SAMPLER_WHOLE)
		return copy->status;
	while (how == SAMPLER_UNRECOGNIZED && frames->nr < frames->room)
		how = step(w, &regs, &copy->stack, frames);
	if (how == SAMPLER_COMPLETED)
		return w->has_guessed ? SAMPLER_BROKEN : SAMPLER_WHOLE;
	if (frames->nr == frames->room)
		return SAMPLER_DEPTH;
	return register_is_known(&copy->regs, REGISTER_FP) ? SAMPLER_BROKEN : SAMPLER_PARTIAL;
}
