/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control_flow.h - the blocks and edges of a procedure, from its machine code
 *
 * Instructions are lines of a disassembly, in order. Calls do not end a block. The targets of
 * jumps through registers and tables are unknown [XP-40].
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
	uint32_t first_instruction;	/* index in the list of instructions */
};

/* Block 0 is the entry and the last block is the exit; both have no code. */
struct control_flow {
	struct code_block *blocks;
	struct flow_edge *edges;	/* sorted by from, then to; each once */
	uint32_t nr_blocks, blocks_room, nr_edges, edges_room;
};

enum jump_kind {
	JUMP_NONE,		/* continues with the next instruction, as calls do */
	JUMP_ALWAYS,
	JUMP_CONDITIONAL,
	JUMP_INDIRECT,		/* through a register or memory */
	JUMP_EXIT,		/* returns or stops */
};

struct instruction {
	uint64_t address;
	uint64_t target;	/* of JUMP_ALWAYS and JUMP_CONDITIONAL */
	enum jump_kind kind;
	bool is_indirect_call;	/* through a register or memory */
};

/* Parse a line "  40113a:\tjne    401150 <f+0x20>". @is_arm: AArch64, otherwise x86. */
void instruction_parse(const char *text, uint64_t address, bool is_arm, struct instruction *ret);

/* Make the graph of the @nr >= 1 instructions of a procedure that ends at @end. */
void control_flow_make(const struct instruction *instructions, size_t nr, uint64_t end,
		       struct control_flow *ret);
void control_flow_free(struct control_flow *flow);

#endif
