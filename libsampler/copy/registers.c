// SPDX-License-Identifier: GPL-2.0-or-later
/* registers.c - an interrupted thread's registers, by DWARF's numbers */
#include <string.h>
#include <ucontext.h>
#include "libsampler/copy/copy.h"
#include "libsampler/copy/registers.h"

#ifdef __x86_64__

IN_HANDLER static void copy_values(const ucontext_t *u, uint64_t *ret)
{
	static const unsigned char order[NR_REGISTERS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP
	};

	for (int i = 0; i < NR_REGISTERS; i++)
		ret[i] = u->uc_mcontext.gregs[order[i]];
}

IN_HANDLER uintptr_t copy_thread_pointer(void)
{
	uintptr_t pointer;

	__asm__("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

IN_HANDLER uintptr_t copy_context_sp(const void *ucontext)
{
	return (uintptr_t)((const volatile ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RSP];
}

#else

IN_HANDLER static void copy_values(const ucontext_t *u, uint64_t *ret)
{
	for (int i = 0; i < REGISTER_SP; i++)
		ret[i] = u->uc_mcontext.regs[i];
	ret[REGISTER_SP] = u->uc_mcontext.sp;
	ret[REGISTER_PC] = u->uc_mcontext.pc;
}

IN_HANDLER uintptr_t copy_thread_pointer(void)
{
	uintptr_t pointer;

	__asm__("mrs %0, tpidr_el0" : "=r"(pointer));
	return pointer;
}

IN_HANDLER uintptr_t copy_context_sp(const void *ucontext)
{
	return ((const volatile ucontext_t *)ucontext)->uc_mcontext.sp;
}

#endif

IN_HANDLER void copy_registers(const void *ucontext, struct sampler_registers *ret)
{
	copy_values(ucontext, ret->value);
	ret->known = (1ull << NR_REGISTERS) - 1;
	ret->pc = ret->value[REGISTER_PC];
	ret->sp = ret->value[REGISTER_SP];
	ret->fp = ret->value[REGISTER_FP];
}

void copy_registers_blocked(uintptr_t pc, uintptr_t sp, struct sampler_registers *ret)
{
	memset(ret, 0, sizeof(*ret));
	register_set(ret, REGISTER_PC, pc);
	register_set(ret, REGISTER_SP, sp);
}
