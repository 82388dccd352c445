/* SPDX-License-Identifier: GPL-2.0-or-later */
/* walked.h - a thread in a stack of calls, and the frames found in a copy of it */
#ifndef TESTS_UNIT_LIBSAMPLER_WALKED_H
#define TESTS_UNIT_LIBSAMPLER_WALKED_H

#include "tests/unit/libsampler/stack.h"
#include "tests/unit/libsampler/target.h"

struct walked {
	struct target target;		/* first */
	struct stack stack;
	stack_run *run;
	struct walker *walker;
	struct walk_states states;
	struct sampler_frame frames[SAMPLING_FRAMES_MAX];
	size_t nr;
	enum sampler_status status;
};

__attribute__((unused)) static void walked_stay(void *context)
{
	target_stay(context);
}

__attribute__((unused)) static void walked_run(struct target *t)
{
	struct walked *w = (struct walked *)t;

	if (!w->stack.context)
		w->stack.context = w;
	w->stack.fd = t->go[0];
	w->stack.is_ready = (volatile int *)&t->is_ready;
	if (!w->stack.then)
		w->stack.then = walked_stay;
	w->run(&w->stack);
}

__attribute__((unused)) static void walked_start(struct walked *w, stack_run *run)
{
	w->run = run;
	modules_hold();
	CHECK(!walker_new(&w->walker), "a walker");
	target_start(&w->target, walked_run);
}

__attribute__((unused)) static void walked_walk(struct walked *w)
{
	struct sampler_frames frames = { w->frames, 0, SAMPLING_FRAMES_MAX };

	w->status = walker_walk(w->walker, &w->states, &w->target.result, &frames);
	w->nr = frames.nr;
}

__attribute__((unused)) static void walked_sample(struct walked *w, bool spare)
{
	struct copy_hook hooks[WALK_UNWINDERS_MAX];
	size_t nr = walker_prepare(w->walker, &w->states, hooks, WALK_UNWINDERS_MAX);

	target_copy_hooked(&w->target, spare, hooks, nr);
	modules_update();
	walked_walk(w);
}

/* Check that the stack's calls are adjacent frames. Returns the index of the first, or -1. */
__attribute__((unused)) static int walked_find(const struct walked *w)
{
	for (size_t i = 0; i + STACK_LINKS <= w->nr; i++) {
		int n = 0;

		while (n < STACK_LINKS &&
		       w->frames[i + n].address == w->stack.from[STACK_LINKS - 1 - n])
			n++;
		if (n == STACK_LINKS)
			return i;
	}
	return -1;
}

__attribute__((unused)) static void walked_tell(const struct walked *w)
{
	printf("# status %d\n", w->status);
	for (size_t i = 0; i < w->nr; i++) {
		const struct sampler_frame *f = &w->frames[i];

		printf("# %zu %#lx %s+%#lx\n", i, f->address, f->module ? f->module->path : "-",
		       f->address - (f->module ? f->module->base : 0));
	}
}

/* The whole stack, up to the outermost function. */
__attribute__((unused)) static bool walked_is_whole(const struct walked *w)
{
	bool is_whole = w->status == SAMPLER_WHOLE && walked_find(w) > 0;

	if (!is_whole)
		walked_tell(w);
	return is_whole;
}

__attribute__((unused)) static void walked_end(struct walked *w)
{
	target_end(&w->target);
	walker_free(w->walker);
	walk_states_free(&w->states);
	modules_release();
}

#endif
