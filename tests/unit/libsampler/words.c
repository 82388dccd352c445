// SPDX-License-Identifier: GPL-2.0-or-later
/* words.c - read words of a copy, and make its pointers point into it */
#include <stdint.h>
#include "libsampler/sampling.h"
#include "tests/tap.h"

#define WORDS 8
struct pair {
	_Alignas(16) uintptr_t stack[WORDS], copy[WORDS];
	struct sampler_registers regs;
};

static uintptr_t address(const void *p)
{
	return (uintptr_t)p;
}

/* The stack without its first @skip bytes, copied to the same offset and rewritten. */
static void rewrite(struct pair *p, size_t skip, size_t size)
{
	uintptr_t low = address(p->stack) + skip;

	memcpy((char *)p->copy + skip, (char *)p->stack + skip, size - skip);
	copy_rewrite((char *)p->copy + skip, low, address(p->stack) + size, &p->regs);
}

TEST(pointers_out_of_the_stack_stay)
{
	struct pair p = { .stack = { 1 } };

	p.stack[1] = address(p.stack) - 1;
	p.stack[2] = address(p.stack) + sizeof(p.stack);
	p.stack[3] = UINTPTR_MAX;
	rewrite(&p, 0, sizeof(p.stack));
	CHECK(!memcmp(p.stack, p.copy, sizeof(p.stack)), "nothing has changed");
}

TEST(pointers_into_the_stack_point_into_the_copy)
{
	struct pair p = { .stack = { 0 } };

	p.stack[0] = address(&p.stack[2]);
	p.stack[3] = address(p.stack);
	p.stack[7] = address(p.stack) + sizeof(p.stack) - 1;
	rewrite(&p, 0, sizeof(p.stack));
	CHECK(p.copy[0] == address(&p.copy[2]), "one inside");
	CHECK(p.copy[3] == address(p.copy), "to the first byte");
	CHECK(p.copy[7] == address(p.copy) + sizeof(p.copy) - 1, "to the last one");
	CHECK(!p.copy[1] && !p.copy[2] && !p.copy[4], "and nothing else");
}

TEST(unaligned_ends_stay_as_they_are)
{
	struct pair p = { .stack = { 0 } };
	size_t skip = sizeof(uintptr_t) - 1, size = sizeof(p.stack) - 1;

	p.stack[0] = p.stack[2] = p.stack[WORDS - 1] = address(&p.stack[3]);
	p.copy[0] = p.copy[WORDS - 1] = 0;
	rewrite(&p, skip, size);
	CHECK(!memcmp((char *)p.copy + skip, (char *)p.stack + skip, 1), "below the first word");
	CHECK(p.copy[2] == address(&p.copy[3]), "a word");
	CHECK(!memcmp(&p.copy[WORDS - 1], &p.stack[WORDS - 1], sizeof(uintptr_t) - 1),
	      "behind the last word");
}

TEST(unaligned_pointers_stay)
{
	struct pair p = { .stack = { 0 } };
	uintptr_t pointer = address(&p.stack[3]);

	/* one at the start, one later */
	memcpy((char *)p.stack + 1, &pointer, sizeof(pointer));
	memcpy((char *)&p.stack[4] + 2, &pointer, sizeof(pointer));
	p.stack[6] = pointer;
	rewrite(&p, 0, sizeof(p.stack));
	CHECK(!memcmp(p.copy, p.stack, 6 * sizeof(uintptr_t)), "both");
	CHECK(p.copy[6] == address(&p.copy[3]), "but not the aligned one");
}

TEST(registers_are_rewritten)
{
	struct pair p = { .stack = { 0 } };

	p.regs.sp = p.regs.value[7] = address(p.stack);
	p.regs.fp = p.regs.value[6] = address(&p.stack[2]);
	p.regs.value[3] = address(&p.stack[5]);
	p.regs.value[12] = address(&p.stack[4]);
	p.regs.value[16] = p.regs.pc = 0x1234;
	p.regs.known = 1 << 3 | 1 << 6 | 1 << 7 | 1 << 16;
	rewrite(&p, 0, sizeof(p.stack));
	CHECK(p.regs.sp == address(p.copy) && p.regs.value[7] == p.regs.sp, "sp");
	CHECK(p.regs.fp == address(&p.copy[2]) && p.regs.value[6] == p.regs.fp, "fp");
	CHECK(p.regs.value[3] == address(&p.copy[5]), "one that is saved by who is called");
	CHECK(p.regs.value[12] == address(&p.stack[4]), "what is not known is nothing");
	CHECK(p.regs.pc == 0x1234 && p.regs.value[16] == 0x1234, "pc");
}

TEST(a_clone_is_a_copy_of_its_own)
{
	struct pair p = { .stack = { 0 } };
	_Alignas(16) char room[sizeof(p.stack) + 16];
	const size_t offsets[] = { 0, 8, 12, 15 };

	p.stack[2] = p.stack[6] = address(&p.stack[4]);
	for (size_t i = 0; i < 4; i++)
		for (size_t to = 0; to < 3; to++) {
			struct sampler_stack stack = {
				.low = address(p.stack) + offsets[i],
				.high = address(p.stack + WORDS),
				.copy = (char *)p.stack + offsets[i],
			};
			char *clone = sampler_stack_clone(&stack, room + (to ? 16 - to * 5 : 0),
							  &p.regs);
			char *first = clone - offsets[i];

			if (clone + (stack.high - stack.low) > room + sizeof(room))
				continue;	/* needs more room */
			CHECK(address(clone) % 16 == stack.low % 16, "offset %zu", offsets[i]);
			CHECK(*(uintptr_t *)(first + 16) == address(first + 32), "rewritten");
			CHECK(p.stack[2] == address(&p.stack[4]), "it alone");
		}
}

TEST(words_outside_of_the_copy_are_not_read)
{
	_Alignas(16) uintptr_t copy[4] = { 10, 11, 12, 13 };
	struct sampler_stack stack = { .low = 0x1000, .high = 0x1000 + sizeof(copy),
				       .copy = copy };
	uintptr_t word = 99;

	CHECK(!sampler_stack_word(&stack, 0xff8, &word) && word == 99, "below");
	CHECK(!sampler_stack_word(&stack, stack.high, &word) && word == 99, "above");
	CHECK(!sampler_stack_word(&stack, 0x1004, &word) && word == 99, "between two");
	stack.outer_low = 0x800;
	stack.outer_high = 0x808;
	stack.outer_copy = &copy[2];
	CHECK(sampler_stack_word(&stack, 0x800, &word) && word == 12, "of the outer stack");
	CHECK(!sampler_stack_word(&stack, 0x808, &word) && word == 12, "above that");
	word = 99;
	CHECK(!sampler_stack_word(&stack, UINTPTR_MAX - 7, &word) && word == 99, "far above");
	CHECK(sampler_stack_word(&stack, 0x1000, &word) && word == 10, "first");
	CHECK(sampler_stack_word(&stack, stack.high - 8, &word) && word == 13, "last");
	stack.high -= 4;
	word = 99;
	CHECK(!sampler_stack_word(&stack, 0x1018, &word) && word == 99, "half of one");
}

TEST_MAIN()
