// SPDX-License-Identifier: GPL-2.0-or-later
/* copy_registers.c - an interrupted thread's registers by the numbers that DWARF gives them */
#include <string.h>
#include <ucontext.h>
#include "copy.h"

#ifdef __x86_64__

#define NR	17
#define SP	7
#define PC	16

IN_HANDLER void copy_registers(const void *ucontext, struct sampler_registers *ret)
{
	static const unsigned char order[NR] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP
	};
	const ucontext_t *u = ucontext;

	for (int i = 0; i < NR; i++)
		ret->value[i] = u->uc_mcontext.gregs[order[i]];
	ret->known = (1ull << NR) - 1;
	ret->pc = ret->value[PC];
	ret->sp = ret->value[SP];
	ret->fp = ret->value[6];
}

IN_HANDLER uintptr_t copy_thread_pointer(void)
{
	uintptr_t pointer;

	__asm__("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

#elif defined(__aarch64__)

#define NR	33
#define SP	31
#define PC	32

IN_HANDLER void copy_registers(const void *ucontext, struct sampler_registers *ret)
{
	const ucontext_t *u = ucontext;

	for (int i = 0; i < SP; i++)
		ret->value[i] = u->uc_mcontext.regs[i];
	ret->value[SP] = u->uc_mcontext.sp;
	ret->value[PC] = u->uc_mcontext.pc;
	ret->known = (1ull << NR) - 1;
	ret->pc = ret->value[PC];
	ret->sp = ret->value[SP];
	ret->fp = ret->value[29];
}

IN_HANDLER uintptr_t copy_thread_pointer(void)
{
	uintptr_t pointer;

	__asm__("mrs %0, tpidr_el0" : "=r"(pointer));
	return pointer;
}

#else
#error "no registers of this architecture are known"
#endif

void copy_registers_blocked(uintptr_t pc, uintptr_t sp, struct sampler_registers *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->value[PC] = ret->pc = pc;
	ret->value[SP] = ret->sp = sp;
	ret->known = 1ull << PC | 1ull << SP;
}
