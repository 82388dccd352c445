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

struct walker {
	/* tried from the last to the first */
	struct walk_unwinder unwinders[NR_BUILT_IN + WALK_UNWINDERS_MAX];
	size_t nr;
	bool has_guessed;		/* in this walk: callers may be missing */
};

static void put(struct walker *w, const struct sampler_unwinder_ops *ops, void *context)
{
	w->unwinders[w->nr++] = (struct walk_unwinder){ .ops = ops, .context = context };
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
	for (size_t i = 0; i < w->nr; i++)
		if (w->unwinders[i].ops->free)
			w->unwinders[i].ops->free(w->unwinders[i].context);
	free(w);
}

void walk_states_free(struct walk_states *states)
{
	for (size_t i = 0; i < states->nr; i++)
		free(states->list[i].state);
	states->nr = 0;
}

IN_HANDLER static void capture(void *context)
{
	const struct walk_state *s = context;

	s->of.ops->capture(s->of.context, s->state);
}

static bool make_room(struct walk_state *s)
{
	size_t size = s->of.ops->state_size ? s->of.ops->state_size(s->of.context) : 0;
	void *state;

	if (size <= s->room)
		return true;
	state = realloc(s->state, size);
	if (!state)
		return false;
	s->state = state;
	s->room = size;
	return true;
}

/* Unwinders are only added, so each keeps its place. */
size_t walker_prepare(struct walker *w, struct walk_states *states, struct copy_hook *hooks,
		      size_t room)
{
	size_t nr = 0;

	for (; states->nr < w->nr - NR_BUILT_IN; states->nr++)
		states->list[states->nr] = (struct walk_state){
			.of = w->unwinders[NR_BUILT_IN + states->nr] };
	for (size_t i = 0; i < states->nr; i++) {
		struct walk_state *s = &states->list[i];

		s->is_skipped = !make_room(s);
		if (s->is_skipped || !s->of.ops->capture)
			continue;
		s->is_skipped = nr == room;
		if (!s->is_skipped)
			hooks[nr++] = (struct copy_hook){ capture, s };
	}
	return nr;
}

static const struct walk_state *state_of(const struct walk_states *states, size_t i)
{
	return states && i >= NR_BUILT_IN && i - NR_BUILT_IN < states->nr
	       ? &states->list[i - NR_BUILT_IN] : NULL;
}

/* One that has something to capture, and did not, is passed over. */
static bool can_unwind(const struct walk_unwinder *u, const struct walk_state *s,
		       const struct sampler_frame *from)
{
	if (s ? s->is_skipped : u->ops->capture != NULL)
		return false;
	return !u->ops->can_unwind || u->ops->can_unwind(u->context, from);
}

/* Frame pointers were used for a function that may have none, because its rules are unknown. */
static bool is_guess(const struct walk_unwinder *u, const struct sampler_frame *from)
{
	return u->ops == &unwind_frame_pointer && from->module &&
	       atomic_load(&module_of(from->module)->is_unread);
}

/* Find one or more frames with the first unwinder that can; none if it is UNRECOGNIZED to all. */
static enum sampler_unwound step(struct walker *w, const struct walk_states *states,
				 struct sampler_registers *regs,
				 const struct sampler_stack *stack, struct sampler_frames *frames)
{
	size_t before = frames->nr;
	uintptr_t sp = regs->sp;

	for (size_t i = w->nr; i-- > 0;) {
		const struct walk_unwinder *u = &w->unwinders[i];
		const struct walk_state *s = state_of(states, i);
		enum sampler_unwound how;

		if (!can_unwind(u, s, &frames->frames[before - 1]))
			continue;
		how = u->ops->unwind(u->context, s ? s->state : NULL, regs, stack, frames);
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

enum sampler_status walker_walk(struct walker *w, const struct walk_states *states,
				const struct stack_copy *copy, struct sampler_frames *frames)
{
	struct sampler_registers regs = copy->regs;
	enum sampler_unwound how = SAMPLER_UNRECOGNIZED;

	frames->nr = 0;
	w->has_guessed = false;
	if (copy->status >= SAMPLER_BLOCKED)
		return copy->status;
	if (!sampler_add_frame(frames, regs.pc))
		return SAMPLER_DEPTH;
	if (copy->status == SAMPLER_FOREIGN_STACK)
		return copy->status;
	while (how == SAMPLER_UNRECOGNIZED && frames->nr < frames->room)
		how = step(w, states, &regs, &copy->stack, frames);
	if (how == SAMPLER_COMPLETED)
		return w->has_guessed ? SAMPLER_BROKEN : SAMPLER_WHOLE;
	if (frames->nr == frames->room)
		return SAMPLER_DEPTH;
	if (copy->status == SAMPLER_BUFFER)
		return copy->status;
	return register_is_known(&copy->regs, REGISTER_FP) ? SAMPLER_BROKEN : SAMPLER_PARTIAL;
}
