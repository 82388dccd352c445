// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * call_trees_bpf.c - stacks that the BPF program walks, against programs whose stacks are known
 */
#include "tests/unit/daemon/collect/bpf/need_bpf.h"
#include "tests/unit/daemon/collect/perf/call_trees.h"

#define NR(modes) (sizeof(modes) / sizeof((modes)[0]))
#define RING_WORDS (1 << 20) /* for 8 MiB, however many CPUs there are */

static const struct sampling by_bpf = {200000, RING_WORDS, DEPTH, false, true};

TEST(without_frame_pointers)
{
	need_bpf();
	check_stacks("call_tree", modes, NR(modes), &by_bpf);
}

TEST(signals)
{
	need_bpf();
	check_stacks("call_tree", signal_modes, NR(signal_modes), &by_bpf);
}

TEST(signals_on_a_stack_of_their_own)
{
	need_bpf();
	check_stacks("call_tree", altsignal_modes, NR(altsignal_modes), &by_bpf);
}

TEST(hostile_programs)
{
	need_bpf();
	check_stacks("call_tree", hostile_modes, NR(hostile_modes), &by_bpf);
}

TEST(deeper_than_64_kib)
{
	need_bpf();
	check_stacks("call_tree", huge_modes, 1, &by_bpf);
}

TEST_MAIN()
