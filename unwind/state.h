/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.h - call frame information at one place in the code
 *
 * The program of a function changes the state as the address advances (program.h); each state
 * becomes a rule (rules.h).
 */
#ifndef UNWIND_STATE_H
#define UNWIND_STATE_H

#include <stdbool.h>
#include "unwind/bytes.h"
#include "unwind/table.h"

/* Where the caller's value of a register is. */
enum unwind_where {
	UNWIND_DEFAULT,		/* by the machine's calling convention */
	UNWIND_SAME,		/* in the register */
	UNWIND_UNDEFINED,	/* lost */
	UNWIND_AT_CFA,		/* at CFA + offset */
	UNWIND_AT_REGISTER,	/* at n + offset */
	UNWIND_IN_REGISTER,	/* in register n */
	UNWIND_ELSEWHERE,	/* in a place that rules cannot express */
};

struct unwind_place {
	uint8_t where;		/* enum unwind_where */
	uint8_t n;
	int32_t offset;		/* bytes */
};

struct unwind_cfa {
	uint8_t kind;		/* OP_CFA_NONE (rules cannot express it), _REGISTER to _PLT */
	uint8_t base, index;
	int32_t offset, offset2;	/* as in struct op_unwind_rule */
};

/*
 * The registers that matter: i386's 8 and x86-64's 16, each with the return address, arm64's x0 to
 * x30 and sp.
 */
#define UNWIND_STATE_REGISTERS	32
#define UNWIND_I386_RA		8
#define UNWIND_X86_RA		16

/* The column of @machine's return address. */
static inline unsigned int unwind_ra_column(uint16_t machine)
{
	if (machine == OP_UNWIND_I386)
		return UNWIND_I386_RA;
	return machine == OP_UNWIND_ARM64 ? OP_ARM64_LR : UNWIND_X86_RA;
}

static inline unsigned int unwind_sp_column(uint16_t machine)
{
	if (machine == OP_UNWIND_I386)
		return OP_I386_ESP;
	return machine == OP_UNWIND_ARM64 ? OP_ARM64_SP : OP_X86_RSP;
}

/* The size of a word on the stack, in bytes. */
static inline int unwind_word(uint16_t machine)
{
	return machine == OP_UNWIND_I386 ? 4 : 8;
}

struct unwind_state {
	struct unwind_cfa cfa;
	struct unwind_place at[UNWIND_STATE_REGISTERS];
};

/*
 * The CFA by an expression of @machine's; kind OP_CFA_NONE unless it is one of
 *	breg n, offset [plus_uconst offset]			base + offset
 *	breg n, offset; deref [plus_uconst offset2]		*(base + offset) + offset2
 *	breg n, offset; breg m, 0; lit8; mul; plus; deref [plus_uconst offset2]
 *						*(base + 8 * index + offset) + offset2
 *	the linker's for the .plt of x86-64 and i386
 */
struct unwind_cfa unwind_expression_cfa(struct unwind_bytes expression, uint16_t machine);

/* The place of a saved register by an expression: "breg n, offset", or ELSEWHERE. */
struct unwind_place unwind_expression_place(struct unwind_bytes expression);

/* @offset if it fits an int32_t, else *fits is set to false. */
static inline int32_t unwind_fit(int64_t offset, bool *fits)
{
	if (offset != (int32_t)offset)
		*fits = false;
	return offset;
}

#endif
