// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stacks.c - stacks of the perf collector against programs whose stacks are known
 *
 * The programs (stacks/call_tree.c, stacks/exceptions.cc) run in loops whose stacks are known.
 */
#include "tests/unit/daemon/collect/perf/call_trees.h"

#define NR(modes) (sizeof(modes) / sizeof((modes)[0]))
#define RING_WORDS (1 << 20) /* for 8 MiB, however many CPUs there are */

static const struct sampling by_tables = {500000, RING_WORDS, DEPTH, false, false};
static const struct sampling by_frame_pointers = {500000, RING_WORDS, DEPTH, true, false};
/* What is rare is to be seen in numbers. */
static const struct sampling often = {200000, RING_WORDS, DEPTH, false, false};

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

/* Whether there are 32-bit programs, and the kernel runs them. */
static bool has_32bit(void)
{
	char path[2 * PATH_MAX];
	int status = 0;
	pid_t pid;

	snprintf(path, sizeof(path), "%.*s/../tools/calltree32",
		 (int)(strrchr(self_path(), '/') - self_path()), self_path());
	if (access(path, X_OK))
		return false;
	pid = fork();
	if (!pid) {
		execl(path, path, "plain", "1", "1", (char *)NULL);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid && !status;
}

TEST(of_32_bit)
{
	if (!has_32bit())
		SKIP("the compiler or the kernel does not support 32-bit programs");
	check_stacks("calltree32", modes_32, NR(modes_32), &by_tables);
	check_stacks("calltree32-fp", modes_32, NR(modes_32), &by_tables);
}

TEST(signals_of_32_bit)
{
	if (!has_32bit())
		SKIP("the compiler or the kernel does not support 32-bit programs");
	check_stacks("calltree32", signal_modes_32, NR(signal_modes_32), &often);
}

TEST(of_32_bit_by_frame_pointers)
{
	if (!has_32bit())
		SKIP("the compiler or the kernel does not support 32-bit programs");
	check_stacks("calltree32-bare", bare_modes, NR(bare_modes), &by_tables);
}

TEST_MAIN()
