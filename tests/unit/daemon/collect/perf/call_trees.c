// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stacks.c - stacks of the perf collector against programs whose stacks are known
 *
 * The programs (stacks/call_tree.c, stacks/exceptions.cc) run in loops whose stacks are known.
 */
#include "tests/unit/daemon/collect/perf/call_trees.h"

#define NR(modes) (sizeof(modes) / sizeof((modes)[0]))
#define RING_WORDS (1 << 20) /* for 8 MiB, however many CPUs there are */

static const struct sampling by_tables = {500000, RING_WORDS, DEPTH, false};
static const struct sampling by_frame_pointers = {500000, RING_WORDS, DEPTH, true};
/* What is rare is to be seen in numbers. */
static const struct sampling often = {200000, RING_WORDS, DEPTH, false};

TEST(without_frame_pointers)
{
	check_stacks("call_tree", modes, NR(modes), &by_tables);
}

TEST(with_frame_pointers)
{
	check_stacks("call_tree-fp", modes, NR(modes), &by_tables);
}

TEST(static_program)
{
	check_stacks("call_tree-static", modes, NR(modes), &by_tables);
}

TEST(static_pie_program)
{
	check_stacks("call_tree-static-pie", modes, NR(modes), &by_tables);
}

TEST(signals)
{
	check_stacks("call_tree", signal_modes, NR(signal_modes), &often);
	check_stacks("call_tree-fp", signal_modes, NR(signal_modes), &often);
	check_stacks("call_tree-static", signal_modes, NR(signal_modes), &often);
	check_stacks("call_tree-static-pie", signal_modes, NR(signal_modes), &often);
}

TEST(hostile_programs)
{
	check_stacks("call_tree", hostile_modes, NR(hostile_modes), &by_tables);
}

TEST(hostile_programs_with_frame_pointers)
{
	check_stacks("call_tree-fp", hostile_modes, NR(hostile_modes), &by_tables);
}

TEST(exceptions)
{
#ifdef HAVE_CXX
	check_stacks("exceptions", exception_modes, NR(exception_modes), &often);
#else
	SKIP("no C++ compiler was there when this was built");
#endif
}

TEST(by_frame_pointers_only)
{
	check_stacks("call_tree-fp", listed_modes, NR(listed_modes), &by_frame_pointers);
}

TEST_MAIN()
