// SPDX-License-Identifier: GPL-2.0-or-later
/* stacks.c - stacks: from words to {cg} files and the stack store */
#include "tests/unit/daemon/record/stacks.h"

/* f is called by main and calls a library function, but does not call itself. */
TEST(arcs_and_the_stack)
{
	struct recorder *r;
	struct cpu_counts c;

	test_prepare();
	put_calls(3);
	r = test_open();
	test_drain(r);
	CHECK_FILE("current", CG(APP_AT, APP_AT, LIB_AT), ARC(0x20, 0x100), 3, 3);
	CHECK_FILE("current", CG(APP_AT, APP_AT, APP_AT), ARC(0x30, 0x1f), 3, 3);
	check_files(CG(APP_AT, APP_AT, APP_AT) "\n" CG(APP_AT, APP_AT, LIB_AT) "\n"
		    LIB_AT "/{dep}/" LIB_AT "/" ALL "\n");
	CHECK_STACKS("current", "3 TIMER x.so+100 app+1f app+2f complete\n");
	c = test_totals(r);
	CHECK(c.recorded == 3 && c.stacks[OP_STACK_COMPLETE] == 3 && !c.stacks_lost, "counted");
	test_close(r);
}

TEST(recursion)
{
	struct recorder *r;

	test_prepare();
	put_task();
	fake_stack(&fake);
	fake_cookie(&fake, APP);
	fake_sample(&fake, 0x100, 0);
	fake_caller(&fake, 0x108);
	fake_caller(&fake, 0x108);
	fake_caller(&fake, 0x108);
	fake_caller(&fake, 0x200);
	fake_stack_end(&fake, OP_STACK_TRUNCATED | OP_STACK_FRAME_POINTERS);
	r = test_open();
	test_drain(r);
	CHECK_FILE("current", CG(APP_AT, APP_AT, APP_AT), ARC(0x108, 0x100), 1, 4);
	CHECK_FILE("current", CG(APP_AT, APP_AT, APP_AT), ARC(0x108, 0x107), 2, 4);
	CHECK_FILE("current", CG(APP_AT, APP_AT, APP_AT), ARC(0x200, 0x107), 1, 4);
	CHECK(test_totals(r).stacks_guessed == 1, "guessed");
	test_close(r);
}

static void put_ended(unsigned int end)
{
	fake_stack(&fake);
	fake_cookie(&fake, LIB);
	fake_sample(&fake, 0x100, 0);
	fake_caller(&fake, 0x20);
	fake_caller(&fake, 0x30);
	fake_stack_end(&fake, end);
}

/* Below the program, unless its outermost frames are known. [ST-15] */
TEST(incomplete_stacks)
{
	struct recorder *r;

	test_prepare();
	put_task();
	put_ended(OP_STACK_NO_TABLE);
	put_ended(OP_STACK_UNKNOWN);
	put_ended(OP_STACK_TRUNCATED | 1 << OP_STACK_OUTER_SHIFT);
	r = test_open();
	test_drain(r);
	CHECK_STACKS("current", "1 TIMER x.so+100 x.so+1f x.so+2f app+0 no_table\n"
				"1 TIMER x.so+100 x.so+1f x.so+2f untold\n"
				"1 TIMER x.so+100 x.so+1f x.so+2f truncated\n");
	test_close(r);
}

/* The kernel, a library, two mappings and a program in one stack. */
static void put_long_stack(void)
{
	put_task();
	put_mixed_callers();
	fake_cookie(&fake, APP);
	fake_caller(&fake, 0x51);
	fake_stack_end(&fake, OP_STACK_COMPLETE);
}

TEST(from_user_into_the_kernel)
{
	struct recorder *r;

	test_prepare();
	put_long_stack();
	r = test_open();
	test_drain(r);
	CHECK_FILE("current", CG(KERNEL, KERNEL, KERNEL),
		   ARC(KERNEL_PC + 0x100, KERNEL_PC), 1, 1);
	CHECK_FILE("current", CG(LIB_AT, LIB_AT, KERNEL), ARC(0x41, KERNEL_PC + 0xff), 1, 1);
	CHECK_FILE("current", CG(APP_AT, HEAP, LIB_AT), ARC(0x11, 0x40), 1, 1);
	CHECK_FILE("current", CG(APP_AT, JIT, HEAP), ARC(1, 0x10), 1, 1);
	CHECK_FILE("current", CG(APP_AT, APP_AT, JIT), ARC(0x51, 0), 1, 1);
	CHECK_STACKS("current", "1 TIMER no-vmlinux+ffffffff81000100 no-vmlinux+ffffffff810001ff"
		     " x.so+40 [heap]+10 anon+0 app+50 complete\n");
	test_close(r);
}

/* The header of a {cg} file describes both ends. */
TEST(headers_of_arc_files)
{
	struct sample_header h;
	struct op_error e = { "" };
	struct recorder *r;
	size_t size;

	test_prepare();
	put_long_stack();
	r = test_open();
	test_drain(r);
	CHECK(!sample_header_read(tmpdir_path("samples/current/" CG(LIB_AT, LIB_AT, KERNEL)), &h,
				  &size, &e), "%s", e.text);
	CHECK(!h.is_kernel && h.cg_to_is_kernel && !h.anon_start, "into the kernel");
	CHECK(!sample_header_read(tmpdir_path("samples/current/" CG(APP_AT, JIT, HEAP)), &h,
				  &size, &e), "%s", e.text);
	CHECK(h.anon_start == 0xa000 && h.cg_to_anon_start == 0x7000, "mappings");
	test_close(r);
}

static void put_short_stack(void)
{
	fake_stack(&fake);
	fake_cookie(&fake, LIB);
	fake_sample(&fake, 0x40, 0);
	fake_stack_end(&fake, OP_STACK_COMPLETE);
}

/* The name comes with the sample, or is read when the thread is first seen, and after each exec. */
TEST(names_of_threads)
{
	struct recorder *r;

	test_prepare();
	test_config.separate.thread = true;
	CHECK(!file_make_dirs(tmpdir_path("proc/21/task/22"), 0755), "folder");
	put_text(tmpdir_path("proc/21/task/22/comm"), "from proc\n");
	r = test_open();
	put_task();
	put_short_stack();
	fake_comm(&fake, "name of 16 bytes");
	put_short_stack();
	fake_task(&fake, 23, APP, 21);		/* has ended */
	put_short_stack();
	fake_task(&fake, 0, OP_NO_COOKIE, 0);
	put_short_stack();
	test_drain(r);
	put_text(tmpdir_path("proc/21/task/22/comm"), "after\nexec\n");
	put_task();
	put_short_stack();
	fake_task(&fake, 22, OTHER, 21);
	put_short_stack();
	test_drain(r);
	CHECK_STACKS("current", "2 TIMER 21/22 'from proc' x.so+40 complete\n"
				"1 TIMER 21/22 'name of 16 bytes' x.so+40 complete\n"
				"1 TIMER 21/23 x.so+40 complete\n"
				"1 TIMER 0/0 'swapper' x.so+40 complete\n"
				"1 TIMER 21/22 'after\nexec' x.so+40 complete\n");
	test_close(r);
}

static const struct {
	struct separation separate;
	const char *files, *stack;
} separations[] = {
	{ { .lib = true },
	  "{kern}/no-vmlinux/{dep}/{kern}/no-vmlinux/" ALL "\n"
	  APP_AT "/{dep}/" LIB_AT "/{cg}/{kern}/no-vmlinux/" ALL "\n",
	  "1 TIMER of /bin/app no-vmlinux+ffffffff81000100 x.so+40 complete\n" },
	{ { .kernel = true },
	  APP_AT "/{dep}/{kern}/no-vmlinux/" ALL "\n"
	  APP_AT "/{dep}/" LIB_AT "/{cg}/{kern}/no-vmlinux/" ALL "\n",
	  "1 TIMER of /bin/app no-vmlinux+ffffffff81000100 x.so+40 complete\n" },
	{ { .thread = true },
	  "{kern}/no-vmlinux/{dep}/{kern}/no-vmlinux/TIMER.0.0.21.22.all\n"
	  LIB_AT "/{dep}/" LIB_AT "/{cg}/{kern}/no-vmlinux/TIMER.0.0.21.22.all\n",
	  "1 TIMER 21/22 no-vmlinux+ffffffff81000100 x.so+40 complete\n" },
	{ { .cpu = true },
	  "{kern}/no-vmlinux/{dep}/{kern}/no-vmlinux/TIMER.0.0.all.all.1\n"
	  LIB_AT "/{dep}/" LIB_AT "/{cg}/{kern}/no-vmlinux/TIMER.0.0.all.all.1\n",
	  "1 TIMER cpu1 no-vmlinux+ffffffff81000100 x.so+40 complete\n" },
};

TEST(separation)
{
	for (size_t i = 0; i < ARRAY_SIZE(separations); i++) {
		struct recorder *r;

		test_prepare();
		test_config.separate = separations[i].separate;
		put_task();
		fake_stack(&fake);
		fake_kernel(&fake);
		fake_sample(&fake, KERNEL_PC, 0);
		fake_user(&fake);
		fake_cookie(&fake, LIB);
		fake_caller(&fake, 0x41);
		fake_stack_end(&fake, OP_STACK_COMPLETE);
		r = test_open();
		test_drain(r);
		check_files(separations[i].files);
		CHECK_STACKS("current", separations[i].stack);
		test_close(r);
	}
}

/* Frames without a known place are in no arc, but in the stack. */
TEST(frames_without_a_place)
{
	struct recorder *r;

	test_prepare();
	put_task();
	fake_stack(&fake);
	fake_cookie(&fake, LIB);
	fake_sample(&fake, 0x100, 0);
	fake_cookie(&fake, UNKNOWN);
	fake_caller(&fake, 0x21);
	fake_cookie(&fake, APP);
	fake_caller(&fake, 0x31);
	fake_anon(&fake, 0, 0, "");
	fake_caller(&fake, 0xc001);
	fake_cookie(&fake, APP);
	fake_caller(&fake, 0x41);
	fake_caller(&fake, 0);
	fake_stack_end(&fake, OP_STACK_NO_TABLE);
	r = test_open();
	test_drain(r);
	check_files(CG(APP_AT, APP_AT, APP_AT) "\n" LIB_AT "/{dep}/" LIB_AT "/" ALL "\n");
	CHECK_FILE("current", CG(APP_AT, APP_AT, APP_AT), ARC(1, 0x40), 1, 1);
	CHECK_STACKS("current", "1 TIMER x.so+100 unknown+20 app+30 unknown+c000 app+40 app+0 "
		     "app+0 no_table\n");
	const struct cpu_counts counts = { .stacks = { 9, 9, 1, 2, 3, 4, 9, 9, 5 } };
	CHECK(stats_stacks_aborted(&counts) == 15, "incomplete stacks");
	test_close(r);
}

/* Stacks of samples that are lost or filtered out are not stored. */
TEST(stacks_of_lost_samples)
{
	struct recorder *r;
	struct cpu_counts c;

	test_prepare();
	put_task();
	fake_stack(&fake);
	fake_cookie(&fake, UNKNOWN);
	fake_sample(&fake, 0x100, 0);
	fake_cookie(&fake, APP);
	fake_caller(&fake, 0x31);
	fake_caller(&fake, 0x41);
	fake_stack_end(&fake, OP_STACK_COMPLETE);
	fake_stack(&fake);
	fake_sample(&fake, 0x100, 7);
	fake_caller(&fake, 0x31);
	fake_stack_end(&fake, OP_STACK_COMPLETE);
	r = test_open();
	test_drain(r);
	check_files("");
	CHECK_STACKS("current", "none");
	c = test_totals(r);
	CHECK(c.lost[LOST_UNKNOWN_IMAGE] == 1 && c.lost[LOST_STREAM] == 1 && !c.stacks[0], "lost");
	test_close(r);
}

TEST(image_filter)
{
	static const char *const lib[] = { "/lib/x.so", NULL }, *const app[] = { "/bin/app", NULL };
	struct recorder *r;

	test_prepare();
	test_config.wanted = lib;
	put_calls(1);
	r = test_open();
	test_drain(r);
	CHECK_STACKS("current", "1 TIMER x.so+100 app+1f app+2f complete\n");
	check_files(LIB_AT "/{dep}/" LIB_AT "/" ALL "\n");
	test_close(r);

	test_prepare();
	test_config.wanted = app;
	put_calls(1);
	r = test_open();
	test_drain(r);
	CHECK_FILE("current", CG(APP_AT, APP_AT, LIB_AT), ARC(0x20, 0x100), 1, 1);
	test_close(r);
}

/* The original's streams have no notes at the ends of stacks. */
TEST(stacks_without_an_end)
{
	struct recorder *r;

	test_prepare();
	put_task();
	for (int i = 0; i < 2; i++) {
		fake_stack(&fake);
		fake_cookie(&fake, APP);
		fake_sample(&fake, 0x100, i);
		fake_caller(&fake, 0x21);
	}
	r = test_open();
	test_drain(r);
	CHECK_FILE("current", CG(APP_AT, APP_AT, APP_AT), ARC(0x21, 0x100), 1, 1);
	CHECK(test_totals(r).stacks[OP_STACK_UNKNOWN] == 1, "the second one may continue");
	fake_cpu(&fake, 2);
	test_drain(r);
	CHECK(test_totals(r).stacks[OP_STACK_UNKNOWN] == 2, "another CPU ends it");
	CHECK_STACKS("current", "1 TIMER app+100 app+20 untold\n"
				"1 SECOND app+100 app+20 untold\n");
	test_close(r);
}

/* The decoder stores frames up to the maximum depth. */
static size_t deepest;
static unsigned int deepest_end;

static void take_deep(void *context, const struct trans_state *leaf,
		      const struct trans_frame *frames, size_t nr, uint32_t counter,
		      unsigned int end)
{
	(void)context, (void)leaf, (void)counter;
	CHECK(frames[nr - 1].address == 0x1000 + nr - 1, "%" PRIx64, frames[nr - 1].address);
	deepest = nr;
	deepest_end = end;
}

TEST(depth_is_limited)
{
	static const struct trans_ops deep = { .stack = take_deep };

	for (size_t callers = OP_STACK_DEPTH_MAX - 1; callers < OP_STACK_DEPTH_MAX + 3; callers++) {
		size_t want = callers < OP_STACK_DEPTH_MAX ? callers : OP_STACK_DEPTH_MAX;
		struct trans *t = trans_new(&deep, NULL);
		struct fake_collector f;

		fake_collector_init(&f, NULL, 0);
		fake_kernel(&f);
		fake_stack(&f);
		for (size_t i = 0; i <= callers; i++)
			fake_caller(&f, 0x1000 + i);
		fake_stack_end(&f, OP_STACK_FRAME_POINTERS);
		trans_feed(t, f.words, f.nr);
		CHECK(deepest == want + 1, "%zu of %zu", deepest, callers);
		CHECK(deepest_end == (OP_STACK_FRAME_POINTERS |
				      (callers > want ? OP_STACK_TRUNCATED : OP_STACK_COMPLETE)),
		      "%zu callers end with %x", callers, deepest_end);
		CHECK(trans_stats(t)->callers == callers && trans_stats(t)->stacks == 1, "counted");
		trans_free(t);
		fake_collector_free(&f);
	}
}

TEST_MAIN()
