// SPDX-License-Identifier: GPL-2.0-or-later
/* step.c - steps in made-up stacks with made-up tables: every kind of rule, every check */
#include "tests/tap.h"
#include "tests/unit/unwind/table.h"

#define STACK		0x7fff0000ull	/* address of stack[0] */
#define WORDS		128
#define TOP		(STACK + 8 * WORDS)

static u64 stack[WORDS];
static u64 lowest_readable;
static unsigned int reads;

static bool read_stack(void *context, u64 address, u64 *ret)
{
	(void)context;
	reads++;
	if (address < STACK || address < lowest_readable || address > TOP - 8)
		return false;
	memcpy(ret, (char *)stack + (address - STACK), sizeof(*ret));
	return true;
}

static u64 word(unsigned int n)
{
	return STACK + 8 * n;
}

/* A frame on x86-64 interrupted at 0x1000 whose sp is at stack[@sp] and fp at stack[@fp]. */
static struct op_unwind_cursor x86_at(unsigned int sp, unsigned int fp)
{
	struct op_unwind_cursor c = { .pc = 0x1000, .machine = OP_UNWIND_X86_64, .top = TOP };

	for (unsigned int i = 0; i < OP_X86_REGISTERS; i++)
		c.value[i] = 0xbad000 + i;
	c.value[OP_X86_RSP] = word(sp);
	c.value[OP_X86_RBP] = word(fp);
	op_unwind_start(&c);
	memset(stack, 0, sizeof(stack));
	lowest_readable = reads = 0;
	return c;
}

static struct op_unwind_cursor arm64_at(unsigned int sp, unsigned int fp, u64 lr)
{
	struct op_unwind_cursor c = { .pc = 0x1000, .machine = OP_UNWIND_ARM64, .top = TOP,
				      .pac_mask = 0x7full << 48 };

	c.value[OP_ARM64_SP] = word(sp);
	c.value[OP_ARM64_FP] = word(fp);
	c.value[OP_ARM64_LR] = lr;
	op_unwind_start(&c);
	memset(stack, 0, sizeof(stack));
	lowest_readable = reads = 0;
	return c;
}

static enum op_unwind_result apply(struct op_unwind_rule r, struct op_unwind_cursor *c)
{
	return op_unwind_apply(&r, c, read_stack, NULL);
}

TEST(stack_pointer_rule_reads_one_word)
{
	struct op_unwind_cursor c = x86_at(4, 50);

	stack[6] = 0x2001;
	CHECK(op_unwind_place(&c) == 0x1000 && op_unwind_caller(&c) == 0x1001, "interrupted");
	CHECK(apply(x86_rule(OP_X86_RSP, 24, 0), &c) == OP_UNWIND_STEPPED, "step");
	CHECK(c.pc == 0x2001 && !c.exact && c.value[OP_X86_RSP] == word(7), "pc %lx", c.pc);
	CHECK(op_unwind_place(&c) == 0x2000 && op_unwind_caller(&c) == 0x2001, "called");
	CHECK(reads == 1, "%u reads", reads);
	CHECK(c.known == (X86_KEPT | BIT(OP_X86_RSP)), "caller-saved ones are lost: %x", c.known);
}

/* [UT-26] */
TEST(a_system_call_is_at_its_own_instruction)
{
	struct op_unwind_cursor c = x86_at(4, 50);

	op_unwind_start_entered(&c);
	CHECK(op_unwind_place(&c) == 0x1000 && op_unwind_caller(&c) == 0x1001, "a fault's");
	c.value[OP_X86_RCX] = c.pc;
	op_unwind_start(&c);
	CHECK(op_unwind_place(&c) == 0x1000 && op_unwind_caller(&c) == 0x1001, "by chance");
	c.flags = c.value[OP_X86_R11] + 1;
	op_unwind_start_entered(&c);
	CHECK(op_unwind_place(&c) == 0x1000, "a fault's where rcx was jumped to");
	c.flags = c.value[OP_X86_R11];
	op_unwind_start_entered(&c);
	CHECK(op_unwind_place(&c) == 0xfff && op_unwind_caller(&c) == 0x1000, "a system call's");
	stack[6] = 0x2001;
	CHECK(apply(x86_rule(OP_X86_RSP, 24, 0), &c) == OP_UNWIND_STEPPED, "step");
	CHECK(op_unwind_place(&c) == 0x2000 && op_unwind_caller(&c) == 0x2001, "its caller's");
}

TEST(saved_register_is_read_when_needed)
{
	struct op_unwind_cursor c = x86_at(4, 90);

	stack[9] = 0x2001;		/* CFA: word 10 */
	stack[8] = word(30);		/* rbp */
	stack[7] = 77;			/* r12 */
	stack[31] = 0x3001;		/* return address of a frame with rbp at word 30 */
	CHECK(apply(x86_rule(OP_X86_RSP, 48, BIT(OP_X86_RBP) | BIT(12)), &c) == OP_UNWIND_STEPPED,
	      "first");
	CHECK(reads == 1, "%u reads", reads);
	CHECK(apply(x86_rule(OP_X86_RBP, 16, BIT(OP_X86_RBP)), &c) == OP_UNWIND_STEPPED,
	      "second");
	CHECK(reads == 3 && c.pc == 0x3001 && c.floor == word(32), "%u reads", reads);
	CHECK(c.saved == (BIT(OP_X86_RBP) | BIT(12)) && c.value[12] == word(7), "r12 waits");
}

TEST(lost_register_is_unknown)
{
	struct op_unwind_cursor c = x86_at(4, 90);
	struct op_unwind_rule r = x86_rule(OP_X86_RSP, 8, 0);

	r.kept &= ~BIT(OP_X86_RBP);
	stack[4] = 0x2001;
	CHECK(apply(r, &c) == OP_UNWIND_STEPPED, "first");
	CHECK(apply(x86_rule(OP_X86_RBP, 16, 0), &c) == OP_UNWIND_UNKNOWN, "rbp is lost");
	CHECK(apply(x86_rule(10, 16, 0), &c) == OP_UNWIND_UNKNOWN, "so is r10");
	CHECK(c.pc == 0x2001, "the frame stays");
}

TEST(cfa_is_checked)
{
	static const struct { s32 offset; enum op_unwind_result want; } rows[] = {
		{ 8, OP_UNWIND_STEPPED }, { -8, OP_UNWIND_BAD }, { 12, OP_UNWIND_BAD },
		{ 8 * (WORDS - 5), OP_UNWIND_STEPPED }, { 8 * (WORDS - 4), OP_UNWIND_BAD },
		{ INT32_MIN, OP_UNWIND_BAD }, { INT32_MAX - 7, OP_UNWIND_BAD },
	};

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct op_unwind_cursor c = x86_at(4, 50);

		c.top = TOP - 8;
		for (int w = 0; w < WORDS; w++)
			stack[w] = 0x2001;
		CHECK(apply(x86_rule(OP_X86_RSP, rows[i].offset, 0), &c) == rows[i].want,
		      "row %u", i);
	}
}

TEST(not_rising_is_bad)
{
	struct op_unwind_cursor c = x86_at(4, 4);

	stack[5] = 0x2001;
	CHECK(apply(x86_rule(OP_X86_RBP, 16, 0), &c) == OP_UNWIND_STEPPED, "first");
	CHECK(apply(x86_rule(OP_X86_RBP, 16, 0), &c) == OP_UNWIND_BAD, "the same frame again");
	CHECK(apply(x86_rule(OP_X86_RSP, 0, 0), &c) == OP_UNWIND_BAD, "a frame of no size");
}

TEST(unreadable_and_ends)
{
	static const struct op_unwind_rule end = { .cfa = OP_CFA_END };
	static const struct op_unwind_rule none = { .cfa = OP_CFA_NONE };
	struct op_unwind_cursor c = x86_at(4, 50);

	CHECK(apply(x86_rule(OP_X86_RSP, 8, 0), &c) == OP_UNWIND_OUTERMOST, "return address 0");
	lowest_readable = TOP;
	CHECK(apply(x86_rule(OP_X86_RSP, 8, 0), &c) == OP_UNWIND_UNREADABLE, "paged out");
	CHECK(apply(end, &c) == OP_UNWIND_OUTERMOST, "END");
	CHECK(apply(none, &c) == OP_UNWIND_UNKNOWN, "NONE");
	CHECK(c.pc == 0x1000 && c.exact, "the frame stays");
}

TEST(realigned_stack)
{
	struct op_unwind_cursor c = x86_at(4, 20);
	struct op_unwind_rule r = x86_rule(OP_X86_RBP, -8, BIT(OP_X86_RBP) | BIT(OP_X86_RBX));

	r.cfa = OP_CFA_DEREF;
	r.offset2 = 0;
	r.from_base = r.saved;
	r.save_base = OP_X86_RBP;
	r.at[0] = -3;			/* rbx */
	r.at[1] = 0;			/* rbp */
	stack[19] = word(33);		/* the CFA */
	stack[32] = 0x2001;
	stack[20] = word(60);
	CHECK(apply(r, &c) == OP_UNWIND_STEPPED && c.pc == 0x2001 && c.floor == word(33), "step");
	CHECK(c.value[OP_X86_RBP] == word(20) && c.value[OP_X86_RBX] == word(17), "at rbp + n");
	stack[61] = 0x3001;
	CHECK(apply(x86_rule(OP_X86_RBP, 16, 0), &c) == OP_UNWIND_STEPPED && c.floor == word(62),
	      "on");
}

TEST(indexed_by_a_register)
{
	struct op_unwind_rule r = x86_rule(OP_X86_RSP, 8, 0);
	struct op_unwind_cursor c = x86_at(4, 50);

	r.cfa = OP_CFA_INDEXED;
	r.index = OP_X86_R9;
	r.offset2 = 8;
	c.value[OP_X86_R9] = 16;
	stack[4 + 1 + 16] = word(40);
	stack[40] = 0x2001;
	CHECK(apply(r, &c) == OP_UNWIND_STEPPED && c.pc == 0x2001 && c.floor == word(41), "step");
	CHECK(apply(r, &c) == OP_UNWIND_UNKNOWN, "r9 is lost by then");
}

TEST(plt_entries)
{
	struct op_unwind_rule r = x86_rule(OP_X86_RSP, 8, 0);

	r.cfa = OP_CFA_PLT;
	r.offset2 = 11;
	for (u64 pc = 0x1000; pc < 0x1010; pc++) {
		struct op_unwind_cursor c = x86_at(4, 50);

		c.pc = pc;
		stack[4] = 0xaaa;
		stack[5] = 0xbbb;
		CHECK(apply(r, &c) == OP_UNWIND_STEPPED, "step");
		CHECK(c.pc == (pc >= 0x100b ? 0xbbb : 0xaaa), "at %lx: %lx", pc, c.pc);
	}
}

TEST(return_address_beside_a_cfa_from_elsewhere)
{
	struct op_unwind_rule r = x86_rule(OP_X86_RBP, -8, 0);
	struct op_unwind_cursor c = x86_at(4, 10);

	r.cfa = OP_CFA_DEREF;
	r.ra_register = OP_UNWIND_AT_BASE;
	r.save_base = OP_X86_RBP;
	r.ra = 1;
	stack[9] = word(20);
	stack[11] = 0xaaa;
	stack[19] = 0xbbb;
	CHECK(apply(r, &c) == OP_UNWIND_STEPPED && c.pc == 0xaaa && c.floor == word(20),
	      "at %lx", c.pc);
}

TEST(return_address_in_a_register)
{
	struct op_unwind_cursor c = x86_at(4, 50);
	struct op_unwind_rule r = x86_rule(OP_X86_RSP, 0, 0);

	r.ra_register = OP_X86_RDI;
	CHECK(apply(r, &c) == OP_UNWIND_STEPPED && c.pc == 0xbad000 + OP_X86_RDI, "pc %lx", c.pc);
	CHECK(apply(r, &c) == OP_UNWIND_BAD, "only an interrupted frame may have no size");
	r.offset = 8;
	CHECK(apply(r, &c) == OP_UNWIND_UNKNOWN, "rdi is lost by then");
}

TEST(signal_frame_restores_all_registers)
{
	struct op_unwind_rule r = { .cfa = OP_CFA_SIGNAL, .base = OP_X86_RSP, .offset = 40,
				    .ra_register = NO };
	struct op_unwind_cursor c = x86_at(50, 90);

	for (int i = 0; i < 15; i++)
		stack[55 + i] = 100 + i;
	stack[55 + 15] = word(4);	/* the handler ran on another stack, above */
	stack[55 + 16] = 0x5000;
	CHECK(apply(r, &c) == OP_UNWIND_STEPPED && c.pc == 0x5000 && c.exact, "pc %lx", c.pc);
	CHECK(op_unwind_place(&c) == 0x5000 && op_unwind_caller(&c) == 0x5001, "interrupted");
	CHECK(c.floor == word(4) && reads == 2, "floor %lx, %u reads", c.floor, reads);
	CHECK(c.value[OP_X86_RAX] == word(55 + 13) && c.value[OP_X86_R8] == word(55), "order");
	c.value[OP_X86_RBP] = word(55 + 10);
	stack[55 + 10] = word(20);
	stack[21] = 0x6001;
	CHECK(apply(x86_rule(OP_X86_RBP, 16, 0), &c) == OP_UNWIND_STEPPED && c.pc == 0x6001, "on");
}

TEST(signal_frame_is_checked)
{
	struct op_unwind_rule r = { .cfa = OP_CFA_SIGNAL, .base = OP_X86_RSP, .offset = 40 };
	struct op_unwind_cursor c = x86_at(50, 90);

	stack[55 + 15] = TOP + 8;
	stack[55 + 16] = 0x5000;
	CHECK(apply(r, &c) == OP_UNWIND_BAD, "sp above the top");
	c = x86_at(50, 90);
	stack[55 + 15] = word(4);
	CHECK(apply(r, &c) == OP_UNWIND_BAD, "pc 0");
	c = x86_at(50, 90);
	r.offset = 44;
	CHECK(apply(r, &c) == OP_UNWIND_BAD, "not aligned");
	r.offset = -80;
	CHECK(apply(r, &c) == OP_UNWIND_BAD, "below sp");
	c = x86_at(WORDS - 6, 90);
	r.offset = 40;
	CHECK(apply(r, &c) == OP_UNWIND_UNREADABLE, "beyond the stack");
}

TEST(leaf_that_saved_below_its_stack_pointer)
{
	struct op_unwind_cursor c = x86_at(10, 90);
	struct op_unwind_rule r = x86_rule(OP_X86_RSP, 8, BIT(OP_X86_RBP));

	stack[10] = 0x2001;
	stack[9] = 1234;
	CHECK(apply(r, &c) == OP_UNWIND_STEPPED && c.value[OP_X86_RBP] == 1234, "red zone");
	CHECK(c.known & BIT(OP_X86_RBP) && !c.saved, "read at once");
	c = x86_at(10, 90);
	stack[10] = 0x2001;
	lowest_readable = word(10);
	CHECK(apply(r, &c) == OP_UNWIND_STEPPED && c.value[OP_X86_RBP] == word(90), "popped, copy");
	CHECK(c.known & BIT(OP_X86_RBP) && !c.saved, "known");
}

TEST(arm64_leaf_and_frame)
{
	struct op_unwind_rule leaf = { .cfa = OP_CFA_REGISTER, .base = OP_ARM64_SP,
				       .ra_register = 30, .kept = 0x3ff80000 };
	struct op_unwind_rule frame = { .cfa = OP_CFA_REGISTER, .base = OP_ARM64_FP, .offset = 32,
					.ra = -3, .ra_register = NO, .kept = 0x1ff80000,
					.saved = BIT(29), .at = { -4 } };
	struct op_unwind_cursor c = arm64_at(4, 10, 0x5a000000002004ull);

	CHECK(apply(leaf, &c) == OP_UNWIND_STEPPED && c.pc == 0x2004, "signed address: %lx", c.pc);
	CHECK(c.floor == word(4) && reads == 0, "%u reads", reads);
	CHECK(apply(leaf, &c) == OP_UNWIND_BAD, "not twice");
	stack[11] = 0x11000000003004ull;
	CHECK(apply(frame, &c) == OP_UNWIND_STEPPED && c.pc == 0x3004, "pc %lx", c.pc);
	CHECK(c.floor == word(14) && c.value[29] == word(10), "floor %lx", c.floor);
	frame.offset = 8;
	stack[10] = word(30);
	CHECK(apply(frame, &c) == OP_UNWIND_BAD, "16 is the alignment");
}

TEST(frame_pointers)
{
	struct op_unwind_cursor c = x86_at(4, 10);

	stack[11] = 0x2001;
	stack[10] = word(20);
	stack[21] = 0x3001;
	stack[20] = 0;
	CHECK(op_unwind_step_frame_pointer(&c, read_stack, NULL) == OP_UNWIND_STEPPED, "1");
	CHECK(c.pc == 0x2001 && c.floor == word(12) && reads == 1, "%u reads", reads);
	CHECK(c.known == BIT(OP_X86_RSP) && c.saved == BIT(OP_X86_RBP), "others are lost");
	CHECK(op_unwind_step_frame_pointer(&c, read_stack, NULL) == OP_UNWIND_STEPPED, "2");
	CHECK(op_unwind_step_frame_pointer(&c, read_stack, NULL) == OP_UNWIND_OUTERMOST, "end");
}

TEST(frame_pointers_are_checked)
{
	static const struct { u64 fp; enum op_unwind_result want; } rows[] = {
		{ STACK + 8 * 4, OP_UNWIND_STEPPED }, { STACK + 8 * 3, OP_UNWIND_BAD },
		{ STACK + 8 * 6 + 4, OP_UNWIND_BAD }, { TOP - 16, OP_UNWIND_STEPPED },
		{ TOP - 8, OP_UNWIND_BAD }, { TOP, OP_UNWIND_BAD }, { ~0ull - 7, OP_UNWIND_BAD },
		{ 0, OP_UNWIND_OUTERMOST }, { 1, OP_UNWIND_BAD },
	};

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct op_unwind_cursor c = x86_at(4, 0);

		for (int w = 0; w < WORDS; w++)
			stack[w] = 0x2001;
		c.value[OP_X86_RBP] = rows[i].fp;
		CHECK(op_unwind_step_frame_pointer(&c, read_stack, NULL) == rows[i].want,
		      "row %u", i);
	}
}

TEST(arm64_frame_pointer_leaves_sp_unknown)
{
	struct op_unwind_cursor c = arm64_at(4, 4, 0);
	struct op_unwind_rule r = { .cfa = OP_CFA_REGISTER, .base = OP_ARM64_SP, .offset = 16 };

	stack[5] = 0x2004;
	CHECK(op_unwind_step_frame_pointer(&c, read_stack, NULL) == OP_UNWIND_STEPPED, "step");
	CHECK(apply(r, &c) == OP_UNWIND_UNKNOWN, "sp");
}

TEST(next_falls_back_to_the_frame_pointer)
{
	struct op_unwind_cursor c = x86_at(4, 10);
	u64 len;
	struct op_unwind_table *t = small_table(&len);

	stack[6] = 0x2001;
	CHECK(op_unwind_next(t, 0x10000, &c, read_stack, NULL) == OP_UNWIND_STEPPED, "table");
	CHECK(!c.by_frame_pointer, "not yet");
	stack[11] = 0x3001;
	CHECK(op_unwind_next(t, 0x10100, &c, read_stack, NULL) == OP_UNWIND_STEPPED, "no row");
	CHECK(c.by_frame_pointer && c.pc == 0x3001, "pc %lx", c.pc);
	stack[10] = 3;
	c = x86_at(4, 10);
	c.value[OP_X86_RBP] = 3;
	CHECK(op_unwind_next(NULL, 0, &c, read_stack, NULL) == OP_UNWIND_UNKNOWN, "no rbp");
	CHECK(op_unwind_next(t, 0x30000, &c, read_stack, NULL) == OP_UNWIND_OUTERMOST, "END");
	c = x86_at(4, 10);
	stack[11] = 0x3001;
	CHECK(op_unwind_next(t, 0x30020, &c, read_stack, NULL) == OP_UNWIND_UNKNOWN, "UNKNOWN row");
	CHECK(c.pc == 0x1000, "no frame pointer is followed there: pc %lx", c.pc);
	CHECK(!c.by_frame_pointer, "was not followed");
	c.machine = OP_UNWIND_ARM64;
	CHECK(op_unwind_step(t, 0x30000, &c, read_stack, NULL) == OP_UNWIND_UNKNOWN, "arm64");
	free(t);
}

/* [UT-27] */
TEST(frame_pointers_are_not_used_while_registers_are_restored)
{
	const struct op_unwind_rule rules[] = {
		{ .cfa = OP_CFA_NONE },
		{ .cfa = OP_CFA_SIGNAL, .base = OP_X86_RSP, .offset = 40, .ra_register = NO },
	};
	static const struct test_row rows[] = { { 0x10000, 1 }, { 0x10009, 0 } };
	struct op_unwind_cursor c = x86_at(4, 10);
	u64 len;
	struct op_unwind_table *t = test_table(OP_UNWIND_X86_64, rules, 2, rows, 2, &len);

	stack[11] = 0x3001;
	CHECK(op_unwind_next(t, 0x10009, &c, read_stack, NULL) == OP_UNWIND_UNKNOWN, "behind it");
	CHECK(!c.by_frame_pointer && c.pc == 0x1000, "nothing was followed");
	CHECK(op_unwind_next(t, 0x1000a, &c, read_stack, NULL) == OP_UNWIND_STEPPED, "further on");
	CHECK(c.by_frame_pointer && c.pc == 0x3001, "pc %lx", c.pc);
	c.exact = false;
	c.by_frame_pointer = false;
	stack[10] = word(20);
	stack[21] = 0x4001;
	CHECK(op_unwind_next(t, 0x10009, &c, read_stack, NULL) == OP_UNWIND_STEPPED, "a call's");
	free(t);
}

/* --- i386: words of 4 bytes --- */

static bool read_short(void *context, u64 address, u64 *ret)
{
	(void)context;
	reads++;
	if (address < STACK || address > STACK + 4 * WORDS - 4)
		return false;
	*ret = ((u32 *)stack)[(address - STACK) / 4];
	return true;
}

static u64 word_32(unsigned int n)
{
	return STACK + 4 * n;
}

static struct op_unwind_cursor i386_at(unsigned int sp, unsigned int fp)
{
	struct op_unwind_cursor c = { .pc = 0x1000, .machine = OP_UNWIND_I386,
				      .top = STACK + 4 * WORDS };

	for (unsigned int i = 0; i < OP_I386_REGISTERS; i++)
		c.value[i] = 0xbad000 + i;
	c.value[OP_I386_ESP] = word_32(sp);
	c.value[OP_I386_EBP] = word_32(fp);
	op_unwind_start(&c);
	memset(stack, 0, sizeof(stack));
	reads = 0;
	return c;
}

static __attribute__((noinline)) enum op_unwind_result
apply_32(struct op_unwind_rule r, struct op_unwind_cursor *c)
{
	return op_unwind_apply(&r, c, read_short, NULL);
}

TEST(i386_rules_count_short_words)
{
	struct op_unwind_rule r = x86_rule(OP_I386_ESP, 12, BIT(OP_I386_EBX) | BIT(OP_I386_ESI));
	struct op_unwind_cursor c = i386_at(5, 50);
	u32 *words = (u32 *)stack;
	u64 value = 0;

	r.kept = BIT(OP_I386_EBP) | BIT(OP_I386_EDI);
	words[7] = 0x80002001;
	words[6] = 0xffffffff;
	words[5] = 77;
	CHECK(apply_32(r, &c) == OP_UNWIND_STEPPED, "step");
	CHECK(c.pc == 0x80002001 && c.floor == word_32(8) && reads == 1, "pc %lx", c.pc);
	CHECK(op_unwind_register(&c, OP_I386_EBX, read_short, NULL, &value) == OP_UNWIND_STEPPED &&
	      value == 0xffffffff, "ebx %lx", value);
	CHECK(op_unwind_register(&c, OP_I386_ESI, read_short, NULL, &value) == OP_UNWIND_STEPPED &&
	      value == 77, "esi %lx", value);
	c = i386_at(5, 50);
	r.offset = 14;
	CHECK(apply_32(r, &c) == OP_UNWIND_BAD, "not aligned to 4");
	c = i386_at(5, 50);
	r.offset = 4 * (WORDS - 4);
	CHECK(apply_32(r, &c) == OP_UNWIND_BAD, "above the top");
}

TEST(i386_signal_frame)
{
	struct op_unwind_rule r = { .cfa = OP_CFA_SIGNAL, .base = OP_I386_ESP, .offset = 20,
				    .ra_register = NO };
	struct op_unwind_cursor c = i386_at(50, 90);
	u32 *words = (u32 *)stack;

	for (int i = 0; i < 10; i++)
		words[55 + i] = 100 + i;
	words[55 + 3] = word_32(4);	/* the handler ran on another stack, above */
	words[55 + 10] = 0x5000;
	CHECK(apply_32(r, &c) == OP_UNWIND_STEPPED, "step");
	CHECK(c.pc == 0x5000 && c.exact && c.floor == word_32(4), "pc %lx", c.pc);
	CHECK(c.value[OP_I386_EDI] == word_32(55) && c.value[OP_I386_EBP] == word_32(57) &&
	      c.value[OP_I386_EAX] == word_32(62), "order");
	CHECK(c.saved == (0xff & ~BIT(OP_I386_ESP)), "eight registers: %x", c.saved);
}

TEST(i386_frame_pointers)
{
	struct op_unwind_cursor c = i386_at(4, 11);
	u32 *words = (u32 *)stack;

	words[12] = 0x2001;
	words[11] = word_32(WORDS - 2);
	words[WORDS - 1] = 0x3001;
	words[WORDS - 2] = word_32(WORDS - 1);
	CHECK(op_unwind_step_frame_pointer(&c, read_short, NULL) == OP_UNWIND_STEPPED, "1");
	CHECK(c.pc == 0x2001 && c.floor == word_32(13) && reads == 1, "%u reads", reads);
	CHECK(op_unwind_step_frame_pointer(&c, read_short, NULL) == OP_UNWIND_STEPPED, "2");
	CHECK(c.pc == 0x3001 && c.floor == word_32(WORDS), "at the top");
	CHECK(op_unwind_step_frame_pointer(&c, read_short, NULL) == OP_UNWIND_BAD, "no room");
	c = i386_at(4, 0);
	c.value[OP_I386_EBP] = STACK + 22;
	CHECK(op_unwind_step_frame_pointer(&c, read_short, NULL) == OP_UNWIND_BAD, "not aligned");
}

TEST_MAIN()
