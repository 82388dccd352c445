// SPDX-License-Identifier: GPL-2.0-or-later
/* walk.c - several unwinders, and frame pointers on made-up stacks */
#include <errno.h>
#include "libsampler/copy/registers.h"
#include "libsampler/unwind/unwinders.h"
#include "tests/unit/libsampler/walked.h"

/* --- frame pointers --- */

#define WORDS 12
static _Alignas(16) uintptr_t words[WORDS];
static struct sampler_stack stack;
static struct sampler_registers regs;
static struct sampler_frame room[8];
static struct sampler_frames frames;

static void here(void) {}

#define NATIVE ((uintptr_t)here + 1)
#define MADE 0x1800
#define NOTHING 0x10
#define AT(n) ((uintptr_t)&words[n])

/* In here(), with fp at @fp. */
static void begin(uintptr_t fp)
{
	modules_update();
	stack = (struct sampler_stack){ .low = AT(0), .high = AT(WORDS), .copy = words };
	memset(&regs, 0, sizeof(regs));
	register_set(&regs, REGISTER_PC, NATIVE);
	register_set(&regs, REGISTER_SP, AT(2));
	register_set(&regs, REGISTER_FP, fp);
	frames = (struct sampler_frames){ room, 0, 8 };
	sampler_add_frame(&frames, regs.pc);
}

static void record(int at, uintptr_t next, uintptr_t address)
{
	words[at] = next;
	words[at + 1] = address;
}

/* As long as frames are found. */
static enum sampler_unwound follow(void)
{
	enum sampler_unwound how;
	size_t before;

	do {
		before = frames.nr;
		how = unwind_frame_pointer.unwind(NULL, NULL, &regs, &stack, &frames);
	} while (how == SAMPLER_UNRECOGNIZED && frames.nr > before &&
		 unwind_frame_pointer.can_unwind(NULL, &room[frames.nr - 1]));
	return how;
}

TEST(a_regular_stack_of_frame_pointers)
{
	begin(AT(4));
	record(4, AT(8), NATIVE);
	record(8, 0, NATIVE + 1);
	CHECK(follow() == SAMPLER_COMPLETED, "to its end");
	CHECK(frames.nr == 3 && room[1].address == NATIVE && room[2].address == NATIVE + 1,
	      "%zu frames", frames.nr);
	CHECK(!room[1].is_interrupted && regs.sp == AT(10), "sp");
}

TEST(frame_pointers_outside_of_the_stack)
{
	const uintptr_t wrong[] = { AT(0) /* below sp */, AT(0) - 16, AT(WORDS), AT(WORDS) + 16,
				    AT(4) + 8, AT(4) + 1, UINTPTR_MAX - 15, 16 };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		begin(wrong[i]);
		record(0, AT(4), NATIVE);
		record(4, 0, NATIVE);
		CHECK(follow() == SAMPLER_ABORTED && frames.nr == 1, "%zu: %zu frames", i,
		      frames.nr);
	}
	/* a record with only one word in the copy */
	begin(AT(WORDS - 2));
	stack.high -= 8;
	CHECK(follow() == SAMPLER_ABORTED && frames.nr == 1, "half of one");
}

TEST(frame_pointers_that_point_to_themselves)
{
	begin(AT(4));
	record(4, AT(4), NATIVE);
	CHECK(follow() == SAMPLER_ABORTED && frames.nr == 1, "%zu frames", frames.nr);
}

TEST(frame_pointers_in_a_cycle)
{
	begin(AT(4));
	record(4, AT(8), NATIVE);
	record(8, AT(4), NATIVE);
	CHECK(follow() == SAMPLER_ABORTED && frames.nr == 2, "%zu frames", frames.nr);
}

TEST(a_return_address_outside_of_modules)
{
	begin(AT(4));
	record(4, AT(8), NOTHING);
	CHECK(follow() == SAMPLER_ABORTED && frames.nr == 1, "%zu frames", frames.nr);
	/* the outermost record may be followed by anything */
	begin(AT(4));
	record(4, 0, NOTHING);
	CHECK(follow() == SAMPLER_COMPLETED && frames.nr == 1, "%zu frames", frames.nr);
}

TEST(zero_ends_only_a_list_of_records)
{
	begin(0);
	register_set(&regs, 0, 1);	/* all registers known, as in an interrupted frame */
	CHECK(follow() == SAMPLER_ABORTED && frames.nr == 1, "of code without frame pointers");
	begin(AT(4));
	regs.known &= ~(1ull << REGISTER_FP);
	record(4, 0, NATIVE);
	CHECK(follow() == SAMPLER_ABORTED && frames.nr == 1, "of a register that is not known");
}

/* Code without a file may use fp in its own way, so its frames are left to other unwinders. */
TEST(frame_pointers_into_jit_code)
{
	struct sampler_module made = { .start = 0x1000, .limit = 0x2000, .path = "made" };
	const uintptr_t next[] = { AT(8), AT(8) + 8, AT(8) + 1 };

	CHECK(!sampler_module_add(&made), "added");
	for (size_t i = 0; i < sizeof(next) / sizeof(next[0]); i++) {
		begin(AT(4));
		record(4, next[i], MADE);
		CHECK(follow() == SAMPLER_UNRECOGNIZED && frames.nr == 2, "%zu frames", frames.nr);
		CHECK(regs.pc == MADE && regs.fp == next[i] && regs.sp == AT(6), "to go on from");
	}
	CHECK(!unwind_frame_pointer.can_unwind(NULL, &room[1]), "not by this one");
}

TEST(number_of_frames_is_limited)
{
	begin(AT(4));
	frames.room = 2;
	record(4, AT(6), NATIVE);
	record(6, AT(8), NATIVE);
	CHECK(follow() == SAMPLER_ABORTED && frames.nr == 2, "%zu frames", frames.nr);
}

/* --- several unwinders --- */

static struct walked w;

/* What an added unwinder does, and what it has recorded. */
struct aux {
	enum sampler_unwound how[4];
	uintptr_t address[4];		/* of the frames it finds; 0 ends them */
	bool keeps_sp, has_state;
	int nr_calls, captured;
	struct sampler_registers next;	/* unless next.known is 0 */
};

static bool is_made(void *context, const struct sampler_frame *from)
{
	(void)context;
	return from->module && !from->module->is_native;
}

static size_t state_size(void *context)
{
	(void)context;
	return sizeof(int);
}

static void capture(void *context, void *state)
{
	const struct aux *a = context;

	*(int *)state = 1000 + a->captured;
}

static enum sampler_unwound unwind(void *context, void *state, struct sampler_registers *r,
				   const struct sampler_stack *s, struct sampler_frames *f)
{
	struct aux *a = context;
	int n = a->nr_calls++;

	(void)s;
	a->has_state = state && *(int *)state == 1000 + a->captured;
	if (a->next.known)
		*r = a->next;
	else if (!a->keeps_sp)
		register_set(r, REGISTER_SP, r->sp + 16);
	if (n < 4 && a->address[n])
		sampler_add_frame(f, a->address[n]);
	return n < 4 ? a->how[n] : SAMPLER_ABORTED;
}

static const struct sampler_unwinder_ops aux_ops = {
	.size = sizeof(aux_ops),
	.state_size = state_size,
	.capture = capture,
	.can_unwind = is_made,
	.unwind = unwind,
};

/* A walk of JIT code. */
static enum sampler_status walk_made(struct aux *a, size_t nr)
{
	struct sampler_module made = { .start = 0x1000, .limit = 0x2000, .path = "made" };
	struct copy_hook hooks[WALK_UNWINDERS_MAX];
	struct stack_copy copy = { .status = SAMPLER_WHOLE };
	struct walk_states states = { .nr = 0 };
	struct walker *walker;
	enum sampler_status status;

	modules_hold();
	CHECK(!sampler_module_add(&made) && !walker_new(&walker), "ready");
	begin(AT(4));
	memset(words, 0, sizeof(words));
	register_set(&regs, REGISTER_PC, MADE);
	copy.regs = regs;
	copy.stack = stack;
	for (size_t i = 0; i < nr; i++)
		CHECK(!walker_add(walker, &aux_ops, &a[i]), "added");
	CHECK(walker_prepare(walker, &states, hooks, WALK_UNWINDERS_MAX) == nr, "hooks");
	for (size_t i = 0; i < nr; i++)
		hooks[i].run(hooks[i].context);
	status = walker_walk(walker, &states, &copy, &frames);
	walker_free(walker);
	walk_states_free(&states);
	CHECK(!sampler_module_remove(0x1000), "removed");
	modules_release();
	return status;
}

TEST(an_added_unwinder_completes_it)
{
	struct aux a = { .how = { SAMPLER_UNRECOGNIZED, SAMPLER_COMPLETED },
			 .address = { MADE + 1, MADE + 2 } };

	CHECK(walk_made(&a, 1) == SAMPLER_WHOLE, "complete");
	CHECK(frames.nr == 3 && room[0].address == MADE && room[2].address == MADE + 2,
	      "%zu frames", frames.nr);
	CHECK(a.has_state, "with what it captured");
}

TEST(an_added_unwinder_gives_up)
{
	struct aux a = { .how = { SAMPLER_UNRECOGNIZED, SAMPLER_ABORTED },
			 .address = { MADE + 1 } };

	CHECK(walk_made(&a, 1) == SAMPLER_BROKEN && frames.nr == 2, "%zu frames", frames.nr);
}

TEST(nobody_can_unwind)
{
	struct aux a = { .how = { SAMPLER_UNRECOGNIZED, SAMPLER_UNRECOGNIZED } };

	CHECK(walk_made(NULL, 0) == SAMPLER_BROKEN && frames.nr == 1, "without any");
	CHECK(walk_made(&a, 1) == SAMPLER_BROKEN && frames.nr == 1 && a.nr_calls == 1,
	      "asked %d times", a.nr_calls);
}

TEST(the_latest_is_tried_first_then_the_next)
{
	struct aux a[] = { { .how = { SAMPLER_COMPLETED }, .address = { MADE + 1 }, .captured = 1 },
			   { .how = { SAMPLER_UNRECOGNIZED }, .captured = 2 } };

	CHECK(walk_made(a, 2) == SAMPLER_WHOLE && frames.nr == 2, "%zu frames", frames.nr);
	CHECK(a[1].nr_calls == 1 && a[0].nr_calls == 1, "both were asked");
	CHECK(a[0].has_state && a[1].has_state, "each has its own state");
}

TEST(the_stack_pointer_must_rise)
{
	struct aux a = { .how = { SAMPLER_UNRECOGNIZED, SAMPLER_UNRECOGNIZED },
			 .address = { MADE + 1, MADE + 2 }, .keeps_sp = true };

	CHECK(walk_made(&a, 1) == SAMPLER_BROKEN && a.nr_calls == 2, "%d calls", a.nr_calls);
}

TEST(more_than_eight_are_refused)
{
	struct walker *walker;
	struct aux a = { .nr_calls = 0 };

	CHECK(!walker_new(&walker), "a walker");
	for (int i = 0; i < WALK_UNWINDERS_MAX; i++)
		CHECK(!walker_add(walker, &aux_ops, &a), "%d", i);
	CHECK(walker_add(walker, &aux_ops, &a) == -ENOSPC, "one too many");
	walker_free(walker);
}

/* JIT code that real code has called. */
TEST(an_added_unwinder_and_then_call_frame_information)
{
	struct sampler_module made = { .start = 0x1000, .limit = 0x2000, .path = "made" };
	struct aux a = { .how = { SAMPLER_UNRECOGNIZED } };

	walked_start(&w, stack_without_frame_pointers);
	CHECK(!sampler_module_add(&made) && !walker_add(w.walker, &aux_ops, &a), "ready");
	walked_sample(&w, false);
	a.next = w.target.result.regs;
	a.address[0] = a.next.pc;
	/* with an additional frame on top */
	register_set(&w.target.result.regs, REGISTER_PC, MADE);
	register_set(&w.target.result.regs, REGISTER_SP, a.next.sp - 16);
	walked_walk(&w);
	CHECK(walked_is_whole(&w) && a.nr_calls == 1, "to the outermost function");
	CHECK(w.frames[0].address == MADE && w.frames[1].address == a.address[0], "from it on");
	walked_end(&w);
}

/* By frame pointers, like JIT code. */
static enum sampler_unwound unwind_record(void *context, void *state, struct sampler_registers *r,
					  const struct sampler_stack *s, struct sampler_frames *f)
{
	uintptr_t next, address;

	(void)state;
	++*(int *)context;
	if (!sampler_stack_word(s, r->fp, &next) || !sampler_stack_word(s, r->fp + 8, &address))
		return SAMPLER_ABORTED;
	register_set(r, REGISTER_SP, r->fp + 16);
	register_set(r, REGISTER_FP, next);
	register_set(r, REGISTER_PC, address);
	sampler_add_frame(f, address);
	return SAMPLER_UNRECOGNIZED;
}

TEST(call_frame_information_then_an_added_unwinder_and_back)
{
	static const struct sampler_unwinder_ops ops = { .size = sizeof(ops),
							 .can_unwind = is_made,
							 .unwind = unwind_record };
	struct sampler_module made = { .path = "made" };
	int nr_calls = 0;

	walked_start(&w, stack_with_frame_pointers);
	/* declare the call in the outermost function to be JIT code */
	made.start = w.stack.from[1] - 1;
	made.limit = w.stack.from[1];
	CHECK(!sampler_module_add(&made) && !walker_add(w.walker, &ops, &nr_calls), "ready");
	walked_sample(&w, false);
	CHECK(walked_is_whole(&w) && nr_calls == 1, "%d frames by it", nr_calls);
	walked_end(&w);
}

TEST_MAIN()
