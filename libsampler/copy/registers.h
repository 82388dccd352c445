/* SPDX-License-Identifier: GPL-2.0-or-later */
/* registers.h - DWARF's numbers of the registers that all unwinders need */
#ifndef LIBSAMPLER_COPY_REGISTERS_H
#define LIBSAMPLER_COPY_REGISTERS_H

#include "libsampler/oprofsampler.h"

#ifdef __x86_64__
#define REGISTER_FP	6
#define REGISTER_SP	7
#define REGISTER_PC	16	/* the return address */
#define REGISTER_RETURN	16
/* Bytes below sp that functions may use and signal handlers leave alone. */
#define RED_ZONE	128
#elif defined(__aarch64__)
#define REGISTER_FP	29
#define REGISTER_SP	31
#define REGISTER_PC	32
#define REGISTER_RETURN	30
#define RED_ZONE	0
#else
#error "unsupported architecture"
#endif
#define NR_REGISTERS	(REGISTER_PC + 1)

static inline bool register_is_known(const struct sampler_registers *regs, int number)
{
	return regs->known >> number & 1;
}

static inline void register_set(struct sampler_registers *regs, int number, uint64_t value)
{
	regs->value[number] = value;
	regs->known |= 1ull << number;
	if (number == REGISTER_FP)
		regs->fp = value;
	else if (number == REGISTER_SP)
		regs->sp = value;
	else if (number == REGISTER_PC)
		regs->pc = value;
}

#endif
