// SPDX-License-Identifier: GPL-2.0-or-later
/* sample_stack.c - parse the stack after a sample: each part, and each way to be too short */
#include "tests/tap.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "daemon/collect/perf/records.h"
#include "tests/unit/daemon/collect/perf/build.h"

#define STACK	64

/* Two addresses, registers that have their numbers' values, @real of STACK bytes of stack. */
static void make_stack(struct bytes *b, uint64_t abi, uint64_t real)
{
	b->size = 0;
	add64(b, 2);
	add64(b, PERF_CONTEXT_KERNEL);
	add64(b, 0xffffffff81000000);
	add64(b, abi);
	for (unsigned int i = 0; abi && i < 64; i++)
		if (PERF_USER_REGS >> i & 1)
			add64(b, i);
	add64(b, abi ? STACK : 0);
	for (uint64_t i = 0; abi && i < STACK / 8; i++)
		add64(b, 0x5000 + i);
	if (abi)
		add64(b, real);
}

/* Without raw data. */
static int parse(const void *bytes, size_t size, bool copies, struct perf_sample_stack *ret)
{
	return perf_sample_stack_parse(bytes, size, false, copies, ret);
}

TEST(all_parts)
{
	struct perf_sample_stack c;
	struct bytes b;

	make_stack(&b, PERF_SAMPLE_REGS_ABI_64, 40);
	CHECK(!parse(b.at, b.size, true, &c), "parse");
	CHECK(c.nr_addresses == 2 && c.addresses[1] == 0xffffffff81000000, "addresses");
	CHECK(c.registers && !c.is_32bit, "registers");
	for (unsigned int i = 0; c.registers && i < 64; i++)
		if (PERF_USER_REGS >> i & 1)
			CHECK(perf_user_register(c.registers, i) == i, "register %u", i);
	CHECK(c.copy_asked == STACK && c.copy_size == 40 && !memcmp(c.copy, b.at + b.size - 8 -
								      STACK, STACK), "stack");
	make_stack(&b, PERF_SAMPLE_REGS_ABI_32, 0);
	CHECK(!parse(b.at, b.size, true, &c) && c.is_32bit &&
	      !c.copy_size, "32 bits");
}

TEST(a_kernel_thread_has_no_user_part)
{
	struct perf_sample_stack c;
	struct bytes b;

	make_stack(&b, PERF_SAMPLE_REGS_ABI_NONE, 0);
	CHECK(!parse(b.at, b.size, true, &c), "parse");
	CHECK(!c.registers && !c.copy && !c.copy_size && c.nr_addresses == 2, "no user part");
}

TEST(addresses_alone)
{
	struct perf_sample_stack c;
	struct bytes b = { .size = 0 };

	add64(&b, 3);
	add64(&b, PERF_CONTEXT_USER);
	add64(&b, 0x401000);
	add64(&b, 0x402000);
	CHECK(!parse(b.at, b.size, false, &c) && c.nr_addresses == 3 &&
	      !c.registers,
	      "parse");
	CHECK(parse(b.at, b.size, true, &c) == -EBADMSG, "registers are missing");
}

/* A truncated record is refused, and the result is untouched. */
TEST(cut_stacks)
{
	struct perf_sample_stack c, untouched;
	struct bytes b;

	memset(&untouched, 0x5a, sizeof(untouched));
	make_stack(&b, PERF_SAMPLE_REGS_ABI_64, STACK);
	for (size_t size = 0; size < b.size; size++) {
		c = untouched;
		CHECK(parse(b.at, size, true, &c) == -EBADMSG, "%zu", size);
		CHECK(!memcmp(&c, &untouched, sizeof(c)), "%zu touched", size);
	}
}

TEST(wrong_lengths)
{
	static const uint64_t lies[] = { 1000, UINT64_MAX, UINT64_MAX / 8 + 1, UINT64_MAX - 6 };
	size_t stack_at = 8 * (1 + 2 + 1 + PERF_USER_REGS_NR);
	struct perf_sample_stack c;
	struct bytes b;

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		make_stack(&b, PERF_SAMPLE_REGS_ABI_64, STACK);
		memcpy(b.at, &lies[i], 8);
		CHECK(parse(b.at, b.size, true, &c) == -EBADMSG,
		      "addresses %zu", i);
		make_stack(&b, PERF_SAMPLE_REGS_ABI_64, STACK);
		memcpy(b.at + stack_at, &lies[i], 8);
		CHECK(parse(b.at, b.size, true, &c) == -EBADMSG, "stack %zu", i);
		make_stack(&b, PERF_SAMPLE_REGS_ABI_64, lies[i]);
		CHECK(parse(b.at, b.size, true, &c) == -EBADMSG, "real %zu", i);
	}
}

TEST_MAIN()
