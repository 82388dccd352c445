/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk.h - unwind from a frame to its caller with a table, for the module and for user space
 *
 * The module unwinds in NMI, the perf collector in a copy of the stack: nothing here allocates,
 * sleeps, loops without a bound or trusts what it reads. Rules: doc/unwind-table.md ([UT-n]).
 *
 *	struct op_unwind_cursor c = { .machine = ..., .pc = ..., .value = { ... }, .top = ... };
 *
 *	op_unwind_start(&c);
 *	do {
 *		(find the mapping of op_unwind_place(&c): its table, the offset in its file)
 *		result = op_unwind_next(table, offset, &c, read, context);
 *		if (result == OP_UNWIND_STEPPED)
 *			(op_unwind_caller(&c) is the next caller)
 *	} while (result == OP_UNWIND_STEPPED && there is room for more);
 */
#ifndef UNWIND_WALK_H
#define UNWIND_WALK_H

#include "oprofilefs/op_abi.h"
#include "unwind/table.h"

/* libbpf finds constants in one section only. */
#ifdef __bpf__
#define OP_UNWIND_CONSTANT	__attribute__((section(".rodata")))
#else
#define OP_UNWIND_CONSTANT
#endif

enum op_unwind_result {
	OP_UNWIND_STEPPED,	/* the cursor is at the caller */
	OP_UNWIND_OUTERMOST,	/* no caller: the stack is complete */
	OP_UNWIND_UNKNOWN,	/* neither the table nor, if used, the frame pointer has a caller */
	OP_UNWIND_BAD,		/* an implausible caller */
	OP_UNWIND_UNREADABLE,	/* memory could not be read */
};

/* How a stack whose walk ended with @result ended. Not for STEPPED. */
static inline enum op_stack_end op_unwind_end(enum op_unwind_result result)
{
	switch (result) {
	case OP_UNWIND_OUTERMOST:
		return OP_STACK_COMPLETE;
	case OP_UNWIND_UNKNOWN:
		return OP_STACK_NO_TABLE;
	case OP_UNWIND_UNREADABLE:
		return OP_STACK_UNREADABLE;
	default:
		return OP_STACK_BAD_FRAME;
	}
}

/*
 * A frame. For the first one the caller sets machine, pc, value[], flags, top and, on arm64,
 * pac_mask, and calls op_unwind_start(). After a result other than STEPPED, pc and exact are
 * unchanged, and the rest is undefined.
 */
struct op_unwind_cursor {
	u64 pc;			/* return address, or interrupted instruction: */
	bool exact;		/* the latter */
	bool in_syscall;	/* exact, but pc is behind the instruction */
	bool by_frame_pointer;	/* op_unwind_next() has used a frame pointer in this walk */
	u16 machine;
	u32 known;		/* bit n: value[n] is register n */
	u32 saved;		/* bit n: value[n] is the address of register n */
	u64 value[OP_UNWIND_REGISTERS];
	u64 flags;		/* x86-64's, only for op_unwind_start_entered() */
	u64 floor;		/* low end of the used stack: the next CFA is above */
	u64 top;		/* the CFA is never above this */
	u64 pac_mask;		/* bits of arm64's signed code addresses; to be cleared */
};

/*
 * Reads a word of the process's memory, 8 bytes or on i386 4, at any @address, aligned or not, in
 * user space or not; the function itself checks what may be read. False: failed, with *ret
 * unchanged.
 */
typedef bool (*op_unwind_read)(void *context, u64 address, u64 *ret);

static __always_inline unsigned int op_unwind_sp(const struct op_unwind_cursor *c)
{
	if (c->machine == OP_UNWIND_I386)
		return OP_I386_ESP;
	return c->machine == OP_UNWIND_ARM64 ? OP_ARM64_SP : OP_X86_RSP;
}

static __always_inline unsigned int op_unwind_fp(const struct op_unwind_cursor *c)
{
	if (c->machine == OP_UNWIND_I386)
		return OP_I386_EBP;
	return c->machine == OP_UNWIND_ARM64 ? OP_ARM64_FP : OP_X86_RBP;
}

/* The size of @n words in bytes; negative numbers wrap. */
static __always_inline u64 op_unwind_words(const struct op_unwind_cursor *c, s32 n)
{
	return (u64)n << (c->machine == OP_UNWIND_I386 ? 2 : 3);
}

/* The number of the lowest bit set in @bits, which is not 0. BPF has no instruction for it. */
static __always_inline unsigned int op_unwind_lowest(u32 bits)
{
#ifdef __bpf__
	u32 below = (bits - 1) & ~bits;

	below -= below >> 1 & 0x55555555;
	below = (below & 0x33333333) + (below >> 2 & 0x33333333);
	return ((below + (below >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
#else
	return __builtin_ctz(bits);
#endif
}

/* Bits for all registers. */
static __always_inline u32 op_unwind_all(const struct op_unwind_cursor *c)
{
	return ~0u >> (OP_UNWIND_REGISTERS - op_unwind_registers(c->machine));
}

/* All registers are known, and the frame was interrupted at pc. */
static __always_inline void op_unwind_start(struct op_unwind_cursor *c)
{
	c->known = op_unwind_all(c);
	c->saved = 0;
	c->exact = true;
	c->in_syscall = false;
	c->by_frame_pointer = false;
	c->floor = c->value[op_unwind_sp(c)];
}

/*
 * The same for a frame that entered the kernel. After SYSCALL, pc may already be in the next
 * function; it sets rcx to the return address and r11 to the flags. Nothing else sets both, except
 * that code which jumped to the address in rcx may be at its first instruction. [UT-26]
 */
static __always_inline void op_unwind_start_entered(struct op_unwind_cursor *c)
{
	op_unwind_start(c);
	c->in_syscall = c->machine == OP_UNWIND_X86_64 && c->value[OP_X86_RCX] == c->pc &&
			c->value[OP_X86_R11] == c->flags;
}

/* An address in the frame's current instruction, for lookups. */
static __always_inline u64 op_unwind_place(const struct op_unwind_cursor *c)
{
	return c->pc - (!c->exact || c->in_syscall);
}

/* The frame's address in stacks: 1 less is in the call, or the instruction. [UT-25] */
static __always_inline u64 op_unwind_caller(const struct op_unwind_cursor *c)
{
	return op_unwind_place(c) + 1;
}

/* Register @n of the frame, read from where it was saved when it is first needed. */
static __always_inline enum op_unwind_result
op_unwind_register(struct op_unwind_cursor *c, unsigned int n, op_unwind_read read, void *context,
		   u64 *ret)
{
	u32 bit = 1u << (n % OP_UNWIND_REGISTERS);

	n %= OP_UNWIND_REGISTERS;
	if (c->saved & bit) {
		if (!read(context, c->value[n], &c->value[n]))
			return OP_UNWIND_UNREADABLE;
		c->saved &= ~bit;
		c->known |= bit;
	}
	if (!(c->known & bit))
		return OP_UNWIND_UNKNOWN;
	*ret = c->value[n];
	return OP_UNWIND_STEPPED;
}

/* Whether the caller's sp may be @cfa: above ours, in the stack, aligned. [UT-20] */
static __always_inline bool op_unwind_cfa_ok(const struct op_unwind_cursor *c, u64 cfa)
{
	u64 alignment = c->machine == OP_UNWIND_ARM64 ? 16 : op_unwind_words(c, 1);

	return cfa + c->exact > c->floor && cfa <= c->top && !(cfa & (alignment - 1));
}

/*
 * Restore the caller's registers [UT-12]. In a leaf one may be saved below sp, where a copy of the
 * stack has nothing: then it was just popped, and has the caller's value again.
 */
static __always_inline void
op_unwind_restore(const struct op_unwind_rule *rule, struct op_unwind_cursor *c, u64 cfa, u64 base,
		  op_unwind_read read, void *context)
{
	u32 known = c->known & rule->kept, saved = c->saved & rule->kept, left = rule->saved;
	u64 sp = c->exact ? c->value[op_unwind_sp(c)] : 0;
	unsigned int i;

	/* a checked rule has no more, but BPF's verifier wants to see that */
	for (i = 0; left && i < OP_UNWIND_SAVED_MAX; i++, left &= left - 1) {
		unsigned int n = op_unwind_lowest(left) % OP_UNWIND_REGISTERS;
		u32 bit = 1u << n;
		u64 at = (rule->from_base & bit ? base : cfa) + op_unwind_words(c, rule->at[i]);

		if (at >= sp) {
			c->value[n] = at;
			saved |= bit;
		} else if (read(context, at, &c->value[n]) || (c->known & bit)) {
			known |= bit;
		}
	}
	c->known = known;
	c->saved = saved;
}

/* Move the cursor to the caller, whose stack begins at @cfa. */
static __always_inline void
op_unwind_arrive(struct op_unwind_cursor *c, u64 pc, bool exact, u64 cfa)
{
	unsigned int sp = op_unwind_sp(c);

	c->value[sp] = cfa;
	c->known |= 1u << sp;
	c->saved &= ~(1u << sp);
	c->floor = cfa;
	c->pc = pc;
	c->exact = exact;
	c->in_syscall = false;
}

/*
 * A signal frame: the kernel has saved all registers there in a fixed order. The interrupted
 * function may have been on another stack, so sp is not compared with ours. [UT-13]
 */
static __always_inline enum op_unwind_result
op_unwind_step_signal(const struct op_unwind_rule *rule, struct op_unwind_cursor *c,
		      op_unwind_read read, void *context)
{
	static const u8 x86_order[OP_X86_REGISTERS] OP_UNWIND_CONSTANT = {
		OP_X86_R8, OP_X86_R9, OP_X86_R10, OP_X86_R11, OP_X86_R12, OP_X86_R13, OP_X86_R14,
		OP_X86_R15, OP_X86_RDI, OP_X86_RSI, OP_X86_RBP, OP_X86_RBX, OP_X86_RDX, OP_X86_RAX,
		OP_X86_RCX, OP_X86_RSP,
	};
	static const u8 i386_order[OP_I386_REGISTERS] OP_UNWIND_CONSTANT = {
		OP_I386_EDI, OP_I386_ESI, OP_I386_EBP, OP_I386_ESP, OP_I386_EBX, OP_I386_EDX,
		OP_I386_ECX, OP_I386_EAX,
	};
	const u8 *order = c->machine == OP_UNWIND_I386 ? i386_order : x86_order;
	bool arm64 = c->machine == OP_UNWIND_ARM64;
	unsigned int i, nr = op_unwind_registers(c->machine);
	/* i386 has the trap's number and error code in between */
	unsigned int pc_at = c->machine == OP_UNWIND_I386 ? nr + 2 : nr;
	enum op_unwind_result result;
	u64 at, sp, pc;

	result = op_unwind_register(c, rule->base, read, context, &at);
	if (result != OP_UNWIND_STEPPED)
		return result;
	at += rule->offset;
	if (at < c->floor || at >= c->top || at & (op_unwind_words(c, 1) - 1))
		return OP_UNWIND_BAD;
	if (!read(context, at + op_unwind_words(c, pc_at), &pc))
		return OP_UNWIND_UNREADABLE;
	for (i = 0; i < nr; i++)
		c->value[arm64 ? i : order[i]] = at + op_unwind_words(c, i);
	c->known = 0;
	c->saved = op_unwind_all(c);
	result = op_unwind_register(c, op_unwind_sp(c), read, context, &sp);
	if (result != OP_UNWIND_STEPPED)
		return result;
	if (!pc || !sp || sp > c->top)
		return OP_UNWIND_BAD;
	op_unwind_arrive(c, pc, true, sp);
	return OP_UNWIND_STEPPED;
}

static __always_inline enum op_unwind_result
op_unwind_find_cfa(const struct op_unwind_rule *rule, struct op_unwind_cursor *c,
		   op_unwind_read read, void *context, u64 *ret)
{
	enum op_unwind_result result;
	u64 cfa, index;

	result = op_unwind_register(c, rule->base, read, context, &cfa);
	if (result != OP_UNWIND_STEPPED)
		return result;
	cfa += rule->offset;
	if (rule->cfa == OP_CFA_INDEXED) {
		result = op_unwind_register(c, rule->index, read, context, &index);
		if (result != OP_UNWIND_STEPPED)
			return result;
		cfa += 8 * index;
	}
	if (rule->cfa == OP_CFA_DEREF || rule->cfa == OP_CFA_INDEXED) {
		if (!read(context, cfa, &cfa))
			return OP_UNWIND_UNREADABLE;
		cfa += rule->offset2;
	} else if (rule->cfa == OP_CFA_PLT) {
		cfa += (c->pc & 15) >= (u64)rule->offset2 ? op_unwind_words(c, 1) : 0;
	}
	*ret = cfa;
	return op_unwind_cfa_ok(c, cfa) ? OP_UNWIND_STEPPED : OP_UNWIND_BAD;
}

/* From @c's frame to its caller by @rule. */
static __always_inline enum op_unwind_result
op_unwind_apply(const struct op_unwind_rule *rule, struct op_unwind_cursor *c, op_unwind_read read,
		void *context)
{
	enum op_unwind_result result;
	u64 cfa, ra, base = 0;

	if (rule->cfa <= OP_CFA_END)
		return rule->cfa == OP_CFA_END ? OP_UNWIND_OUTERMOST : OP_UNWIND_UNKNOWN;
	if (rule->cfa == OP_CFA_SIGNAL)
		return op_unwind_step_signal(rule, c, read, context);
	result = op_unwind_find_cfa(rule, c, read, context, &cfa);
	if (result == OP_UNWIND_STEPPED &&
	    (rule->from_base || rule->ra_register == OP_UNWIND_AT_BASE))
		result = op_unwind_register(c, rule->save_base, read, context, &base);
	if (result != OP_UNWIND_STEPPED)
		return result;
	if (rule->ra_register < OP_UNWIND_AT_BASE) {
		result = op_unwind_register(c, rule->ra_register, read, context, &ra);
		if (result != OP_UNWIND_STEPPED)
			return result;
	} else if (!read(context, (rule->ra_register == OP_UNWIND_AT_BASE ? base : cfa) +
				  op_unwind_words(c, rule->ra), &ra)) {
		return OP_UNWIND_UNREADABLE;
	}
	ra &= ~c->pac_mask;
	if (!ra)
		return OP_UNWIND_OUTERMOST;
	op_unwind_restore(rule, c, cfa, base, read, context);
	op_unwind_arrive(c, ra, rule->exact, cfa);
	return OP_UNWIND_STEPPED;
}

/* The rule of @table, which may be NULL, for the code at @offset; NULL: no information. */
static __always_inline const struct op_unwind_rule *
op_unwind_rule_at(const struct op_unwind_table *table, u64 offset, const struct op_unwind_cursor *c)
{
	const struct op_unwind_rule *rule;

	if (!table || table->machine != c->machine)
		return NULL;
	rule = op_unwind_lookup(table, offset);
	return rule && rule->cfa != OP_CFA_NONE ? rule : NULL;
}

/*
 * From @c's frame to its caller. @table, which may be NULL, is that of the file mapped at
 * op_unwind_place(c), and @offset the offset of that place in the file.
 */
static __always_inline enum op_unwind_result
op_unwind_step(const struct op_unwind_table *table, u64 offset, struct op_unwind_cursor *c,
	       op_unwind_read read, void *context)
{
	const struct op_unwind_rule *rule = op_unwind_rule_at(table, offset, c);

	return rule ? op_unwind_apply(rule, c, read, context) : OP_UNWIND_UNKNOWN;
}

/*
 * The same by the frame pointer, which is right if the function has one and has set it up [UT-30].
 * The caller's other registers are unknown afterwards, and on arm64 its sp, too.
 */
static __always_inline enum op_unwind_result
op_unwind_step_frame_pointer(struct op_unwind_cursor *c, op_unwind_read read, void *context)
{
	u64 fp, ra, word = op_unwind_words(c, 1);
	unsigned int n = op_unwind_fp(c);
	enum op_unwind_result result;

	result = op_unwind_register(c, n, read, context, &fp);
	if (result != OP_UNWIND_STEPPED)
		return result;
	if (!fp)
		return OP_UNWIND_OUTERMOST;
	if (fp < c->floor || fp >= c->top || c->top - fp < 2 * word || fp & (word - 1))
		return OP_UNWIND_BAD;
	if (!read(context, fp + word, &ra))
		return OP_UNWIND_UNREADABLE;
	ra &= ~c->pac_mask;
	if (!ra)
		return OP_UNWIND_OUTERMOST;
	c->known = 0;
	c->saved = 1u << n;
	c->value[n] = fp;
	op_unwind_arrive(c, ra, false, fp + 2 * word);
	if (c->machine == OP_UNWIND_ARM64)
		c->known &= ~(1u << OP_ARM64_SP);
	return OP_UNWIND_STEPPED;
}

/*
 * By @rule, that of the frame's place, or if it is NULL by the frame pointer, which sets
 * by_frame_pointer. @before: then, if the frame is exact, the rule of the instruction before, or
 * NULL. No code runs behind the return from a signal handler: a frame there is just getting its
 * registers back, and some are still the handler's [UT-27]. A useless frame pointer is UNKNOWN
 * rather than BAD, because the code need not have one.
 */
static __always_inline enum op_unwind_result
op_unwind_by_rule(const struct op_unwind_rule *rule, const struct op_unwind_rule *before,
		  struct op_unwind_cursor *c, op_unwind_read read, void *context)
{
	enum op_unwind_result result;

	if (rule)
		return op_unwind_apply(rule, c, read, context);
	if (before && before->cfa == OP_CFA_SIGNAL)
		return OP_UNWIND_UNKNOWN;
	result = op_unwind_step_frame_pointer(c, read, context);
	if (result > OP_UNWIND_OUTERMOST)
		return OP_UNWIND_UNKNOWN;
	c->by_frame_pointer = true;
	return result;
}

/* The same by @table, as in op_unwind_step(). The BPF program looks rules up itself. */
static __always_inline enum op_unwind_result
op_unwind_next(const struct op_unwind_table *table, u64 offset, struct op_unwind_cursor *c,
	       op_unwind_read read, void *context)
{
	const struct op_unwind_rule *rule = op_unwind_rule_at(table, offset, c), *before = NULL;

	if (!rule && c->exact && offset)
		before = op_unwind_rule_at(table, offset - 1, c);
	return op_unwind_by_rule(rule, before, c, read, context);
}

#endif
