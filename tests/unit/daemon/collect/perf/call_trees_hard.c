// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * call_trees_hard.c - stacks of the perf collector that are long, on large stacks, or of processes
 * that are gone before anybody can have a look at them
 */
#include "tests/unit/daemon/collect/perf/call_trees.h"

#include "oprofilefs/op_abi.h"

/* Rings with room for seconds of large copies, should we not be let run. */
#define RING_WORDS (1 << 21)

TEST(large_stacks)
{
	static const struct sampling how = {2000000, RING_WORDS, DEPTH, false, false};

	check_stacks("call_tree", large_modes, 1, &how);
	check_stacks("call_tree-fp", large_modes, 1, &how);
}

TEST(fork_storm)
{
	static const struct sampling how = {250000, RING_WORDS, DEPTH, false, false};

	check_stacks("call_tree", storm_modes, 1, &how);
	check_stacks("call_tree-static", storm_modes, 1, &how);
}

/* --- as many callers as there may be --- */

/* Of the process of interest: stacks from spin() as its leaf, all alike. */
static struct {
	pid_t pid;
	uint64_t nr, unlike;
	size_t frames;
	unsigned int end;
} spinning;

static void take_spinning(void *context, const struct trans_state *leaf,
			  const struct trans_frame *frames, size_t nr, uint32_t counter,
			  unsigned int end)
{
	(void)context, (void)counter;
	end &= ~OP_STACK_OUTER_MASK;
	if (spinning.pid != (pid_t)leaf->tgid || frames[0].kernel ||
	    strcmp(name_of(&frames[0], frames[0].address), "spin"))
		return;
	if (spinning.frames != nr || spinning.end != end) {
		spinning.frames = nr;
		spinning.end = end;
		spinning.unlike += spinning.nr;
		spinning.nr = 0;
	}
	spinning.nr++;
}

static bool is_settled(void)
{
	return spinning.nr >= 100 &&
	       (spinning.end == OP_STACK_COMPLETE || spinning.end == OP_STACK_TRUNCATED);
}

/* Once there are tables and copies have grown, a hundred in a row. */
static void watch_recursion(unsigned int depth)
{
	char number[12];

	snprintf(number, sizeof(number), "%u", depth);
	memset(&spinning, 0, sizeof(spinning));
	spinning.pid = start_mode(world.path, "recursion", number);
	while (!is_settled() && now_s() < world.deadline)
		drain();
	stop_spinning(spinning.pid);
	printf("# %u calls: %zu frames, end %x, after %llu others\n", depth, spinning.frames,
	       spinning.end, (unsigned long long)spinning.unlike);
}

/* The depth counts callers, of which 31 are ours and some more the C library's. */
TEST(depth_is_1024_callers)
{
	static const struct sampling how = {2000000, RING_WORDS, OP_STACK_DEPTH_MAX, false, false};
	static const struct trans_ops ops = {.stack = take_spinning};
	unsigned int most = OP_STACK_DEPTH_MAX;

	open_world("call_tree", &how, &ops);
	watch_recursion(31);
	CHECK(is_settled() && spinning.end == OP_STACK_COMPLETE && spinning.frames > 33 &&
	      spinning.frames < most, "a few callers are not kept whole");
	most -= (unsigned int)spinning.frames - 32;
	watch_recursion(most);
	CHECK(is_settled() && spinning.end == OP_STACK_COMPLETE &&
	      spinning.frames == 1 + OP_STACK_DEPTH_MAX, "1024 callers are not kept whole");
	watch_recursion(most + 1);
	CHECK(is_settled() && spinning.end == OP_STACK_TRUNCATED &&
	      spinning.frames == 1 + OP_STACK_DEPTH_MAX, "1025 callers are not cut");
	close_world();
}

TEST_MAIN()
