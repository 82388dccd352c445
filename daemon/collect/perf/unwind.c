// SPDX-License-Identifier: GPL-2.0-or-later
/* unwind.c - registers as numbered by perf, and memory limited to the copied stack */
#include "daemon/collect/perf/unwind.h"

#include <string.h>

#define FAR	(1 << 20)	/* further away than any copy: another stack */

#define USER_TOP_32	UINT64_C(0xfffff000)

#if defined(__x86_64__)
#define MACHINE		OP_UNWIND_X86_64
#define MACHINE_32	OP_UNWIND_I386
#define USER_TOP	UINT64_C(0x00fffffffffff000)	/* with five page table levels */
#define PAC_MASK	0
#define PC		PERF_REG_X86_IP

static const unsigned char order[][2] = {
	{ OP_X86_RAX, PERF_REG_X86_AX }, { OP_X86_RDX, PERF_REG_X86_DX },
	{ OP_X86_RCX, PERF_REG_X86_CX }, { OP_X86_RBX, PERF_REG_X86_BX },
	{ OP_X86_RSI, PERF_REG_X86_SI }, { OP_X86_RDI, PERF_REG_X86_DI },
	{ OP_X86_RBP, PERF_REG_X86_BP }, { OP_X86_RSP, PERF_REG_X86_SP },
	{ OP_X86_R8, PERF_REG_X86_R8 }, { OP_X86_R9, PERF_REG_X86_R9 },
	{ OP_X86_R10, PERF_REG_X86_R10 }, { OP_X86_R11, PERF_REG_X86_R11 },
	{ OP_X86_R12, PERF_REG_X86_R12 }, { OP_X86_R13, PERF_REG_X86_R13 },
	{ OP_X86_R14, PERF_REG_X86_R14 }, { OP_X86_R15, PERF_REG_X86_R15 },
}, order_32[][2] = {
	{ OP_I386_EAX, PERF_REG_X86_AX }, { OP_I386_ECX, PERF_REG_X86_CX },
	{ OP_I386_EDX, PERF_REG_X86_DX }, { OP_I386_EBX, PERF_REG_X86_BX },
	{ OP_I386_ESP, PERF_REG_X86_SP }, { OP_I386_EBP, PERF_REG_X86_BP },
	{ OP_I386_ESI, PERF_REG_X86_SI }, { OP_I386_EDI, PERF_REG_X86_DI },
};

static void take_registers(struct op_unwind_cursor *c, const uint64_t *registers)
{
	bool is_32bit = c->machine == MACHINE_32;
	const unsigned char (*from)[2] = is_32bit ? order_32 : order;

	for (size_t i = 0; i < op_unwind_registers(c->machine); i++)
		c->value[from[i][0]] = perf_user_register(registers, from[i][1]);
	c->flags = perf_user_register(registers, PERF_REG_X86_FLAGS);
}

#elif defined(__aarch64__)
#define MACHINE		OP_UNWIND_ARM64
#define MACHINE_32	MACHINE		/* for the first frame of 32-bit code, all there is */
#define USER_TOP	UINT64_C(0x0000fffffffff000)
/* The bits of an address that may hold a signature or a tag: all above 48 [PC-83]. */
#define PAC_MASK	(~UINT64_C(0x0000ffffffffffff))
#define PC		PERF_REG_ARM64_PC

/* x0 to x30, then sp: DWARF's order. */
static void take_registers(struct op_unwind_cursor *c, const uint64_t *registers)
{
	memcpy(c->value, registers, sizeof(c->value));
}

#else
#define MACHINE		0		/* not supported */
#define MACHINE_32	MACHINE
#define USER_TOP	UINT64_MAX
#define PAC_MASK	UINT64_C(0)
#define PC		0

static void take_registers(struct op_unwind_cursor *c, const uint64_t *registers)
{
	(void)c;
	(void)registers;
}
#endif

/* In an NMI some kernels cannot read registers that a system call preserves: they report ~0. */
static void forget_unsaved(struct op_unwind_cursor *c)
{
	for (unsigned int n = 0; n < OP_UNWIND_REGISTERS; n++)
		if (c->value[n] == UINT64_MAX)
			c->known &= ~(UINT32_C(1) << n);
}

/* 32-bit code leaves the upper halves of registers undefined. */
static void forget_upper_halves(struct perf_unwind *u)
{
	for (unsigned int n = 0; n < OP_UNWIND_REGISTERS; n++)
		u->cursor.value[n] = (uint32_t)u->cursor.value[n];
	u->cursor.pc = (uint32_t)u->cursor.pc;
	u->cursor.floor = (uint32_t)u->cursor.floor;
	u->sp = (uint32_t)u->sp;
}

bool perf_unwind_begin(struct perf_unwind *u, const struct perf_sample_stack *stack, bool in_kernel)
{
	*u = (struct perf_unwind){ .copy = stack->copy, .size = stack->copy_size,
				   .asked = stack->copy_asked };
	u->cursor.machine = stack->is_32bit ? MACHINE_32 : MACHINE;
	u->cursor.pc = perf_user_register(stack->registers, PC) & ~(uint64_t)PAC_MASK;
	u->cursor.top = stack->is_32bit ? USER_TOP_32 : USER_TOP;
	u->cursor.pac_mask = PAC_MASK;
	take_registers(&u->cursor, stack->registers);
	u->sp = u->cursor.value[op_unwind_sp(&u->cursor)];
	if (in_kernel)
		op_unwind_start_entered(&u->cursor);
	else
		op_unwind_start(&u->cursor);
	forget_unsaved(&u->cursor);
	if (stack->is_32bit)
		forget_upper_halves(u);
	return MACHINE && (!stack->is_32bit || MACHINE_32 != MACHINE);
}

/* An op_unwind_read. */
static bool read_copy(void *context, u64 address, u64 *ret)
{
	struct perf_unwind *u = context;
	bool is_short = u->cursor.machine == OP_UNWIND_I386;
	uint64_t at = address - u->sp, end = at + (is_short ? sizeof(uint32_t) : sizeof(*ret));
	uint32_t value;

	if (at <= u->size && end <= u->size) {
		if (is_short) {
			memcpy(&value, u->copy + at, sizeof(value));
			*ret = value;
		} else {
			memcpy(ret, u->copy + at, sizeof(*ret));
		}
		if (end > u->needed)
			u->needed = (uint32_t)end;
		return true;
	}
	if (at < FAR && u->size == u->asked && end > u->beyond)
		u->beyond = end;
	return false;
}

bool perf_unwind_step(struct perf_unwind *u, const struct op_unwind_table *table, uint64_t offset,
		      enum op_stack_end *ret_end)
{
	enum op_unwind_result result;

	u->beyond = 0;
	result = op_unwind_next(table, offset, &u->cursor, read_copy, u);
	if (result == OP_UNWIND_STEPPED)
		return true;
	*ret_end = op_unwind_end(result);
	if (u->beyond && (result == OP_UNWIND_UNKNOWN || result == OP_UNWIND_UNREADABLE))
		*ret_end = OP_STACK_SHORT_COPY;
	return false;
}
