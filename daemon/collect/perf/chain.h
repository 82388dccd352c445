/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chain.h - the callers that a sample's record brings, taken apart
 *
 * What follows a sample's body where its event asks for callers: a list of addresses, and then,
 * unless user frames are in that list already, the user registers and a copy of the stack from its
 * pointer upwards. It stays where it is, on the ring. Pure, every length checked [PC-10].
 */
#ifndef DAEMON_COLLECT_PERF_CHAIN_H
#define DAEMON_COLLECT_PERF_CHAIN_H

#include <asm/perf_regs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The user registers that are asked for, as perf numbers them, and how many that are. */
#if defined(__x86_64__)
#define PERF_USER_REGS \
	(((UINT64_C(2) << PERF_REG_X86_FLAGS) - 1) | UINT64_C(0xff) << PERF_REG_X86_R8)
#define PERF_USER_REGS_NR	18	/* rax to rip and the flags, r8 to r15 */
#elif defined(__aarch64__)
#define PERF_USER_REGS	(UINT64_C(0x1ffffffff))	/* x0 to x30, sp, pc */
#define PERF_USER_REGS_NR	33
#else
#error "no registers for this CPU"
#endif

struct perf_chain {
	/*
	 * Addresses, innermost first, the first the sample's own. Before the kernel's stands
	 * PERF_CONTEXT_KERNEL, before the user's PERF_CONTEXT_USER.
	 */
	const uint64_t *addresses;
	size_t nr_addresses;

	const uint64_t *registers;	/* PERF_USER_REGS_NR of them; NULL: there are none */
	bool is_32bit;			/* the task runs 32-bit code */
	const unsigned char *stack;	/* from the stack pointer upwards */
	uint32_t stack_size;		/* as far as it could be read */
	uint32_t stack_asked;		/* as much as the record has room for */
};

/* The register @number, which must be in PERF_USER_REGS, of such a list. */
static inline uint64_t perf_user_register(const uint64_t *registers, unsigned int number)
{
	return registers[__builtin_popcountll(PERF_USER_REGS & ((UINT64_C(1) << number) - 1))];
}

/*
 * @bytes: 8-byte aligned, as in struct perf_sample. @copies: whether the event asks for registers
 * and a copy. -EBADMSG: too short for what it says; *ret is untouched then.
 */
int perf_chain_parse(const void *bytes, size_t size, bool copies, struct perf_chain *ret);

#endif
