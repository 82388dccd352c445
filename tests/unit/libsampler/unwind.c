// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unwind.c - frames of real threads up to their outermost function, with and without frame
 * pointers, and on stacks of all kinds
 */
#include <alloca.h>
#include <sys/mman.h>
#include <ucontext.h>
#include "tests/unit/libsampler/walked.h"

static struct walked w;

static void thousand_times(stack_run *run)
{
	int whole = 0;

	w.stack.bytes = 1000;
	walked_start(&w, run);
	for (int i = 0; i < 1000; i++) {
		walked_sample(&w, false);
		whole += w.status == SAMPLER_WHOLE && walked_find(&w) > 0;
	}
	CHECK(whole == 1000, "%d of 1000", whole);
	if (whole < 1000)
		walked_tell(&w);
	CHECK(w.frames[0].is_interrupted && !w.frames[1].is_interrupted, "the first one is");
	CHECK(w.frames[0].module && w.frames[w.nr - 1].module, "both have modules");
	walked_end(&w);
}

TEST(without_frame_pointers_to_the_outermost_function)
{
	thousand_times(stack_without_frame_pointers);
}

TEST(with_frame_pointers_to_the_outermost_function)
{
	thousand_times(stack_with_frame_pointers);
}

static atomic_bool is_over;

/* At any instruction: of the prologue, the epilogue, in between. */
static void call_about(struct target *t)
{
	struct walked *at = (struct walked *)t;

	atomic_store(&t->is_ready, 1);
	while (!atomic_load(&is_over))
		at->run(&at->stack);
}

static void nothing(void *context)
{
	(void)context;
}

static void sample_running(stack_run *run)
{
	int whole = 0;

	w.stack.then = nothing;
	w.run = run;
	modules_hold();
	CHECK(!walker_new(&w.walker), "a walker");
	target_start(&w.target, call_about);
	for (int i = 0; i < 1000; i++) {
		walked_sample(&w, false);
		whole += w.status == SAMPLER_WHOLE;
		if (w.status != SAMPLER_WHOLE)
			walked_tell(&w);
	}
	CHECK(whole == 1000, "%d of 1000", whole);
	atomic_store(&is_over, true);
	walked_end(&w);
}

TEST(at_any_instruction_without_frame_pointers)
{
	sample_running(stack_without_frame_pointers);
}

TEST(at_any_instruction_with_frame_pointers)
{
	sample_running(stack_with_frame_pointers);
}

/* --- signals --- */

static void in_handler(int signal)
{
	(void)signal;
	w.run(&w.stack);
}

static volatile int was_interrupted;

static void raise_it(struct target *t)
{
	struct sigaction action = { .sa_handler = in_handler, .sa_flags = t->value };
	static _Alignas(16) char bytes[64 << 10];
	stack_t stack = { .ss_sp = bytes, .ss_size = sizeof(bytes) };

	w.stack.context = t;
	w.stack.then = walked_stay;
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	was_interrupted = 1;
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
}

static void raise_on_alternate_stack(struct target *t)
{
	t->value = SA_ONSTACK;
	raise_it(t);
}

static int nr_interrupted(void)
{
	int nr = 0;

	for (size_t i = 0; i < w.nr; i++)
		nr += w.frames[i].is_interrupted;
	return nr;
}

TEST(through_a_signal_handler)
{
	w.run = stack_without_frame_pointers;
	modules_hold();
	CHECK(!walker_new(&w.walker), "a walker");
	target_start(&w.target, raise_it);
	walked_sample(&w, false);
	CHECK(walked_is_whole(&w), "handler and what it interrupted");
	CHECK(nr_interrupted() == 3, "%d frames were interrupted", nr_interrupted());
	walked_end(&w);
}

TEST(a_handler_on_an_alternate_stack)
{
	w.run = stack_without_frame_pointers;
	modules_hold();
	CHECK(!walker_new(&w.walker), "a walker");
	target_start(&w.target, raise_on_alternate_stack);
	walked_sample(&w, false);
	CHECK(walked_is_whole(&w), "handler and what it interrupted");
	CHECK(nr_interrupted() == 3, "%d frames were interrupted", nr_interrupted());
	/* also if the bounds of its stack are unknown */
	w.target.copy.thread.stack_low = w.target.copy.thread.stack_high = 0;
	walked_sample(&w, false);
	CHECK(walked_is_whole(&w) && nr_interrupted() == 3, "both stacks are found");
	walked_end(&w);
}

/* A handler that calls nothing: the caller of its first frame is the C library's trampoline. */
static atomic_bool is_spun;

static void spin_in_handler(int signal)
{
	(void)signal;
	atomic_store(&w.target.is_ready, 1);
	while (!atomic_load(&is_spun))
		;
}

static void raise_a_spin(struct target *t)
{
	struct sigaction action = { .sa_handler = spin_in_handler };

	(void)t;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
}

TEST(the_first_sample_of_a_walker_through_a_signal_handler)
{
	modules_hold();
	CHECK(!walker_new(&w.walker), "a walker");
	target_start(&w.target, raise_a_spin);
	walked_sample(&w, false);
	atomic_store(&is_spun, true);
	CHECK(w.status == SAMPLER_WHOLE && nr_interrupted() == 3, "status %d, %d interrupted",
	      w.status, nr_interrupted());
	if (nr_interrupted() != 3)
		walked_tell(&w);
	walked_end(&w);
}

/* --- coroutines --- */

static ucontext_t outside, inside;

static void coroutine(void)
{
	w.run(&w.stack);
}

static void run_coroutine(struct target *t)
{
	size_t size = 256 << 10;
	void *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	w.stack.context = t;
	w.stack.then = walked_stay;
	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = size;
	inside.uc_link = &outside;
	makecontext(&inside, coroutine, 0);
	swapcontext(&outside, &inside);
	munmap(stack, size);
}

TEST(a_coroutine_from_its_beginning)
{
	w.run = stack_without_frame_pointers;
	modules_hold();
	CHECK(!walker_new(&w.walker), "a walker");
	target_start(&w.target, run_coroutine);
	walked_sample(&w, false);
	CHECK(walked_is_whole(&w), "all of it");
	walked_end(&w);
}

/* --- without a signal --- */

static bool can_spare(void)
{
	walked_sample(&w, true);
	return !(w.target.result.regs.known >> 3 & 1);
}

static void sleeper(unsigned int skip_alloca, enum sampler_status expected)
{
	w.stack.skip_alloca = skip_alloca;
	w.stack.then = stack_read;
	w.stack.context = &w.stack;
	walked_start(&w, stack_without_frame_pointers);
	for (int i = 0; i < 10000 && !can_spare(); i++)
		usleep(1000);
	if (!can_spare())
		SKIP("/proc/PID/syscall cannot be read here");
	CHECK(w.status == expected, "status %d", w.status);
	if (w.status != expected)
		walked_tell(&w);
	CHECK(!skip_alloca || walked_find(&w) > 0, "the stack");
	CHECK(w.frames[0].module && w.nr > 2, "%zu frames", w.nr);
	walked_end(&w);
}

TEST(a_sleeper_whose_frames_are_found_by_sp)
{
	/*
	 * with sanitizers the library's frames are found by frame pointers, but not those of the
	 * stack
	 */
	sleeper(1, IS_CHECKED ? SAMPLER_PARTIAL : SAMPLER_WHOLE);
}

TEST(a_sleeper_is_partial_if_other_registers_are_needed)
{
	sleeper(0, SAMPLER_PARTIAL);
}

/* --- depth --- */

static void descend(int n)
{
	volatile char here[16] = { n };

	if (n)
		descend(n - 1);
	else
		target_stay(&w.target);
	here[1] = here[0];
}

static void run_deep(struct target *t)
{
	descend(t->copy.other_low ? 0 : 3000);
}

TEST(too_deep_a_stack)
{
	modules_hold();
	CHECK(!walker_new(&w.walker), "a walker");
	target_start(&w.target, run_deep);
	walked_sample(&w, false);
	CHECK(w.status == SAMPLER_DEPTH && w.nr == SAMPLING_FRAMES_MAX, "status %d, %zu frames",
	      w.status, w.nr);
	walked_end(&w);
}

/* --- the vdso --- */

static void ask_the_time(struct target *t)
{
	struct timespec now;

	atomic_store(&t->is_ready, 1);
	while (!atomic_load(&is_over))
		clock_gettime(CLOCK_MONOTONIC, &now);
}

TEST(out_of_the_vdso)
{
	int in_vdso = 0, whole = 0;

	modules_hold();
	CHECK(!walker_new(&w.walker), "a walker");
	target_start(&w.target, ask_the_time);
	for (int i = 0; i < 500; i++) {
		walked_sample(&w, false);
		if (w.nr && w.frames[0].module && !strcmp(w.frames[0].module->path, "[vdso]")) {
			in_vdso++;
			whole += w.status == SAMPLER_WHOLE;
		}
	}
	atomic_store(&is_over, true);
	walked_end(&w);
	if (!in_vdso)
		SKIP("the time does not come from the vdso here");
	CHECK(whole == in_vdso, "%d of %d", whole, in_vdso);
}

/* --- children --- */

TEST(a_child_can_free_its_walker)
{
	int status = -1;
	pid_t child;

	walked_start(&w, stack_without_frame_pointers);
	walked_sample(&w, false);
	child = fork();
	if (!child) {
		walker_free(w.walker);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && !status, "status %x", status);
	walked_sample(&w, false);
	CHECK(walked_is_whole(&w), "the parent's works on");
	walked_end(&w);
}

TEST_MAIN()
