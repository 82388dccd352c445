/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flow.c - smoothing flow, and graphs of instructions */
#include <stdint.h>

#include "feedback/session/control_flow.h"
#include "feedback/xprof/flow_smooth.h"
#include "libutil/xalloc.h"
#include "tests/tap.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

/* Is the flow into and out of all blocks but the first and last equal? *ret_counts: of blocks. */
static bool is_consistent(uint32_t nr_blocks, const struct flow_edge *edges, uint32_t nr_edges,
			  const uint64_t *counts, uint64_t *ret_counts)
{
	uint64_t *out = xcalloc(nr_blocks, sizeof(*out));
	bool is_equal = true;

	memset(ret_counts, 0, nr_blocks * sizeof(*ret_counts));
	for (uint32_t e = 0; e < nr_edges; e++) {
		ret_counts[edges[e].to] += counts[e];
		out[edges[e].from] += counts[e];
	}
	for (uint32_t b = 1; b + 1 < nr_blocks; b++)
		is_equal &= out[b] == ret_counts[b];
	free(out);
	return is_equal;
}

TEST(consistent_weights_stay)
{
	/* entry, loop head, body, after, exit */
	static const struct flow_edge edges[] = {
		{ 0, 1 }, { 1, 2 }, { 2, 1 }, { 1, 3 }, { 3, 4 },
	};
	static const uint64_t weights[] = { 0, 101, 100, 1, 0 };
	uint64_t counts[COUNT(edges)], blocks[5];

	flow_smooth(5, weights, edges, COUNT(edges), counts);
	CHECK(is_consistent(5, edges, COUNT(edges), counts, blocks), "inconsistent");
	for (int b = 1; b < 4; b++)
		CHECK(blocks[b] == weights[b], "block %d: %llu", b, (unsigned long long)blocks[b]);
	CHECK(counts[0] == 1 && counts[2] == 100, "entered once, repeated 100 times");
}

TEST(missed_block_gets_a_count)
{
	static const struct flow_edge edges[] = {
		{ 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 1 }, { 3, 4 },
	};
	static const uint64_t weights[] = { 0, 1000, 0, 1000, 0 };
	uint64_t counts[COUNT(edges)], blocks[5];

	flow_smooth(5, weights, edges, COUNT(edges), counts);
	CHECK(is_consistent(5, edges, COUNT(edges), counts, blocks), "inconsistent");
	CHECK(blocks[1] == 1000 && blocks[2] == 1000 && blocks[3] == 1000, "not equal");
}

/* The switch has half as many samples as its four cases together. */
TEST(deficit_is_shared)
{
	static const struct flow_edge edges[] = {
		{ 0, 1 }, { 1, 2 }, { 1, 3 }, { 1, 4 }, { 1, 5 }, { 2, 6 }, { 3, 6 }, { 4, 6 },
		{ 5, 6 }, { 6, 7 },
	};
	static const uint64_t weights[] = { 0, 2000, 1000, 1000, 1000, 1000, 2000, 0 };
	uint64_t counts[COUNT(edges)], blocks[8];

	flow_smooth(8, weights, edges, COUNT(edges), counts);
	CHECK(is_consistent(8, edges, COUNT(edges), counts, blocks), "inconsistent");
	for (int b = 2; b < 6; b++)
		CHECK(blocks[b] >= 500 && blocks[b] <= 750, "case %d: %llu", b,
		      (unsigned long long)blocks[b]);
}

TEST(random_graphs)
{
	uint32_t seed = 12345;

	for (int round = 0; round < 300; round++) {
		enum { BLOCKS = 24, EDGES = 60 };
		struct flow_edge edges[EDGES + BLOCKS];
		uint64_t weights[BLOCKS] = { 0 }, counts[EDGES + BLOCKS], blocks[BLOCKS];
		uint32_t nr = 0;

		for (uint32_t b = 0; b + 1 < BLOCKS; b++)
			edges[nr++] = (struct flow_edge){ b, b + 1 };
		for (int i = 0; i < EDGES; i++) {
			seed = seed * 1103515245 + 12345;
			edges[nr++] = (struct flow_edge){ seed >> 8 & 15, 1 + (seed >> 16 & 15) };
		}
		for (int b = 1; b + 1 < BLOCKS; b++) {
			seed = seed * 1103515245 + 12345;
			weights[b] = seed >> 28 < 6 ? 0 : seed >> 12;
		}
		flow_smooth(BLOCKS, weights, edges, nr, counts);
		CHECK(is_consistent(BLOCKS, edges, nr, counts, blocks), "round %d", round);
	}
}

/* A long ladder, which an algorithm of quadratic time would not finish. */
TEST(large_graph)
{
	enum { BLOCKS = 3000 };
	struct flow_edge *edges = xcalloc(BLOCKS * 2, sizeof(*edges));
	uint64_t *weights = xcalloc(BLOCKS, sizeof(*weights));
	uint64_t *counts = xcalloc(BLOCKS * 2, sizeof(*counts));
	uint64_t *blocks = xcalloc(BLOCKS, sizeof(*blocks));
	uint32_t nr = 0;

	for (uint32_t b = 0; b + 1 < BLOCKS; b++) {
		edges[nr++] = (struct flow_edge){ b, b + 1 };
		if (b % 3 == 1 && b + 2 < BLOCKS)
			edges[nr++] = (struct flow_edge){ b, b + 2 };
		weights[b] = b % 7 * 1000;
	}
	flow_smooth(BLOCKS, weights, edges, nr, counts);
	CHECK(is_consistent(BLOCKS, edges, nr, counts, blocks), "inconsistent");
	free(edges);
	free(weights);
	free(counts);
	free(blocks);
}

static void check_kind(const char *text, bool is_arm, enum jump_kind kind, uint64_t target)
{
	struct instruction i;

	instruction_parse(text, 0x10, is_arm, &i);
	CHECK(i.kind == kind && (kind == JUMP_INDIRECT || i.target == target), "'%s': %d, %llx",
	      text, i.kind, (unsigned long long)i.target);
}

TEST(jumps_of_x86)
{
	check_kind("  40113a:\tjne    401150 <f+0x20>", false, JUMP_CONDITIONAL, 0x401150);
	check_kind("  40113a:\tjmp    401150 <f+0x20>", false, JUMP_ALWAYS, 0x401150);
	check_kind("  40113a:\tjmp    *0x8(%rax)", false, JUMP_INDIRECT, 0);
	check_kind("  40113a:\tnotrack jmp *%rax", false, JUMP_INDIRECT, 0);
	check_kind("  40113a:\tbnd jmp 401150 <f@plt>", false, JUMP_ALWAYS, 0x401150);
	check_kind("  40113a:\trepz ret", false, JUMP_EXIT, 0);
	check_kind("  40113a:\tret", false, JUMP_EXIT, 0);
	check_kind("  40113a:\tcall   401150 <g>", false, JUMP_NONE, 0);
	check_kind("  40113a:\tjrcxz  401150 <g>", false, JUMP_CONDITIONAL, 0x401150);
	check_kind("  40113a:\tmov    %eax,%ebx", false, JUMP_NONE, 0);
	check_kind("  40113a:\trep stos %al,%es:(%rdi)", false, JUMP_NONE, 0);
	check_kind("  40113a:\tje,pn  401150 <f>", false, JUMP_CONDITIONAL, 0x401150);
	check_kind("", false, JUMP_NONE, 0);
}

static bool is_indirect_call(const char *text, bool is_arm)
{
	struct instruction i;

	instruction_parse(text, 0x10, is_arm, &i);
	return i.is_indirect_call;
}

TEST(calls_through_pointers)
{
	CHECK(is_indirect_call("  40113a:\tcall   *%rax", false), "a register");
	CHECK(is_indirect_call("  40113a:\tnotrack call *0x8(%rax,%rbx,8)", false), "memory");
	CHECK(!is_indirect_call("  40113a:\tcall   401150 <g>", false), "direct");
	CHECK(is_indirect_call("  400:\tblr\tx3", true), "a register");
	CHECK(!is_indirect_call("  400:\tbl\t420 <g>", true), "direct");
}

TEST(jumps_of_arm)
{
	check_kind("  400:\tb.ne\t420 <f+0x20>  // b.any", true, JUMP_CONDITIONAL, 0x420);
	check_kind("  400:\tcbz\tw0, 420 <f+0x20>", true, JUMP_CONDITIONAL, 0x420);
	check_kind("  400:\ttbnz\tw0, #3, 420 <f+0x20>", true, JUMP_CONDITIONAL, 0x420);
	check_kind("  400:\tb\t420 <f>", true, JUMP_ALWAYS, 0x420);
	check_kind("  400:\tbl\t420 <f>", true, JUMP_NONE, 0);
	check_kind("  400:\tbr\tx3", true, JUMP_INDIRECT, 0);
	check_kind("  400:\tret", true, JUMP_EXIT, 0);
}

/* An if, and a switch through a table with two cases. */
TEST(blocks_and_edges)
{
	static const struct instruction code[] = {
		{ .address = 0x10 },
		{ .address = 0x12, .target = 0x18, .kind = JUMP_CONDITIONAL },
		{ .address = 0x14 },
		{ .address = 0x18, .kind = JUMP_INDIRECT },
		{ .address = 0x1a, .target = 0x900, .kind = JUMP_ALWAYS },
		{ .address = 0x1c, .kind = JUMP_EXIT },
	};
	static const struct flow_edge expected[] = {
		{ 0, 1 }, { 1, 2 }, { 1, 3 }, { 2, 3 }, { 3, 4 }, { 3, 5 }, { 3, 6 }, { 4, 6 },
		{ 5, 6 },
	};
	struct control_flow f;

	control_flow_make(code, COUNT(code), 0x20, &f);
	CHECK(f.nr_blocks == 7, "%u blocks", f.nr_blocks);
	CHECK(f.nr_edges == COUNT(expected), "%u edges", f.nr_edges);
	for (uint32_t i = 0; i < f.nr_edges && i < COUNT(expected); i++)
		CHECK(f.edges[i].from == expected[i].from && f.edges[i].to == expected[i].to,
		      "edge %u: %u to %u", i, f.edges[i].from, f.edges[i].to);
	CHECK(f.blocks[1].nr_instructions == 2 && f.blocks[1].end == 0x14, "the first block");
	control_flow_free(&f);
}

TEST_MAIN()
