// SPDX-License-Identifier: GPL-2.0-or-later
/* frame_pointer.c - find a caller by the frame pointer, for code without better information */
#include "libsampler/copy/registers.h"
#include "libsampler/unwind/made.h"
#include "libsampler/unwind/unwinders.h"

#define RECORD (2 * sizeof(uintptr_t))	/* the caller's fp, the return address */
#define KNOWN (1ull << REGISTER_PC | 1ull << REGISTER_SP | 1ull << REGISTER_FP)

/* Added modules have unwinders of their own. */
static bool can_unwind(void *context, const struct sampler_frame *from)
{
	(void)context;
	return from->module ? from->module->is_native : made_code_at(from->address);
}

static bool read_record(const struct sampler_stack *stack, uintptr_t sp, uintptr_t fp,
			uintptr_t *next, uintptr_t *address)
{
	/* made code need not keep the stack aligned to 16 */
	return fp >= sp && fp <= UINTPTR_MAX - RECORD && sampler_stack_word(stack, fp, next) &&
	       sampler_stack_word(stack, fp + sizeof(uintptr_t), address);
}

static enum sampler_unwound unwind(void *context, void *state, struct sampler_registers *regs,
				   const struct sampler_stack *stack, struct sampler_frames *frames)
{
	uintptr_t next, address, fp = regs->fp;
	bool is_code;

	(void)context;
	(void)state;
	if (!register_is_known(regs, REGISTER_FP))
		return SAMPLER_ABORTED;
	/* 0 ends the list of records, but code without frame pointers may have any value there */
	if (!fp)
		return regs->known == KNOWN ? SAMPLER_COMPLETED : SAMPLER_ABORTED;
	if (!read_record(stack, regs->sp, fp, &next, &address))
		return SAMPLER_ABORTED;
	is_code = module_at(address - 1) || made_code_at(address - 1);
	if (!next && !is_code)
		return SAMPLER_COMPLETED;
	/* the caller's value need not be a frame pointer; but one that points to its own record or
	 * below is invalid */
	if (!is_code || (next && next <= fp && next >= stack->low) ||
	    !sampler_add_frame(frames, address))
		return SAMPLER_ABORTED;
	regs->known = 0;
	register_set(regs, REGISTER_PC, address);
	register_set(regs, REGISTER_SP, fp + RECORD);
	register_set(regs, REGISTER_FP, next);
	return SAMPLER_UNRECOGNIZED;
}

const struct sampler_unwinder_ops unwind_frame_pointer = {
	.size = sizeof(unwind_frame_pointer),
	.can_unwind = can_unwind,
	.unwind = unwind,
};
