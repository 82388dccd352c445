// SPDX-License-Identifier: GPL-2.0-or-later
/* words.c - read words of the copy of a stack, and make its pointers point into the copy */
#include <string.h>
#include "libsampler/sampling.h"

#define WORD sizeof(uintptr_t)

static bool read_word(uintptr_t low, uintptr_t high, const char *copy, uintptr_t address,
		      uintptr_t *ret)
{
	if (address < low || address > high || high - address < WORD)
		return false;
	memcpy(ret, copy + (address - low), WORD);
	return true;
}

bool sampler_stack_word(const struct sampler_stack *stack, uintptr_t address, uintptr_t *ret)
{
	return address % WORD == 0 &&
	       (read_word(stack->low, stack->high, stack->copy, address, ret) ||
		read_word(stack->outer_low, stack->outer_high, stack->outer_copy, address, ret));
}

static uintptr_t moved(uintptr_t value, uintptr_t low, uintptr_t high, const void *copy)
{
	return value >= low && value < high ? value - low + (uintptr_t)copy : value;
}

void copy_rewrite(void *copy, uintptr_t low, uintptr_t high, struct sampler_registers *regs)
{
	uintptr_t first = (low + WORD - 1) / WORD * WORD;

	for (uintptr_t at = first; at < high && high - at >= WORD; at += WORD) {
		uintptr_t *word = (uintptr_t *)((char *)copy + (at - low));

		*word = moved(*word, low, high, copy);
	}
	for (int i = 0; i < SAMPLER_NR_REGISTERS; i++)
		if (regs->known >> i & 1)
			regs->value[i] = moved(regs->value[i], low, high, copy);
	regs->sp = moved(regs->sp, low, high, copy);
	regs->fp = moved(regs->fp, low, high, copy);
}

void *sampler_stack_clone(const struct sampler_stack *stack, void *to,
			  struct sampler_registers *regs)
{
	char *copy = (char *)to + (stack->low - (uintptr_t)to) % 16;

	memcpy(copy, stack->copy, stack->high - stack->low);
	copy_rewrite(copy, stack->low, stack->high, regs);
	return copy;
}
