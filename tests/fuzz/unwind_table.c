// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unwind_table.c - fuzz unwind tables: whatever passes the check can be walked by
 *
 * The table is a copy of just its size, so that reads beyond it are seen. The stack that is
 * walked is made up, from the input too.
 */
#include <stdlib.h>
#include <string.h>
#include "unwind/walk.h"

#define STACK	0x10000ull

struct input {
	const uint8_t *data;
	size_t size;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Words that are often in the stack, and code of the table. */
static bool read_input(void *context, u64 address, u64 *ret)
{
	const struct input *in = context;

	if (address < STACK || address - STACK > 0x10000)
		return false;
	*ret = in->data[address / 8 % in->size] * 256 + in->data[address % in->size];
	*ret += address % 16 ? STACK : 0;
	return true;
}

static void walk(const struct op_unwind_table *t, struct input *in, u64 pc)
{
	struct op_unwind_cursor c = { .machine = t->machine, .pc = pc, .top = STACK + 0x10000 };
	int steps = 0;

	for (int i = 0; i < OP_UNWIND_REGISTERS; i++)
		c.value[i] = STACK + 16 * i;
	op_unwind_start(&c);
	while (steps < 1024 &&
	       op_unwind_next(t, op_unwind_place(&c), &c, read_input, in) == OP_UNWIND_STEPPED)
		steps++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	void *copy;

	if (!size)
		return 0;
	copy = malloc(size);
	if (!copy)
		abort();
	memcpy(copy, data, size);
	if (op_unwind_check(copy, size))
		for (u64 pc = 0; pc < 0x1000; pc += 13)
			walk(copy, &in, pc);
	free(copy);
	return 0;
}
