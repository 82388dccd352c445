// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * call_tree_asm.c - functions written in assembly, with and without call frame information
 *
 * The one without it keeps a frame pointer: by that its callers are found, or not at all.
 */
#include "tests/unit/daemon/collect/perf/call_trees/call_tree.h"

#if defined(__x86_64__)
__asm__(".text\n"
	".globl told_asm\n"
	".type told_asm, @function\n"
	"told_asm:\n"
	"	.cfi_startproc\n"
	"	pushq %rbx\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset rbx, -16\n"
	"	subq $80, %rsp\n"
	"	.cfi_adjust_cfa_offset 80\n"
	"	movl $1000000, %ebx\n"
	"1:	decl %ebx\n"
	"	jnz 1b\n"
	"	addq $80, %rsp\n"
	"	.cfi_adjust_cfa_offset -80\n"
	"	popq %rbx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size told_asm, . - told_asm\n"
	".globl untold_asm\n"
	".type untold_asm, @function\n"
	"untold_asm:\n"
	"	pushq %rbp\n"
	"	movq %rsp, %rbp\n"
	"	subq $80, %rsp\n"
	"	movl $1000000, %eax\n"
	"1:	decl %eax\n"
	"	jnz 1b\n"
	"	leave\n"
	"	ret\n"
	".size untold_asm, . - untold_asm\n");
#else
__asm__(".text\n"
	".globl told_asm\n"
	".type told_asm, %function\n"
	"told_asm:\n"
	"	.cfi_startproc\n"
	"	stp x29, x30, [sp, #-96]!\n"
	"	.cfi_def_cfa_offset 96\n"
	"	.cfi_offset x29, -96\n"
	"	.cfi_offset x30, -88\n"
	"	movz x0, #16, lsl #16\n"
	"1:	subs x0, x0, #1\n"
	"	b.ne 1b\n"
	"	ldp x29, x30, [sp], #96\n"
	"	.cfi_def_cfa_offset 0\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size told_asm, . - told_asm\n"
	".globl untold_asm\n"
	".type untold_asm, %function\n"
	"untold_asm:\n"
	"	stp x29, x30, [sp, #-96]!\n"
	"	mov x29, sp\n"
	"	movz x0, #16, lsl #16\n"
	"1:	subs x0, x0, #1\n"
	"	b.ne 1b\n"
	"	ldp x29, x30, [sp], #96\n"
	"	ret\n"
	".size untold_asm, . - untold_asm\n");
#endif

KEPT void calls_asm(void (*what)(void))
{
	what();
	AFTERWARDS;
}
