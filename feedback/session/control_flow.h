/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control_flow.h - the blocks and edges of a procedure, out of its machine code
 *
 * Instructions come as lines of a disassembly, in order. Calls do not end a block. Where a jump
 * through a register or table leads is not known [XP-40].
 */
#ifndef FEEDBACK_SESSION_CONTROL_FLOW_H
#define FEEDBACK_SESSION_CONTROL_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "feedback/xprof/flow_smooth.h"

struct code_block {
	uint64_t start, end;		/* addresses */
	uint32_t nr_instructions;
	uint32_t first_instruction;	/* in the list that it was made of */
};

/* Block 0 is where it is entered and the last one where it is left: both are without code. */
struct control_flow {
	struct code_block *blocks;
	struct flow_edge *edges;	/* sorted by from, then to; each once */
	uint32_t nr_blocks, blocks_room, nr_edges, edges_room;
};

enum jump_kind {
	JUMP_NONE,		/* goes on behind it; calls too */
	JUMP_ALWAYS,
	JUMP_MAYBE,
	JUMP_ANYWHERE,		/* through a register or memory */
	JUMP_OUT,		/* returns, or stops */
};

struct instruction {
	uint64_t address;
	uint64_t target;	/* of JUMP_ALWAYS and JUMP_MAYBE */
	enum jump_kind kind;
	bool calls_anywhere;	/* a call through a register or memory */
};

/* Of a line "  40113a:\tjne    401150 <f+0x20>". @is_arm: AArch64, else x86. */
void instruction_parse(const char *text, uint64_t address, bool is_arm, struct instruction *ret);

/* Of @nr >= 1 instructions of a procedure that ends at @end. */
void control_flow_make(const struct instruction *instructions, size_t nr, uint64_t end,
		       struct control_flow *ret);
void control_flow_free(struct control_flow *flow);

#endif
